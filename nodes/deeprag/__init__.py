"""Nodes of the deeprag graph."""
