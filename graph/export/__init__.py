"""One function a graph format."""
