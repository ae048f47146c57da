"""The compiled graphs, one file each."""
