"""The exceptions of cffgraph: what a caller must decide about.

    CffgraphError
    ├── DatabaseError   db/      no database, no database of ours, or one of another version
    ├── SourceError     crawler/ a source that cannot be understood or reached
    ├── ExportError     graph/   a file that cannot be written, a format that is not known
    └── DecisionError   db/      a decision about identities that cannot be taken as it is

A bad CITATION.cff is no exception: `cff.read` returns what it could read, and the problems.
The tree stands in `cff` because every room may import from it.
"""

from __future__ import annotations


class CffgraphError(Exception):
    """Any failure that the user is told in one line: what happened, to what, what to do."""


class DatabaseError(CffgraphError):
    """The database cannot be opened, made or upgraded."""


class SourceError(CffgraphError):
    """A source is not understood, not there, or not reachable."""


class ExportError(CffgraphError):
    """An export cannot be written."""


class DecisionError(CffgraphError):
    """A decision about identities, or a file of them, cannot be taken as it is; nothing was changed."""
