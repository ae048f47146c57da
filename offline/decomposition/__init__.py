"""Splitting questions by their grammar."""
