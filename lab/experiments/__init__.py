"""Experiments on the methods: the router against them, CRAG without its parts, and others."""
