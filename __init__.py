"""Five retrieval-augmented generation methods as LangGraph graphs over one index."""
