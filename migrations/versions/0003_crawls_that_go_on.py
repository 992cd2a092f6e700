"""How far a crawl has come, what a forge says of a repository's past, and the versions of a file by date."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; what was crawled before counts as met by run 0 of its source."""
    with op.batch_alter_table("source") as table:
        table.add_column(sa.Column("options", sa.Text(), nullable=True))
        table.add_column(sa.Column("run", sa.Integer(), nullable=False, server_default="0"))
        table.add_column(sa.Column("run_began", sa.String(length=32), nullable=True))
        table.add_column(sa.Column("cursor", sa.Text(), nullable=True))
    with op.batch_alter_table("source_repository") as table:
        table.add_column(sa.Column("run", sa.Integer(), nullable=False, server_default="0"))
    with op.batch_alter_table("repository") as table:
        table.add_column(sa.Column("history_head", sa.String(length=64), nullable=True))
        table.add_column(sa.Column("validator", sa.Text(), nullable=True))
    with op.batch_alter_table("file") as table:
        table.add_column(sa.Column("commit_id", sa.String(length=64), nullable=True))
        table.add_column(sa.Column("since", sa.String(length=32), nullable=True))
        table.add_column(sa.Column("until", sa.String(length=32), nullable=True))


def downgrade() -> None:
    """Drop the columns."""
    for name, columns in (
        ("file", ("until", "since", "commit_id")),
        ("repository", ("validator", "history_head")),
        ("source_repository", ("run",)),
        ("source", ("cursor", "run_began", "run", "options")),
    ):
        for column in columns:
            op.execute(f"ALTER TABLE {name} DROP COLUMN {column}")
