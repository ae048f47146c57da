"""Nodes of the index graph."""
