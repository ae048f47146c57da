"""CRAG (Yan et al. 2024, arXiv 2401.15884)."""
