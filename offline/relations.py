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
_OPTION = re.compile(r"(\d+\.\d+) (.*)")
_TYPED = {"date": re.compile(r"(?<!\d)\d{3,4}(?!\d)"), "number": re.compile(r"\d")}


def relation_scores(
    question: str, clue: str, topic: str, lines: str, cosines: Similarity | None = None
) -> dict[str, float]:
    """How much each relation of ``topic`` that a prompt lists helps, in [0, 1] by its number.

    ``lines`` are statements, such as "1.2 Jaws won the Saturn Award.", some under a sentence. A
    score is 0.6 · the share of the question's and the clue's words in the sentence and statement
    (or of the statement's in these, without the topic's), plus 0.4 · the cosine, plus 0.2 where it
    has what is of the kind asked for; without ``cosines``, words count for all.
    """
    answer_type = analyse_question(question).answer_type
    asked = frozenset(roots(f"{question} {clue}"))
    options = list(_options(lines))
    told = [Compared(said or stated) for _, said, stated in options]
    near = cosines(told) if cosines and told else None
    weight = _WORDS_WEIGHT if near is not None else _WORDS_WEIGHT + _COSINE_WEIGHT
    scores: dict[str, float] = {}
    for place, (id, sentence, stated) in enumerate(options):
        led = stated.replace(topic, " ")
        said = frozenset(roots(f"{sentence} {led}"))
        own = frozenset(roots(led))
        words = max(len(a & b) / len(b) if b else 0.0 for a, b in ((said, asked), (asked, own)))
        cosine = max(0.0, float(near[place])) if near is not None else 0.0
        fits = answer_type in _TYPED and bool(_TYPED[answer_type].search(led))
        score = weight * words + _COSINE_WEIGHT * cosine + _TYPE_BONUS * fits
        scores[id] = round(min(1.0, score), 4)
    return scores


def _options(lines: str) -> Iterator[tuple[str, str, str]]:
    """The number of each relation, the sentence above it if any, and its statement."""
    sentence = ""
    for line in lines.splitlines():
        if option := _OPTION.fullmatch(line):
            yield option[1], sentence, option[2]
        else:
            sentence = line


def judge(question: str, texts: Sequence[Excerpt], clues: str = "") -> Judgement:
    """Whether ``texts``, best first, certainly answer ``question``; without a clue where not."""
    return Judgement(sufficient=read(question, texts).sufficient, clue="")
