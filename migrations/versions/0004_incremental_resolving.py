"""What resolving only what changed needs: lists and names as numbers, keys, blocks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

HASH = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables; the conclusions are to be worked out again, which fills them."""
    op.create_table(
        "author_list",
        sa.Column("record_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", HASH, nullable=False),
        sa.Column("places", HASH, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["record_id"], ["record.id"], name="fk_author_list_record_id_record", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("record_id", name="pk_author_list"),
    )
    op.create_table(
        "spelling",
        sa.Column("id", HASH, autoincrement=False, nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("is_full", sa.Boolean(), nullable=False),
        sa.Column("coauthor", HASH, nullable=False),
        sa.Column("coauthor_text", sa.Text(), nullable=False),
        sa.Column("digest", HASH, nullable=False),
        sa.Column("counted", sa.LargeBinary(), nullable=False),
        sa.Column("read", sa.LargeBinary(), nullable=False),
        sa.Column("block", HASH, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_spelling"),
    )
    op.create_table(
        "spelling_key",
        sa.Column("key", HASH, autoincrement=False, nullable=False),
        sa.Column("spelling_id", HASH, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("key", "spelling_id", name="pk_spelling_key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "record_key",
        sa.Column("key", HASH, autoincrement=False, nullable=False),
        sa.Column("record_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("key", "record_id", name="pk_record_key"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_record_key_record_id", "record_key", ["record_id"], unique=False)
    op.create_table(
        "block",
        sa.Column("id", HASH, autoincrement=False, nullable=False),
        sa.Column("digest", HASH, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_block"),
    )
    op.add_column("author", sa.Column("block", HASH, nullable=True))
    op.create_index("ix_author_block", "author", ["block"], unique=False)
    op.add_column("conflict", sa.Column("block", HASH, nullable=True))
    op.create_index("ix_conflict_block", "conflict", ["block"], unique=False)
    op.add_column("progress", sa.Column("records", sa.Integer(), nullable=True))
    op.add_column("progress", sa.Column("rules", sa.Integer(), nullable=True))
    op.execute("UPDATE progress SET evidence = evidence + 1 WHERE evidence > 0")


def downgrade() -> None:
    """Drop the tables; the conclusions stand."""
    op.drop_column("progress", "rules")
    op.drop_column("progress", "records")
    op.drop_index("ix_conflict_block", table_name="conflict")
    op.drop_column("conflict", "block")
    op.drop_index("ix_author_block", table_name="author")
    op.drop_column("author", "block")
    op.drop_table("block")
    op.drop_table("record_key")
    op.drop_table("spelling_key")
    op.drop_table("spelling")
    op.drop_table("author_list")
