"""One function a citation format."""
