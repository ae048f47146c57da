"""The size from which an index counts as large."""

FLAT_FROM = 20_000  # passages; questions and edges are compared with their nearest neighbours alone
