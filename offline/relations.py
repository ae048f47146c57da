"""Think-on-Graph without a model: scoring relations, judging sufficiency, writing clues."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..language.answer_types import roots
from ..language.questions import analyse_question
from ..prompts.prompt import Excerpt
from ..prompts.replies import Judgement
from .lines import Similarity
from .reading import read

_WORDS_WEIGHT = 0.6
_COSINE_WEIGHT = 0.4
_TYPE_BONUS = 0.2
_MOST_OTHERS = 5
_OPTION = re.compile(r"^(\S+) (.*) [→←] (.*)$", re.MULTILINE)
_TYPED = {"date": re.compile(r"(?<!\d)\d{3,4}(?!\d)"), "number": re.compile(r"\d")}


def relation_scores(
    question: str, clue: str, lines: str, cosines: Similarity | None = None
) -> dict[str, float]:
    """How much each relation that a prompt lists helps, in [0, 1] by its number.

    ``lines`` are such as "1.2 phrase → name; name", or "←" before names that it comes from. A score
    is 0.6 · the share of the phrase's words (or of a name) in the question and the clue, plus
    0.4 · the phrase's cosine, plus 0.2 where a name is of the kind asked for; without ``cosines``,
    words count for all.
    """
    answer_type = analyse_question(question).answer_type
    asked = frozenset(roots(f"{question} {clue}"))
    options = _OPTION.findall(lines)
    near = cosines([phrase for _, phrase, _ in options]) if cosines and options else None
    weight = _WORDS_WEIGHT if near is not None else _WORDS_WEIGHT + _COSINE_WEIGHT
    scores: dict[str, float] = {}
    for place, (id, phrase, names) in enumerate(options):
        others = names.split("; ")[:_MOST_OTHERS]
        words = max(_share(text, asked) for text in [phrase, *others])
        cosine = max(0.0, float(near[place])) if near is not None else 0.0
        fits = answer_type in _TYPED and any(_TYPED[answer_type].search(name) for name in others)
        score = weight * words + _COSINE_WEIGHT * cosine + _TYPE_BONUS * fits
        scores[id] = round(min(1.0, score), 4)
    return scores


def _share(text: str, asked: frozenset[str]) -> float:
    own = frozenset(roots(text))
    return len(own & asked) / len(own) if own else 0.0


def judge(question: str, passages: Sequence[Excerpt]) -> Judgement:
    """Whether ``passages``, best first, certainly answer ``question``; without a clue where not."""
    return Judgement(sufficient=read(question, passages).sufficient, clue="")
