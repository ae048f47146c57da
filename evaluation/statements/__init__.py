"""Answers taken apart into statements: claims, their support, and statements of gold answers."""
