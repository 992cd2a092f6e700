"""Run by Alembic: brings the schema of the connection that the program hands over to a revision."""

from __future__ import annotations

from alembic import context
from cffgraph.db.models import metadata
from sqlalchemy.sql.schema import SchemaItem


def include_object(
    _item: SchemaItem, name: str | None, kind: str, _reflected: bool, _compare_to: SchemaItem | None
) -> bool:
    """Leave the full-text tables out of comparisons: SQLite makes five tables for each, no model has them."""
    return not (kind == "table" and name is not None and "_fts" in name)


connection = context.config.attributes.get("connection")
if connection is None:
    raise RuntimeError("run migrations through cffgraph (`cffgraph db upgrade`), which brings the connection")

context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    compare_type=True,
    compare_server_default=True,
    include_object=include_object,
)
with context.begin_transaction():
    context.run_migrations()
