"""DeepRAG (Guan et al. 2025, arXiv 2502.01142)."""
