"""GRAPH: rows become networks."""
