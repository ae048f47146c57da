"""Indexing on a cluster: how the batches of a step are handed out to workers."""
