"""GraphRAG (Edge et al. 2024, arXiv 2404.16130)."""
