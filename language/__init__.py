"""What can be told of a text by its form."""
