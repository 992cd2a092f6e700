"""Every key of CFF 1.0 to 1.2: where it may stand, what its value is, what people write instead.

One table for each kind of mapping, after the schema guide of CFF 1.2.0 (sections "Valid keys",
"Reference keys", "Person", "Entity", "Identifier"). The reader walks a file by these tables, and
the annotate reader finds lost indentation by them.
"""

from __future__ import annotations

from enum import Enum, auto


class Kind(Enum):
    """What the value of a key is."""

    TEXT = auto()
    TEXT_OR_NUMBER = auto()
    TEXT_OR_INTEGER = auto()
    MONTH = auto()
    DATE = auto()
    DOI = auto()
    URL = auto()
    ORCID = auto()
    EMAIL = auto()
    LICENSE = auto()
    COUNTRY = auto()
    SWHID = auto()
    ISBN = auto()
    ISSN = auto()
    PMCID = auto()
    CFF_VERSION = auto()
    ROOT_TYPE = auto()
    REFERENCE_TYPE = auto()
    STATUS = auto()
    IDENTIFIER_TYPE = auto()
    IDENTIFIER_VALUE = auto()
    TEXTS = auto()
    LANGUAGES = auto()
    AGENTS = auto()
    ENTITY = auto()
    IDENTIFIERS = auto()
    REFERENCE = auto()
    REFERENCES = auto()


ROOT: dict[str, Kind] = {
    "abstract": Kind.TEXT,
    "authors": Kind.AGENTS,
    "cff-version": Kind.CFF_VERSION,
    "commit": Kind.TEXT,
    "contact": Kind.AGENTS,
    "date-released": Kind.DATE,
    "doi": Kind.DOI,
    "identifiers": Kind.IDENTIFIERS,
    "keywords": Kind.TEXTS,
    "license": Kind.LICENSE,
    "license-url": Kind.URL,
    "message": Kind.TEXT,
    "preferred-citation": Kind.REFERENCE,
    "references": Kind.REFERENCES,
    "repository": Kind.URL,
    "repository-artifact": Kind.URL,
    "repository-code": Kind.URL,
    "title": Kind.TEXT,
    "type": Kind.ROOT_TYPE,
    "url": Kind.URL,
    "version": Kind.TEXT_OR_NUMBER,
}

REFERENCE: dict[str, Kind] = {
    "abbreviation": Kind.TEXT,
    "abstract": Kind.TEXT,
    "authors": Kind.AGENTS,
    "collection-doi": Kind.DOI,
    "collection-title": Kind.TEXT,
    "collection-type": Kind.TEXT,
    "commit": Kind.TEXT,
    "conference": Kind.ENTITY,
    "contact": Kind.AGENTS,
    "copyright": Kind.TEXT,
    "data-type": Kind.TEXT,
    "database": Kind.TEXT,
    "database-provider": Kind.ENTITY,
    "date-accessed": Kind.DATE,
    "date-downloaded": Kind.DATE,
    "date-published": Kind.DATE,
    "date-released": Kind.DATE,
    "department": Kind.TEXT,
    "doi": Kind.DOI,
    "edition": Kind.TEXT,
    "editors": Kind.AGENTS,
    "editors-series": Kind.AGENTS,
    "end": Kind.TEXT_OR_INTEGER,
    "entry": Kind.TEXT,
    "filename": Kind.TEXT,
    "format": Kind.TEXT,
    "identifiers": Kind.IDENTIFIERS,
    "institution": Kind.ENTITY,
    "isbn": Kind.ISBN,
    "issn": Kind.ISSN,
    "issue": Kind.TEXT_OR_NUMBER,
    "issue-date": Kind.TEXT,
    "issue-title": Kind.TEXT,
    "journal": Kind.TEXT,
    "keywords": Kind.TEXTS,
    "languages": Kind.LANGUAGES,
    "license": Kind.LICENSE,
    "license-url": Kind.URL,
    "loc-end": Kind.TEXT_OR_INTEGER,
    "loc-start": Kind.TEXT_OR_INTEGER,
    "location": Kind.ENTITY,
    "medium": Kind.TEXT,
    "month": Kind.MONTH,
    "nihmsid": Kind.TEXT,
    "notes": Kind.TEXT,
    "number": Kind.TEXT_OR_NUMBER,
    "number-volumes": Kind.TEXT_OR_INTEGER,
    "pages": Kind.TEXT_OR_INTEGER,
    "patent-states": Kind.TEXTS,
    "pmcid": Kind.PMCID,
    "publisher": Kind.ENTITY,
    "recipients": Kind.AGENTS,
    "repository": Kind.URL,
    "repository-artifact": Kind.URL,
    "repository-code": Kind.URL,
    "scope": Kind.TEXT,
    "section": Kind.TEXT_OR_NUMBER,
    "senders": Kind.AGENTS,
    "start": Kind.TEXT_OR_INTEGER,
    "status": Kind.STATUS,
    "term": Kind.TEXT,
    "thesis-type": Kind.TEXT,
    "title": Kind.TEXT,
    "translators": Kind.AGENTS,
    "type": Kind.REFERENCE_TYPE,
    "url": Kind.URL,
    "version": Kind.TEXT_OR_NUMBER,
    "volume": Kind.TEXT_OR_INTEGER,
    "volume-title": Kind.TEXT,
    "year": Kind.TEXT_OR_INTEGER,
    "year-original": Kind.TEXT_OR_INTEGER,
}

