"""Searching for passages: by their very words first, then by what they mean."""

from __future__ import annotations

from itertools import islice
from typing import Any

from ..index.opening import Index
from ..index.retrieval import search
from ..state.records import Passage
from .quotation import shown


def found_passages(index: Index, containing: str, most: int) -> list[dict[str, Any]]:
    """At most ``most`` passages that have the words ``containing``, then those nearest to them.

    ``exact`` tells which have the very words in a row. Without words, the first of the index.
    Blocks. Raises RagraphsError.
    """
    words = containing.strip()
    if not words:
        return [_row(one, exact=False) for one in islice(index.catalogue.all_passages(), most)]
    exact = list(islice(index.catalogue.holding(words), most))
    found = [_row(one, exact=True) for one in exact]
    if len(found) < most:
        known = {one["id"] for one in exact}
        near = search(index, words, "auto", most)
        found += [_row(one, exact=False) for one in near if one["id"] not in known]
    return found[:most]


def _row(passage: Passage, *, exact: bool) -> dict[str, Any]:
    return {**shown(passage), "exact": exact}
