"""Features of a question, and the decision on a method."""
