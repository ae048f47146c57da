"""Semantic bridging (LinearRAG, Zhuang et al. 2026, arXiv 2510.10114)."""
