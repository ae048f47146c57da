"""Nodes of the graphrag graph."""
