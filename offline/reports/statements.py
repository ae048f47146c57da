"""Sentences that can stand alone in a report or an answer, and choosing among them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...algorithms.similarity import jaccard
from ...language.analyser import is_korean, sentences
from ...language.answer_types import roots

_MARKUP = re.compile(r"(?<!\w)[_*]+|[_*]+(?!\w)")
_EDGES = re.compile(r"^[\s#>•·*-]+|\s+$")
_MARKS = {"'": "'", '"': '"', "‘": "’", "“": "”", "(": ")", "[": "]"}
_LEANING = re.compile(
    r"(?:he|she|it|they|this|that|these|those|his|her|its|their|there|here|such|one|some|others?|"
    r"and|but|or|nor|for|so|then|thus|yet|still|also|again|therefore|however|moreover|which|who|"
    r"whom|whose|what|why|how|no|yes|oh|well|if)\b|"
    r"(?:그(?:는|가|의|녀|들|곳|러나|리고|래서|때|뒤|중)?|이(?:는|것|곳|들|에)?|또한?|하지만|따라서|"
    r"한편|오늘날에는|처음에는)(?=\s)",
    re.IGNORECASE,
)
_TALK = re.compile(r"\b(?:I|me|my|mine|we|us|our|you|your|yours|thou|thy|thee)\b|['‘\"“]\w")
_ASKING = re.compile(r"[?!？！]$")
_ENDED = re.compile(r"[.!?…。？！]['’\"”)\]]*$")
_CUT = "…"
_OVERVIEW = re.compile(r"This is about [^.]+\.$|.*에 관한 내용이다\.$")
_FEWEST_WORDS = 5
_FEWEST_EOJEOL = 3
_SHORT = 6
_LONG = 28
_NEAR = 0.5


def statements(text: str) -> list[str]:
    """The sentences of ``text`` without markup and stray quotation marks, each once.

    Each opens with a capital letter and ends in a full stop or the like; headings, names and other
    fragments are left out, and so is what says only what a report is about.
    """
    found: dict[str, None] = {}
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            continue
        for span in sentences(line):
            cleaned = _cleaned(span.text)
            if _is_whole(cleaned):
                found[sentence_case(cleaned)] = None
    return list(found)


def standing(sentence: str) -> float:
    """How well a sentence reads without those around it, in (0, 1].

    Less for one that leans on another ("He ...", "But ..."), for speech and questions, and for one
    that is cut off, very short or very long.
    """
    score = 1.0
    if _LEANING.match(sentence):
        score *= 0.5
    if _TALK.search(sentence):
        score *= 0.35
    if _ASKING.search(sentence):
        score *= 0.5
    if sentence.endswith(_CUT):
        score *= 0.2
    length = len(sentence.split())
    if length < _SHORT and not is_korean(sentence):
        score *= 0.7
    return score * min(1.0, _LONG / length) if length else 0.0


def sentence_case(text: str) -> str:
    """``text`` with a capital letter first and a full stop last."""
    trimmed = " ".join(text.split()).rstrip(" ,;:—–-")
    if not trimmed:
        return ""
    whole = trimmed[0].upper() + trimmed[1:]
    return whole if _ENDED.search(whole) else whole + "."


def is_like(sentence: str, others: Iterable[str]) -> bool:
    """Whether one of ``others`` says nearly the same, by the roots of their words."""
    own = frozenset(roots(sentence))
    for other in others:
        theirs = frozenset(roots(other))
        if jaccard(own, theirs) > _NEAR or (own and own <= theirs):
            return True
    return False


def distinct(ranked: Sequence[int], texts: Sequence[str], most: int) -> list[int]:
    """The first ``most`` of ``ranked`` whose texts are not like those of earlier ones."""
    kept: list[int] = []
    for place in ranked:
        if len(kept) == most:
            break
        if not is_like(texts[place], (texts[other] for other in kept)):
            kept.append(place)
    return kept


def _cleaned(sentence: str) -> str:
    text = _EDGES.sub("", " ".join(_MARKUP.sub("", sentence).split()))
    for opening, closing in _MARKS.items():
        text = _balanced(text, opening, closing)
    return text.strip()


def _balanced(text: str, opening: str, closing: str) -> str:
    """Without a mark at an end whose other half is not there, and without marks around it all."""
    letters = re.escape(opening), re.escape(closing)
    opens = len(re.findall(rf"(?<!\w){letters[0]}(?=\w)", text))
    closes = len(re.findall(rf"(?<=[\w.,!?…-]){letters[1]}(?!\w)", text))
    if text.startswith(opening) and opens != closes:
        text = text[1:]
    elif text.endswith(closing) and opens != closes:
        text = text[:-1]
    elif text.startswith(opening) and text.endswith(closing) and opens == closes == 1:
        text = text[1:-1]
    return text


def _is_whole(text: str) -> bool:
    if _OVERVIEW.match(text):
        return False
    words = text.split()
    fewest = _FEWEST_EOJEOL if is_korean(text) else _FEWEST_WORDS
    if len(words) < fewest or not (text[0].isalnum() or text[0] in _MARKS):
        return False
    return not text.isupper() and bool(_ENDED.search(text)) and not text[0].islower()
