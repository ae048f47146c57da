"""Resolving names to entities (GraphRAG, ToG-2)."""
