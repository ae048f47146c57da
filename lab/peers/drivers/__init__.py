"""Scripts that index and ask with a system each; they run with the system's own Python."""
