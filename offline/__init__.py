"""The reader without a language model."""
