"""The edges of before that still hold, once some passages have changed (HopRAG)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...language.analyser import keywords
from ..packed_texts import PackedTexts
from .edges import NO_INTS, NO_PAIRS, Pairs
from .keyword_index import Ints, KeywordSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .graph import Questioned

    Arrays = Mapping[str, NDArray[Any]]

_CODES, _ENDS = "question_codes", "question_code_ends"
_ASKED, _ANSWERED = ("asked_by", "asked_text"), ("answered_by", "answered_text")
_BEST, _SIMILARITY = "best", "best_similarity"


def carried_keywords(before: Arrays, questions: PackedTexts) -> KeywordSets:
    """The keyword set of each of ``questions``; those that the arrays ``before`` have, from there.

    ``before`` may be empty.
    """
    known, places = KeywordSets.of([]), np.full(len(questions), -1, dtype=np.int64)
    if _CODES in before:
        known = KeywordSets(before[_CODES], before[_ENDS])
        places = _places(PackedTexts.from_arrays(before, "questions").codes(), questions.codes())
    new = np.flatnonzero(places < 0)
    read = KeywordSets.of(keywords(questions[int(number)]) for number in new)
    places[new] = len(known) + np.arange(len(new))
    return known.and_then(read).take(places)


def carried_pairs(before: Arrays, asked: Questioned) -> tuple[Pairs, Ints]:
    """The pairs of ``before`` both of whose questions are still asked by the same passages.

    Beside them the in-coming questions that were not there before. With neither where ``before``
    has no pairs.
    """
    if _BEST not in before:
        return NO_PAIRS, NO_INTS
    count = len(asked.questions)
    text = _places(asked.questions.codes(), PackedTexts.from_arrays(before, "questions").codes())
    vertex = _places(asked.ids.codes(), PackedTexts.from_arrays(before, "ids").codes())

    def keys(by: str, texts: str) -> Ints:
        passages, numbers = vertex[before[by]], text[before[texts]]
        return np.where((passages < 0) | (numbers < 0), -1, passages * count + numbers)

    outgoing = asked.outgoing.passages * count + asked.outgoing.texts
    incoming = asked.incoming.passages * count + asked.incoming.texts
    answered = keys(*_ANSWERED)
    rows = _places(keys(*_ASKED), outgoing)
    best = np.append(before[_BEST], -1)[rows]  # −1 is the last, too
    moved = np.append(_places(incoming, answered), -1)[best]
    known = np.flatnonzero(moved >= 0)
    pairs = Pairs(known, moved[known], before[_SIMILARITY][rows[known]])
    return pairs, np.flatnonzero(~np.isin(incoming, answered))


def keywords_to_arrays(words: KeywordSets) -> dict[str, NDArray[Any]]:
    """The arrays from which ``carried_keywords`` takes over the keywords of all questions."""
    return {_CODES: words.codes, _ENDS: words.ends}


def pairs_to_arrays(asked: Questioned, pairs: Pairs) -> dict[str, NDArray[Any]]:
    """The arrays from which ``carried_pairs`` takes ``pairs``, beside the graph's arrays."""
    best = np.full(len(asked.outgoing.passages), -1, dtype=np.int32)
    similarity = np.zeros(len(best))
    best[pairs.outgoing], similarity[pairs.outgoing] = pairs.incoming, pairs.similarity
    numbers = {
        name: numbers.astype(np.int32)
        for names, often in ((_ASKED, asked.outgoing), (_ANSWERED, asked.incoming))
        for name, numbers in zip(names, (often.passages, often.texts), strict=True)
    }
    return {_BEST: best, _SIMILARITY: similarity, **numbers}


def _places(known: NDArray[Any], wanted: NDArray[Any]) -> Ints:
    """The first place in ``known`` of each that is ``wanted``; −1 where it is not there."""
    order = np.argsort(known, kind="stable")
    at = np.searchsorted(known, wanted, sorter=order)
    found = np.full(len(wanted), -1, dtype=np.int64)
    inside = np.flatnonzero(at < len(known))
    inside = inside[known[order[at[inside]]] == wanted[inside]]
    found[inside] = order[at[inside]]
    return found
