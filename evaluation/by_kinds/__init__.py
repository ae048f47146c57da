"""The router by kinds of questions, which came before the cascade: a baseline to compare with."""
