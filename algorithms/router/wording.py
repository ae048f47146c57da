"""Words of a question, English or Korean, that a classifier learns the weight of."""

from __future__ import annotations

import re
from itertools import pairwise

_PIECES = re.compile(r"[a-z']+|[가-힣]+|\d+|[?.,]")
_KOREAN = re.compile(r"[가-힣]")
_ENDING, _STEM = 4, 3


def wording(text: str) -> set[str]:
    """The words of ``text``, each led by "=", and what Korean ones begin and end with.

    English words count in pairs as well, with the marks beside them and the bounds of the text
    ("=^ how"); of a text without English the last two letters of neighbours ("=는 -면 -").
    """
    pieces = _PIECES.findall(text.lower())
    english = [piece for piece in pieces if piece[0] in "'abcdefghijklmnopqrstuvwxyz"]
    found = {f"={word}" for word in english}
    if english:
        found |= {f"={one} {next}" for one, next in pairwise(["^", *pieces, "$"])}
    else:
        ends = [*(piece[-2:] for piece in pieces), "$"]
        found |= {f"={one}- {next}-" for one, next in pairwise(ends)}
    for word in filter(_KOREAN.match, pieces):
        found |= {f"=-{word[-size:]}" for size in range(1, min(_ENDING, len(word)) + 1)}
        found |= {f"={word[:size]}-" for size in range(2, min(_STEM, len(word)) + 1)}
    return found
