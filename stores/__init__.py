"""What remembers: the catalogue, the vectors, the replies."""
