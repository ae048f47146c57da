"""HopRAG (Liu et al. 2025, arXiv 2502.12442)."""
