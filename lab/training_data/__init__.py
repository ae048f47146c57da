"""Training data for small models, made of question sets and their gold answers."""
