"""Think-on-Graph 2.0 (Ma et al. 2024, arXiv 2407.10805)."""
