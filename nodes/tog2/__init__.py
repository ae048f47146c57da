"""Nodes of the tog2 graph."""
