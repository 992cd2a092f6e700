"""ANSWER: one file a command."""
