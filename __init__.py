"""cffgraph: CITATION.cff files become a graph of software, papers and the people behind both.

The rooms of the house, in the order in which data passes through them: `cff` reads one file,
`crawler` fetches files, `db` keeps them, `resolve` works out who and what they speak of,
`graph` turns the answers into networks, `cli` answers at the prompt.
"""

__version__ = "0.1.0"
