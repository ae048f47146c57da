"""Making a question set from an index: a model writes questions, and checks them blindly."""
