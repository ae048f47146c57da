"""Storage: the catalogue, vectors, readings and replies of an index, and loading of files."""
