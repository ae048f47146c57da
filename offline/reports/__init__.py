"""Reports and points by extraction."""
