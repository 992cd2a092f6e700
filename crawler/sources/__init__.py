"""One file a kind of place."""
