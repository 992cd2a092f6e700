"""The first schema: evidence, conclusions, full-text search of authors and works."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

APPLICATION_ID = 0x63666667  # "cffg": whose database the file is, as `file` and we can tell

# Full-text table, the table it follows, the column it indexes.
SEARCHED = [("author_name_fts", "author_name", "folded"), ("work_fts", "work", "folded")]

# The column comes folded already: case, accents and width are gone, so the tokenizer leaves marks alone.
# Marks (M*) are letters, as Thai and Indic vowels are, and Co is where some minority scripts live.
TOKENIZE = "unicode61 remove_diacritics 0 categories 'L* N* Co M*'"


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "author",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("family", sa.Text(), nullable=False),
        sa.Column("orcid", sa.String(length=19), nullable=False),
        sa.Column("works", sa.Integer(), nullable=False),
        sa.Column("repositories", sa.Integer(), nullable=False),
        sa.Column("coauthors", sa.Integer(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("first_year", sa.Integer(), nullable=True),
        sa.Column("last_year", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_author"),
        sa.UniqueConstraint("key", name="uq_author_key"),
    )
    op.create_index("ix_author_orcid", "author", ["orcid"], unique=False)
    op.create_table(
        "author_redirect",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_author_redirect"),
    )
    op.create_table(
        "blob",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("sha", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("cff_version", sa.Text(), nullable=False),
        sa.Column("outcome", sa.String(length=8), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_blob"),
        sa.UniqueConstraint("sha", name="uq_blob_sha"),
    )
    op.create_table(
        "conflict",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=32), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_conflict"),
    )
    op.create_index("ix_conflict_code", "conflict", ["code"], unique=False)
    op.create_table(
        "progress",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("evidence", sa.Integer(), nullable=False),
        sa.Column("resolved", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_progress"),
    )
    op.create_table(
        "repository",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("forge_id", sa.Text(), nullable=True),
        sa.Column("remote", sa.Text(), nullable=True),
        sa.Column("is_fork", sa.Boolean(), nullable=True),
        sa.Column("is_mirror", sa.Boolean(), nullable=True),
        sa.Column("is_archived", sa.Boolean(), nullable=True),
        sa.Column("parent_url", sa.Text(), nullable=True),
        sa.Column("default_branch", sa.Text(), nullable=True),
        sa.Column("head", sa.String(length=64), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("last_crawled", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_repository"),
        sa.UniqueConstraint("host", "forge_id", name="uq_repository_host_forge_id"),
        sa.UniqueConstraint("url", name="uq_repository_url"),
    )
    op.create_table(
        "source",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("last_crawled", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_source"),
        sa.UniqueConstraint("spec", name="uq_source_spec"),
    )
    op.create_table(
        "work",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("year", sa.Integer(), nullable=True),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("doi", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("persons", sa.Integer(), nullable=False),
        sa.Column("cites", sa.Integer(), nullable=False),
        sa.Column("cited_by", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_work"),
        sa.UniqueConstraint("key", name="uq_work_key"),
    )
    op.create_table(
        "author_name",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("mentions", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["author_id"], ["author.id"], name="fk_author_name_author_id_author", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_author_name"),
    )
    op.create_index("ix_author_name_author_id", "author_name", ["author_id"], unique=False)
    op.create_table(
        "authorship",
        sa.Column("work_id", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["author_id"], ["author.id"], name="fk_authorship_author_id_author", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["work_id"], ["work.id"], name="fk_authorship_work_id_work", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("work_id", "author_id", name="pk_authorship"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_authorship_author_id_work_id", "authorship", ["author_id", "work_id"], unique=False)
    op.create_table(
        "citation",
        sa.Column("citing_id", sa.Integer(), nullable=False),
        sa.Column("cited_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(
            ["cited_id"], ["work.id"], name="fk_citation_cited_id_work", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["citing_id"], ["work.id"], name="fk_citation_citing_id_work", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("citing_id", "cited_id", "kind", name="pk_citation"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_citation_cited_id", "citation", ["cited_id"], unique=False)
    op.create_table(
        "file",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("blob_id", sa.Integer(), nullable=False),
        sa.Column("standing", sa.String(length=8), nullable=False),
        sa.Column("first_seen", sa.String(length=32), nullable=False),
        sa.Column("last_seen", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["blob_id"], ["blob.id"], name="fk_file_blob_id_blob"),
        sa.ForeignKeyConstraint(
            ["repository_id"], ["repository.id"], name="fk_file_repository_id_repository", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_file"),
        sa.UniqueConstraint("repository_id", "path", "blob_id", name="uq_file_repository_id_path_blob_id"),
    )
    op.create_index("ix_file_blob_id", "file", ["blob_id"], unique=False)
    op.create_table(
        "problem",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("blob_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=32), nullable=False),
        sa.Column("severity", sa.String(length=8), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("col", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["blob_id"], ["blob.id"], name="fk_problem_blob_id_blob", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_problem"),
    )
    op.create_index("ix_problem_blob_id", "problem", ["blob_id"], unique=False)
    op.create_index("ix_problem_code", "problem", ["code"], unique=False)
    op.create_table(
        "record",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("blob_id", sa.Integer(), nullable=False),
        sa.Column("pointer", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("doi", sa.Text(), nullable=False),
        sa.Column("date", sa.String(length=10), nullable=False),
        sa.Column("year", sa.Integer(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("repository_code", sa.Text(), nullable=False),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["blob_id"], ["blob.id"], name="fk_record_blob_id_blob", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_record"),
        sa.UniqueConstraint("blob_id", "pointer", name="uq_record_blob_id_pointer"),
    )
    op.create_table(
        "repository_alias",
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id"],
            ["repository.id"],
            name="fk_repository_alias_repository_id_repository",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("url", name="pk_repository_alias"),
    )
    op.create_index("ix_repository_alias_repository_id", "repository_alias", ["repository_id"], unique=False)
    op.create_table(
        "source_repository",
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id"],
            ["repository.id"],
            name="fk_source_repository_repository_id_repository",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["source_id"], ["source.id"], name="fk_source_repository_source_id_source", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", "repository_id", name="pk_source_repository"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_source_repository_repository_id", "source_repository", ["repository_id"], unique=False
    )
    op.create_table(
        "work_identifier",
        sa.Column("work_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["work_id"], ["work.id"], name="fk_work_identifier_work_id_work", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("work_id", "kind", "value", name="pk_work_identifier"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_work_identifier_value", "work_identifier", ["value"], unique=False)
    op.create_table(
        "work_repository",
        sa.Column("work_id", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id"],
            ["repository.id"],
            name="fk_work_repository_repository_id_repository",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["work_id"], ["work.id"], name="fk_work_repository_work_id_work", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("work_id", "repository_id", name="pk_work_repository"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_work_repository_repository_id", "work_repository", ["repository_id"], unique=False)
    op.create_table(
        "mention",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("record_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("family_names", sa.Text(), nullable=False),
        sa.Column("given_names", sa.Text(), nullable=False),
        sa.Column("name_particle", sa.Text(), nullable=False),
        sa.Column("name_suffix", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("alias", sa.Text(), nullable=False),
        sa.Column("orcid", sa.String(length=19), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("website", sa.Text(), nullable=False),
        sa.Column("affiliation", sa.Text(), nullable=False),
        sa.Column("as_written", sa.Text(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["record_id"], ["record.id"], name="fk_mention_record_id_record", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_mention"),
        sa.UniqueConstraint("record_id", "role", "position", name="uq_mention_record_id_role_position"),
    )
    op.create_table(
        "record_identifier",
        sa.Column("record_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["record_id"], ["record.id"], name="fk_record_identifier_record_id_record", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("record_id", "kind", "value", name="pk_record_identifier"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "work_record",
        sa.Column("record_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("work_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["record_id"], ["record.id"], name="fk_work_record_record_id_record", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["work_id"], ["work.id"], name="fk_work_record_work_id_work", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("record_id", name="pk_work_record"),
    )
    op.create_index("ix_work_record_work_id", "work_record", ["work_id"], unique=False)
    op.create_table(
        "author_mention",
        sa.Column("mention_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["author_id"], ["author.id"], name="fk_author_mention_author_id_author", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["mention_id"], ["mention.id"], name="fk_author_mention_mention_id_mention", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("mention_id", name="pk_author_mention"),
    )
    op.create_index("ix_author_mention_author_id", "author_mention", ["author_id"], unique=False)
    op.create_table(
        "conflict_mention",
        sa.Column("conflict_id", sa.Integer(), nullable=False),
        sa.Column("mention_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conflict_id"],
            ["conflict.id"],
            name="fk_conflict_mention_conflict_id_conflict",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["mention_id"], ["mention.id"], name="fk_conflict_mention_mention_id_mention", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conflict_id", "mention_id", name="pk_conflict_mention"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_conflict_mention_mention_id", "conflict_mention", ["mention_id"], unique=False)
    op.execute("INSERT INTO progress (id, evidence, resolved) VALUES (1, 0, 0)")
    if op.get_bind().dialect.name == "sqlite":
        op.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for index, table, column in SEARCHED:
            _make_search(index, table, column)


def downgrade() -> None:
    """Drop all tables."""
    if op.get_bind().dialect.name == "sqlite":
        for index, _table, _column in SEARCHED:
            op.execute(f"DROP TABLE {index}")
    op.drop_table("conflict_mention")
    op.drop_table("author_mention")
    op.drop_table("work_record")
    op.drop_table("record_identifier")
    op.drop_table("mention")
    op.drop_table("work_repository")
    op.drop_table("work_identifier")
    op.drop_table("source_repository")
    op.drop_table("repository_alias")
    op.drop_table("record")
    op.drop_table("problem")
    op.drop_table("file")
    op.drop_table("citation")
    op.drop_table("authorship")
    op.drop_table("author_name")
    op.drop_table("work")
    op.drop_table("source")
    op.drop_table("repository")
    op.drop_table("progress")
    op.drop_table("conflict")
    op.drop_table("blob")
    op.drop_table("author_redirect")
    op.drop_table("author")


def _make_search(index: str, table: str, column: str) -> None:
    """A full-text table that holds no text of its own, kept in step by three triggers."""
    op.execute(
        f"CREATE VIRTUAL TABLE {index} USING fts5("
        f'{column}, content="{table}", content_rowid="id", tokenize="{TOKENIZE}")'
    )
    put = f"INSERT INTO {index} (rowid, {column}) VALUES (new.id, new.{column});"  # noqa: S608
    # What was indexed must be given back word for word, else the index keeps it.
    drop = f"INSERT INTO {index} ({index}, rowid, {column}) VALUES ('delete', old.id, old.{column});"  # noqa: S608
    for when, then in (
        ("INSERT", put),
        ("DELETE", drop),
        (f"UPDATE OF id, {column}", drop + " " + put),
    ):
        name = f"{index}_{when.split()[0].lower()}"
        op.execute(f"CREATE TRIGGER {name} AFTER {when} ON {table} BEGIN {then} END")
