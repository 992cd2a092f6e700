"""What people decide about identities, and the questions to ask them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables; the conclusions are to be worked out again, to fill those that are conclusions."""
    op.create_table(
        "decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("a", sa.Text(), nullable=False),
        sa.Column("b", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("is_private", sa.Boolean(), nullable=False),
        sa.Column("made_at", sa.String(length=32), nullable=False),
        sa.Column("undone_at", sa.String(length=32), nullable=True),
        sa.Column("before", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_decision"),
    )
    op.create_index("ix_decision_uid", "decision", ["uid"], unique=False)
    op.create_table(
        "secret",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("value", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_secret"),
    )
    op.create_table(
        "decided_redirect",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_decided_redirect"),
    )
    op.create_table(
        "undecided_author",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_undecided_author"),
    )
    op.create_table(
        "undecided_mention",
        sa.Column("mention_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mention_id"], ["mention.id"], name="fk_undecided_mention_mention_id_mention", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("mention_id", name="pk_undecided_mention"),
    )
    op.create_table(
        "author_private",
        sa.Column("author_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["author_id"], ["author.id"], name="fk_author_private_author_id_author", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("author_id", name="pk_author_private"),
    )
    op.create_table(
        "candidate",
        sa.Column("a_id", sa.Integer(), nullable=False),
        sa.Column("b_id", sa.Integer(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("worth", sa.Float(), nullable=False),
        sa.Column("reasons", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["a_id"], ["author.id"], name="fk_candidate_a_id_author", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["b_id"], ["author.id"], name="fk_candidate_b_id_author", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("a_id", "b_id", name="pk_candidate"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_candidate_b_id", "candidate", ["b_id"], unique=False)
    op.execute("UPDATE progress SET evidence = evidence + 1 WHERE evidence > 0")


def downgrade() -> None:
    """Drop the tables, and with them the decisions; the conclusions are to be worked out without them."""
    op.drop_table("candidate")
    op.drop_table("author_private")
    op.drop_table("undecided_mention")
    op.drop_table("undecided_author")
    op.drop_table("decided_redirect")
    op.drop_table("secret")
    op.drop_table("decision")
    op.execute("UPDATE progress SET evidence = evidence + 1 WHERE evidence > 0")
