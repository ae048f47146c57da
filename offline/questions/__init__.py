"""Questions that a passage answers and raises."""
