"""The size from which an index counts as large, and what is left out of one."""

from __future__ import annotations

from collections.abc import Mapping

FLAT_FROM = 20_000  # passages; questions and edges are compared with their nearest neighbours alone


def rarest(counts: Mapping[str, int], most: int) -> list[str]:
    """The rarest terms that at most ``most`` passages hold together, and at least one."""
    kept, together = list[str](), 0
    for term in sorted(counts, key=lambda term: (counts[term], term)):
        together += counts[term]
        if kept and together > most:
            break
        kept.append(term)
    return kept
