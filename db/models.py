"""The tables: evidence first, conclusions second.

Evidence is what was fetched and what it says, and is never rewritten. Conclusions are worked out
from it by `resolve` and can be thrown away. They are SQLAlchemy Core tables, not mapped classes:
rows are written in batches and read as plain rows, no object is ever tracked, and an answer at the
prompt does not wait for the ORM to be imported (a third of the time of a short command).

Every constraint has a name by the convention below, so that a migration can speak of it.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

# A number made of content, of 64 bits. SQLite has no other, but wants a key of rows called INTEGER.
Hash = BigInteger().with_variant(Integer, "sqlite")

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# --- Evidence -------------------------------------------------------------------------------------

source = Table(
    "source",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("spec", Text, nullable=False, unique=True),  # what the user named, made absolute
    Column("options", Text),  # as `nested history`, remembered
    Column("last_crawled", String(32)),  # ISO 8601, UTC; empty until a crawl of it has ended
    # A crawl of it that is under way, or was cut off: its number, when it began, how far it came.
    Column("run", Integer, nullable=False, default=0, server_default="0"),
    Column("run_began", String(32)),
    Column("cursor", Text),
)

repository = Table(
    "repository",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("url", Text, nullable=False, unique=True),  # canonical; file://... for a folder
    Column("name", Text, nullable=False),
    Column("host", Text, nullable=False),  # "" for a local one
    Column("forge_id", Text),  # the forge's own number: outlives a rename
    Column("remote", Text),  # where a local clone says it comes from, without credentials
    Column("is_fork", Boolean),
    Column("is_mirror", Boolean),
    Column("is_archived", Boolean),
    Column("parent_url", Text),
    Column("default_branch", Text),
    Column("head", String(64)),  # commit id; a digest of the listing for a folder outside git
    Column("history_head", String(64)),  # the head up to which its history was taken
    Column("validator", Text),  # the source's own, as an ETag
    Column("state", String(16), nullable=False),  # ok no-file gone private blocked empty failed unreadable
    Column("reason", Text, nullable=False, default=""),
    Column("last_crawled", String(32), nullable=False),
    UniqueConstraint("host", "forge_id"),
)

repository_alias = Table(
    "repository_alias",
    metadata,
    Column("url", Text, primary_key=True),
    Column("repository_id", ForeignKey("repository.id", ondelete="CASCADE"), nullable=False, index=True),
)

# A repository comes to be known by being found in a source; several sources may hold it.
source_repository = Table(
    "source_repository",
    metadata,
    Column("source_id", ForeignKey("source.id", ondelete="CASCADE"), primary_key=True),
    Column("repository_id", ForeignKey("repository.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("run", Integer, nullable=False, default=0, server_default="0"),  # of the source, that met it last
    sqlite_with_rowid=False,
)

blob = Table(
    "blob",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("sha", String(64), nullable=False, unique=True),  # git's object id; swh:1:cnt:<sha> is its SWHID
    Column("size_bytes", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),  # as fetched
    Column("kind", String(20), nullable=False),  # cff, opengrok-page, opengrok-annotate
    Column("revision", Text, nullable=False, default=""),  # newest revision that a page names
    Column("cff_version", Text, nullable=False, default=""),
    Column("outcome", String(8), nullable=False),  # ok, ok-warn, error
)

problem = Table(
    "problem",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("blob_id", ForeignKey("blob.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("code", String(32), nullable=False, index=True),
    Column("severity", String(8), nullable=False),
    Column("line", Integer, nullable=False),
    Column("col", Integer, nullable=False),
    Column("path", Text, nullable=False),
    Column("message", Text, nullable=False),
)

# Which blob a repository holds at a path. `standing` says what the row is worth now:
#   current   the repository holds it, and conclusions are drawn from it;
#   broken    the repository holds it, and it cannot be read;
#   stale     the last good version at a path whose newest version is broken: conclusions are drawn from it;
#   past      the repository held it once.
file = Table(
    "file",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("repository_id", ForeignKey("repository.id", ondelete="CASCADE"), nullable=False),
    Column("path", Text, nullable=False),  # as spelled in the repository
    Column("blob_id", ForeignKey("blob.id"), nullable=False, index=True),
    Column("standing", String(8), nullable=False),
    Column("first_seen", String(32), nullable=False),
    Column("last_seen", String(32), nullable=False),
    # By the repository's own history, where it was taken: which commit brought this version, when it
    # was made, and when the next one replaced it.
    Column("commit_id", String(64)),
    Column("since", String(32)),
    Column("until", String(32)),
    UniqueConstraint("repository_id", "path", "blob_id"),
)

record = Table(
    "record",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("blob_id", ForeignKey("blob.id", ondelete="CASCADE"), nullable=False),
    Column("pointer", Text, nullable=False),  # "" preferred-citation references[0]
    Column("type", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("doi", Text, nullable=False),
    Column("date", String(10), nullable=False),
    Column("year", Integer),
    Column("url", Text, nullable=False),
    Column("repository_code", Text, nullable=False),
    Column("fields", Text, nullable=False),  # JSON: every key as written
    UniqueConstraint("blob_id", "pointer"),
)

record_identifier = Table(
    "record_identifier",
    metadata,
    Column("record_id", ForeignKey("record.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("value", Text, primary_key=True),
    Column("description", Text, nullable=False),
    sqlite_with_rowid=False,
)

mention = Table(
    "mention",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("record_id", ForeignKey("record.id", ondelete="CASCADE"), nullable=False),
    Column("role", String(20), nullable=False),
    Column("position", Integer, nullable=False),
    Column("kind", String(8), nullable=False),  # person, entity, bot
    Column("family_names", Text, nullable=False),
    Column("given_names", Text, nullable=False),
    Column("name_particle", Text, nullable=False),
    Column("name_suffix", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("alias", Text, nullable=False),
    Column("orcid", String(19), nullable=False),
    Column("email", Text, nullable=False),
    Column("website", Text, nullable=False),
    Column("affiliation", Text, nullable=False),
    Column("as_written", Text, nullable=False),  # JSON: every key of the entry
    Column("line", Integer, nullable=False),
    UniqueConstraint("record_id", "role", "position"),
)

# What people have decided about identities. A decision names mentions by what was written (see
# db/named.py), never by row number, so it outlives a rebuild and a file that moves.
decision = Table(
    "decision",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("uid", String(32), nullable=False, index=True),  # of the content; of equal ones at most one stands
    Column("kind", String(8), nullable=False),  # merge, split, distinct, rename
    Column("a", Text, nullable=False),  # JSON: names of mentions
    Column("b", Text, nullable=False),  # JSON: those they are merged with, or told apart from
    Column("name", Text, nullable=False),  # of a rename
    Column("is_private", Boolean, nullable=False),  # a rename that hides the old name
    Column("made_at", String(32), nullable=False),  # ISO 8601, UTC: the order in which decisions count
    Column("undone_at", String(32)),
    Column("before", Text, nullable=False),  # JSON: the numbers of both authors then
)

# One row: the key of the hashes that stand in for names which are not to be shown. It leaves the
# database in no answer and no export.
secret = Table(
    "secret",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("value", String(64), nullable=False),
)

# --- Conclusions ----------------------------------------------------------------------------------

work = Table(
    "work",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),  # made of content: see cff/numbers.py
    Column("key", Text, nullable=False, unique=True),  # the id in exports
    Column("kind", String(8), nullable=False),  # software, paper, dataset, other
    Column("type", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("year", Integer),
    Column("version", Text, nullable=False),
    Column("doi", Text, nullable=False),
    Column("folded", Text, nullable=False),  # the title as it is searched
    Column("persons", Integer, nullable=False),  # how many of its authors are persons
    Column("cites", Integer, nullable=False),
    Column("cited_by", Integer, nullable=False),
)

work_identifier = Table(
    "work_identifier",
    metadata,
    Column("work_id", ForeignKey("work.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("value", Text, primary_key=True),
    Index("ix_work_identifier_value", "value"),
    sqlite_with_rowid=False,
)

work_record = Table(
    "work_record",
    metadata,
    Column("record_id", ForeignKey("record.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("work_id", ForeignKey("work.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("reason", Text, nullable=False),
)

# Where a software work is carried: a repository that holds it as the root of a standing file.
work_repository = Table(
    "work_repository",
    metadata,
    Column("work_id", ForeignKey("work.id", ondelete="CASCADE"), primary_key=True),
    Column("repository_id", ForeignKey("repository.id", ondelete="CASCADE"), primary_key=True, index=True),
    sqlite_with_rowid=False,
)

author = Table(
    "author",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),  # made of content: see cff/numbers.py
    Column("key", Text, nullable=False, unique=True),  # the id in exports: the iD, else the folded name
    Column("kind", String(8), nullable=False),  # person, entity, bot
    Column("name", Text, nullable=False),
    Column("family", Text, nullable=False),  # folded family name: an exact match comes first
    Column("orcid", String(19), nullable=False, index=True),
    Column("works", Integer, nullable=False),
    Column("repositories", Integer, nullable=False),
    Column("coauthors", Integer, nullable=False),  # persons who share a work
    Column("weight", Float, nullable=False),  # Newman's, summed over all coauthors
    Column("first_year", Integer),
    Column("last_year", Integer),
    Column("block", Hash, index=True),  # the names that it was resolved with; see `block`
)

author_name = Table(
    "author_name",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("author_id", ForeignKey("author.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False),  # as it is searched: folded, and in Latin letters too
    Column("mentions", Integer, nullable=False),
)

author_mention = Table(
    "author_mention",
    metadata,
    Column("mention_id", ForeignKey("mention.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("author_id", ForeignKey("author.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("reason", Text, nullable=False),
    Column("confidence", Float, nullable=False),
)

# A number that was once shown and whose mentions went to another author leads on.
author_redirect = Table(
    "author_redirect",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("author_id", Integer, nullable=False),
)

# What only decisions make of the numbers, so that undoing them gives back what was there. These three
# tables hold the difference between the authors above and those that the evidence alone would make.
decided_redirect = Table(
    "decided_redirect",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("author_id", Integer, nullable=False),
)

undecided_author = Table(
    "undecided_author",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("key", Text, nullable=False),  # empty: the number is there by a decision alone
)

undecided_mention = Table(
    "undecided_mention",
    metadata,
    Column("mention_id", ForeignKey("mention.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("author_id", Integer, nullable=False),
)

# Authors of whom no name is shown but the one that was decided.
author_private = Table(
    "author_private",
    metadata,
    Column("author_id", ForeignKey("author.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
)

# Two authors who may be one: the questions for a person.
candidate = Table(
    "candidate",
    metadata,
    Column("a_id", ForeignKey("author.id", ondelete="CASCADE"), primary_key=True),
    Column("b_id", ForeignKey("author.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("score", Float, nullable=False),  # as a link's confidence
    Column("worth", Float, nullable=False),  # what an answer is worth: the best question has most
    Column("reasons", Text, nullable=False),
    sqlite_with_rowid=False,
)

authorship = Table(
    "authorship",
    metadata,
    Column("work_id", ForeignKey("work.id", ondelete="CASCADE"), primary_key=True),
    Column("author_id", ForeignKey("author.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, nullable=False),
    Index("ix_authorship_author_id_work_id", "author_id", "work_id"),
    sqlite_with_rowid=False,
)

citation = Table(
    "citation",
    metadata,
    Column("citing_id", ForeignKey("work.id", ondelete="CASCADE"), primary_key=True),
    Column("cited_id", ForeignKey("work.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("kind", String(20), primary_key=True),  # preferred-citation, reference
    sqlite_with_rowid=False,
)

conflict = Table(
    "conflict",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("code", String(32), nullable=False, index=True),  # orcid-conflict, doi-conflict, ...
    Column("message", Text, nullable=False),
    Column("block", Hash, index=True),  # where it was found; empty: among works, or among decisions
)

conflict_mention = Table(
    "conflict_mention",
    metadata,
    Column("conflict_id", ForeignKey("conflict.id", ondelete="CASCADE"), primary_key=True),
    Column("mention_id", ForeignKey("mention.id", ondelete="CASCADE"), primary_key=True, index=True),
    sqlite_with_rowid=False,
)

# What resolving only what changed needs: each can be thrown away, and all is resolved anew. Numbers in them
# are made of content (see resolve/digest.py) unless they are keys of rows.

# The authors of a record as they are counted, and what its places were.
author_list = Table(
    "author_list",
    metadata,
    Column("record_id", ForeignKey("record.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("content", Hash, nullable=False),  # of what the list says
    Column("places", Hash, nullable=False),  # of the repositories that hold the record
    Column("data", LargeBinary, nullable=False),  # mentions, spellings, iDs, addresses: 8 bytes each
)

# A name of persons, whatever its cut into given and family name.
spelling = Table(
    "spelling",
    metadata,
    Column("id", Hash, primary_key=True, autoincrement=False),
    Column("first", Integer, nullable=False),  # the mention whose cut counts
    Column("is_full", Boolean, nullable=False),
    Column("coauthor", Hash, nullable=False),
    Column("coauthor_text", Text, nullable=False),  # family name and first initial
    Column("digest", Hash, nullable=False),  # of the cut
    Column("counted", LargeBinary, nullable=False),  # what it adds to the counts of names
    Column("read", LargeBinary, nullable=False),  # the counts that its rarity reads
    Column("block", Hash, nullable=False),  # the same for spellings that may be one another's
)

# Names are compared when they stand under one key.
spelling_key = Table(
    "spelling_key",
    metadata,
    Column("key", Hash, primary_key=True, autoincrement=False),
    Column("spelling_id", Hash, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

# Records are compared when they stand under one key: a DOI, a title, an address, the same content.
record_key = Table(
    "record_key",
    metadata,
    Column("key", Hash, primary_key=True, autoincrement=False),
    Column("record_id", Integer, primary_key=True, autoincrement=False, index=True),
    sqlite_with_rowid=False,
)

# Names that were resolved together, and a digest of all that was read for it.
block = Table(
    "block",
    metadata,
    Column("id", Hash, primary_key=True, autoincrement=False),
    Column("digest", Hash, nullable=False),
)

# One row: how far the evidence has come, and how far the conclusions follow it.
progress = Table(
    "progress",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("evidence", Integer, nullable=False),  # grows with every change of the evidence
    Column("resolved", Integer, nullable=False),  # the evidence that the conclusions stand on
    Column("records", Integer),  # how many records they stand on; empty: resolve anew
    Column("rules", Integer),  # the rules by which they were worked out; see resolve/run.py
)
