"""Every code that a problem can have, with what it means.

The codes are part of the contract with scripts and CI: they are added to, never renamed.
`docs/reading.md` has an example and a mend for each.
"""

from __future__ import annotations

CODES: dict[str, str] = {
    "anchor": "an anchor stands twice, or an alias names none",
    "annotated-author": "where the name of a committer ends in a page dump is a guess",
    "annotated-indent": "the indentation that a page dump lost could be given back in more than one way",
    "bad-character": "a character that YAML does not allow, or that has no place in a name",
    "bad-date": "a date that is not written as 2024-05-06, or that is in no calendar",
    "bad-doi": "a DOI that is none, is a placeholder, or is not written bare",
    "bad-license": "a licence that is no SPDX identifier of CFF 1.2",
    "bad-orcid": "an ORCID iD that is none, has a wrong check digit, is a placeholder, or is not a full URL",
    "bad-url": "a URL that does not begin with https, http, ftp or sftp",
    "bot": "an author that is a program",
    "cff-version": "a version of the format that does not exist, or is not known here",
    "conflict-markers": "the marks of a merge that was not finished",
    "duplicate-item": "an item that stands twice in its list",
    "duplicate-key": "a key that stands twice in its mapping: the first one counts",
    "empty": "nothing in the file",
    "empty-name": "an author without any name: left out",
    "encoding": "bytes that are not UTF-8",
    "file-name": "a name other than CITATION.cff",
    "html": "a web page in place of the file",
    "lfs-pointer": "a pointer of Git LFS in place of the file",
    "missing-required": "a key that the schema asks for",
    "multi-document": "a second YAML document: not read",
    "name-repaired": "a name that was split, turned round or cleaned",
    "not-cff": "another format, or no format at all",
    "orcid-conflict": "one iD on two people of one list: one of them has it by mistake, or changed name",
    "person-as-entity": "a person given as `name`: taken for the person",
    "possible-comment": "an unquoted value that YAML ended at ` #`",
    "schema": "anything else that the schema of the file's version does not take",
    "symlink": "the text of a symbolic link in place of the file",
    "tab": "a tab where YAML or other programs want a blank",
    "team-as-person": "a team given as a person: taken for the team",
    "template": "a template that was not filled in",
    "too-complex": "too large, nested too deeply, or aliases that expand to too much",
    "unknown-key": "a key that CFF does not know at this place: kept",
    "yaml-syntax": "not YAML",
}
