"""FETCH: sources, and the loop that crawls them."""
