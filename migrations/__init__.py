"""Alembic: the environment, and one file a revision of the schema."""
