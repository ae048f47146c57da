"""Nodes of the crag graph."""
