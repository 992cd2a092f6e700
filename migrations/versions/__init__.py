"""The revisions, oldest first: NNNN_words.py."""
