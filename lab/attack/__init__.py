"""Attacks on the package itself.

``python -m lab.attack``: generated replies of a model, requests to a server, files to index, and
kills.
"""
