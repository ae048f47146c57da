"""Nodes of the hoprag graph."""
