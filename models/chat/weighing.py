"""Grades between the steps, by the probabilities of the digits that a model thought of."""

from __future__ import annotations

import math
import re
from typing import Any

_TOP = 5
_FIELD = 20  # characters before a grade
ASKED = {"logprobs": True, "top_logprobs": _TOP}  # fields of OpenAI's protocol
_BEFORE = re.compile(r'"grade"\s*:\s*$')
_STEP = re.compile(r"\s*[0-4]\s*")


def weighed(text: str, tokens: Any) -> str:
    """``text`` with every grade that is one of the ``tokens`` replaced by the mean of its digits.

    A grade of 3 that had as much chance to be a 4 becomes 3.5. The text stays as it is where the
    server does not tell its tokens.

    >>> weighed('{"grade": 3}', tokens)
    '{"grade": 3.5}'
    """
    listed = [one for one in tokens or () if isinstance(one, dict)]
    words = [str(one.get("token") or "") for one in listed]
    told = "".join(words)  # llama.cpp tells those of a fence around the text as well
    start = told.find(text)
    if start < 0 or not told:
        return text
    said = ""
    for word, following, one in zip(words, [*words[1:], ""], listed, strict=True):
        is_whole = _STEP.fullmatch(word) and not re.match(r"[\d.]", following)
        is_grade = is_whole and _BEFORE.search(said[-_FIELD:])
        said += _mean(word, one) if is_grade else word
    return said[start : len(said) - (len(told) - start - len(text))]


def _mean(word: str, token: dict[str, Any]) -> str:
    """The mean of the step ``word`` and of the others that might have stood in its place."""
    top = token.get("top_logprobs")
    chances = {
        int(one["token"]): math.exp(min(one["logprob"], 0))
        for one in [*(top if isinstance(top, list) else ()), token]
        if isinstance(one, dict)
        and isinstance(one.get("logprob"), int | float)
        and _STEP.fullmatch(str(one.get("token")))
    }
    whole = sum(chances.values())
    if not whole:
        return word
    mean = sum(step * chance for step, chance in chances.items()) / whole
    return word.replace(word.strip(), f"{mean:.2f}")
