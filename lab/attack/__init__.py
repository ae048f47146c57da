"""Attacks on the package itself; not part of the wheel.

``python -m ragraphs.evaluation.attack``: generated replies of a model, requests to a server, files
to index, and kills.
"""
