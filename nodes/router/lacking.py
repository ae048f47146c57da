"""Telling an insufficient answer's lack by the question, the cited texts and the entities."""

from __future__ import annotations

from ...algorithms.router.decision import Lack
from ...index.entities import named_topics
from ...index.opening import Index
from ...language.mentions import key, question_mentions
from ...offline.decomposition.decompose import decompose
from ...state.found import Found
from ...state.places import place_of


def parts_of(question: str) -> int:
    """The number of facts that ``question`` asks for side by side, told by its grammar."""
    return sum(not part.depends_on for part in decompose(question))


def lack_of(index: Index | None, question: str, parts: int, found: Found) -> Lack:
    """Lack of the answer in ``found`` to ``question``, which has so many ``parts``. Blocks.

    A fact about something that the cited texts name, and the question does not, can be looked up.
    One about things that the question names was searched for already: their relation is asked for
    where several are entities of ``index`` (None: an index without such), else a text in between.
    """
    missing = " ".join(found["missing"])
    if parts > 1 or len(found["missing"]) > 1:
        return "parts"
    told = key(" ".join(f"{place_of(one)} {one['quote']}" for one in found["citations"]))
    asked = key(question)
    names = {key(missing[one.start : one.end]) for one in question_mentions(missing)}
    known = {name for name in names if name in asked}
    if not known or any(name in told or not told for name in names - known):
        return "fact"
    named = named_topics(index, missing) if index else []
    return "relation" if len({one["entity"] for one in named}) > 1 else "bridge"
