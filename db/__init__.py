"""STORE: the tables, and all the SQL there is."""
