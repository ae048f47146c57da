"""Reading files."""
