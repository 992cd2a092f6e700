"""READ: bytes become a typed record of the file, with its problems. Pure."""
