"""Think-on-Graph without a model: scoring relations, judging sufficiency, writing clues."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..language.answer_types import roots
from ..language.questions import analyse_question
from ..prompts.prompt import Excerpt
from ..prompts.tog2_replies import Judgement
from .lines import Compared, Similarity
from .reading import read

_WORDS_WEIGHT = 0.6
_COSINE_WEIGHT = 0.4
_TYPE_BONUS = 0.2
_MOST_OTHERS = 5
_OPTION = re.compile(r"(\d+\.\d+) (.*)")
_TYPED = {"date": re.compile(r"(?<!\d)\d{3,4}(?!\d)"), "number": re.compile(r"\d")}


def relation_scores(
    question: str, clue: str, lines: str, cosines: Similarity | None = None
) -> dict[str, float]:
    """How much each relation that a prompt lists helps, in [0, 1] by its number.

    ``lines`` are sentences, and under each the entities that it leads to, such as "1.2 name; name".
    A score is 0.6 · the share of the question's and the clue's words in the sentence (or of a
    name's in these), plus 0.4 · the sentence's cosine, plus 0.2 where a name is of the kind asked
    for; without ``cosines``, words count for all.
    """
    answer_type = analyse_question(question).answer_type
    asked = frozenset(roots(f"{question} {clue}"))
    options = list(_options(lines))
    near = (
        cosines([Compared(sentence) for _, sentence, _ in options]) if cosines and options else None
    )
    weight = _WORDS_WEIGHT if near is not None else _WORDS_WEIGHT + _COSINE_WEIGHT
    scores: dict[str, float] = {}
    for place, (id, sentence, names) in enumerate(options):
        others = names.split("; ")[:_MOST_OTHERS]
        said = frozenset(roots(sentence))
        words = max(
            len(said & asked) / len(asked) if asked else 0.0, *(_share(o, asked) for o in others)
        )
        cosine = max(0.0, float(near[place])) if near is not None else 0.0
        fits = answer_type in _TYPED and any(_TYPED[answer_type].search(name) for name in others)
        score = weight * words + _COSINE_WEIGHT * cosine + _TYPE_BONUS * fits
        scores[id] = round(min(1.0, score), 4)
    return scores


def _options(lines: str) -> Iterator[tuple[str, str, str]]:
    """The number of each relation, the sentence above it, and the names it leads to."""
    sentence = ""
    for line in lines.splitlines():
        if option := _OPTION.fullmatch(line):
            yield option[1], sentence, option[2]
        else:
            sentence = line


def _share(text: str, asked: frozenset[str]) -> float:
    own = frozenset(roots(text))
    return len(own & asked) / len(own) if own else 0.0


def judge(question: str, passages: Sequence[Excerpt]) -> Judgement:
    """Whether ``passages``, best first, certainly answer ``question``; without a clue where not."""
    return Judgement(sufficient=read(question, passages).sufficient, clue="")
