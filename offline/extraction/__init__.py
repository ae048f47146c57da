"""Entities and relations by the form of a text."""
