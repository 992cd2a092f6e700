"""RESOLVE: mentions become authors, records become works."""