PERSON: dict[str, Kind] = {
    "address": Kind.TEXT,
    "affiliation": Kind.TEXT,
    "alias": Kind.TEXT,
    "city": Kind.TEXT,
    "country": Kind.COUNTRY,
    "email": Kind.EMAIL,
    "family-names": Kind.TEXT,
    "fax": Kind.TEXT,
    "given-names": Kind.TEXT,
    "name-particle": Kind.TEXT,
    "name-suffix": Kind.TEXT,
    "orcid": Kind.ORCID,
    "post-code": Kind.TEXT_OR_NUMBER,
    "region": Kind.TEXT,
    "tel": Kind.TEXT,
    "website": Kind.URL,
}

ENTITY: dict[str, Kind] = {
    "address": Kind.TEXT,
    "alias": Kind.TEXT,
    "city": Kind.TEXT,
    "country": Kind.COUNTRY,
    "date-end": Kind.DATE,
    "date-start": Kind.DATE,
    "email": Kind.EMAIL,
    "fax": Kind.TEXT,
    "location": Kind.TEXT,
    "name": Kind.TEXT,
    "orcid": Kind.ORCID,
    "post-code": Kind.TEXT_OR_NUMBER,
    "region": Kind.TEXT,
    "tel": Kind.TEXT,
    "website": Kind.URL,
}

AGENT: dict[str, Kind] = PERSON | ENTITY
"""An entry of authors, contact, editors, ...: a person or an entity, told by its keys."""

IDENTIFIER: dict[str, Kind] = {
    "type": Kind.IDENTIFIER_TYPE,
    "value": Kind.IDENTIFIER_VALUE,
    "description": Kind.TEXT,
}
"""An entry of identifiers."""

ALL_KEYS: frozenset[str] = frozenset(ROOT) | frozenset(REFERENCE) | frozenset(AGENT) | frozenset(IDENTIFIER)

VERSIONS = ("1.0.0", "1.0.1", "1.0.2", "1.0.3", "1.1.0", "1.2.0")
"""The released versions of the format."""

SINCE: dict[str, frozenset[str]] = {
    "1.1.0": frozenset({"identifiers"}),
    "1.2.0": frozenset({"preferred-citation", "type"}),
}
"""Version -> the keys of the root that came with it (CHANGELOG of the format)."""

ROOT_REQUIRED = ("cff-version", "message", "title", "authors")
ROOT_REQUIRED_BEFORE_1_2 = ("cff-version", "message", "title", "authors", "version", "date-released")
"""1.2.0 asks less of the root than its forerunners (schema guide of 1.1.0, "Required keys")."""
REFERENCE_REQUIRED = ("type", "title", "authors")
IDENTIFIER_REQUIRED = ("type", "value")

# What people write for a key. Names that are only spelled wrong (`familiy-names`, `given_names`) are
# not here: the reader finds those by their distance.
NEAR_MISSES: dict[str, str] = {
    "author": "authors",
    "creator": "authors",
    "creators": "authors",
    "maintainers": "contact",
    "maintainer": "contact",
    "contacts": "contact",
    "editor": "editors",
    "family-name": "family-names",
    "given-name": "given-names",
    "first-name": "given-names",
    "first-names": "given-names",
    "firstname": "given-names",
    "last-name": "family-names",
    "last-names": "family-names",
    "lastname": "family-names",
    "surname": "family-names",
    "particle": "name-particle",
    "suffix": "name-suffix",
    "affiliations": "affiliation",
    "mail": "email",
    "e-mail": "email",
    "homepage": "website",
    "licence": "license",
    "licenses": "license",
    "keyword": "keywords",
    "tags": "keywords",
    "date": "date-released",
    "release-date": "date-released",
    "date-release": "date-released",
    "published": "date-published",
    "language": "languages",
    "page": "pages",
    "reference": "references",
    "identifier": "identifiers",
    "repository-url": "repository-code",
    "code-repository": "repository-code",
    "preferred-citations": "preferred-citation",
    "summary": "abstract",
    "description": "abstract",
    "name": "title",
}
"""A wrong key -> the key that its writer meant, where the mapping at hand has that key."""
