"""What the graphs are made of: one file per capability."""
