"""Methods compared by a judge, on questions about the whole (GraphRAG's evaluation)."""
