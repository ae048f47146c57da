"""Nodes of the router graph."""
