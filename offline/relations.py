"""Think-on-Graph without a model: scoring relations, judging sufficiency, writing clues."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..language.analyser import STOP_WORDS, content_words, strip_particle
from ..language.answer_types import roots
from ..language.questions import QuestionShape, analyse_question
from ..state.tog2 import RelationOption
from .reading import Quote, Similarity, Source, read

Cosines = Callable[[list[str]], Sequence[float]]

_WORDS_WEIGHT = 0.6
_COSINE_WEIGHT = 0.4
_TYPE_BONUS = 0.2
_LEAST_COVERED = 0.9
_MOST_OTHERS = 5
_LONGEST_CLUE = 8
_OPTION = re.compile(r"^(\S+) (.*) ([→←]) (.*)$", re.MULTILINE)
_YEAR = re.compile(r"(?<!\d)\d{3,4}(?!\d)")


class Verdict(NamedTuple):
    """Whether passages answer a question, and if not, what to look for.

    ``clue`` is a search query of what the quotes do not say (of the whole question, if they say
    it all), empty when ``sufficient``; ``quotes`` support ``answer``, the best there is.
    """

    sufficient: bool
    answer: str
    clue: str
    confidence: float
    quotes: tuple[Quote, ...]


def relation_scores(
    question: str,
    clue: str,
    options: Sequence[RelationOption],
    names: Mapping[str, str],
    cosines: Cosines | None = None,
) -> dict[str, float]:
    """How much each option helps, in [0, 1] by option id.

    0.6 · the share of its phrase's words (or of a name it leads to) in the question and the clue,
    plus 0.4 · the cosine of its phrase with them, plus 0.2 where it leads to the kind of thing
    asked for. ``names`` are those of the entities; ``cosines`` compares phrases with question and
    clue, and without it words count for all.
    """
    shape = analyse_question(question)
    asked = frozenset(roots(f"{question} {clue}"))
    near = cosines([option["phrase"] for option in options]) if cosines and options else None
    weight = _WORDS_WEIGHT if near is not None else _WORDS_WEIGHT + _COSINE_WEIGHT
    scores: dict[str, float] = {}
    for place, option in enumerate(options):
        others = [names.get(other, "") for other in option["others"][:_MOST_OTHERS]]
        words = max(_share(text, asked) for text in [option["phrase"], *others])
        cosine = max(0.0, float(near[place])) if near is not None else 0.0
        bonus = _TYPE_BONUS * _leads_to_type(shape, others)
        scores[option["id"]] = round(min(1.0, weight * words + _COSINE_WEIGHT * cosine + bonus), 4)
    return scores


def read_options(topic: str, lines: str) -> tuple[list[RelationOption], dict[str, str]]:
    """The options that a prompt lists as "1.2 phrase → name; name", and the names in them.

    "←" stands before the names that a relation comes from. Entities go by their names here.
    """
    options: list[RelationOption] = []
    names = {topic: topic}
    for id, phrase, arrow, others in _OPTION.findall(lines):
        ends = others.split("; ")
        names.update((name, name) for name in ends)
        options.append(
            {
                "id": id,
                "topic": topic,
                "phrase": phrase,
                "direction": "out" if arrow == "→" else "in",
                "edges": ends,
                "others": ends,
            }
        )
    return options, names


def _share(text: str, asked: frozenset[str]) -> float:
    own = frozenset(roots(text))
    return len(own & asked) / len(own) if own else 0.0


def _leads_to_type(shape: QuestionShape, others: Iterable[str]) -> bool:
    """Whether an end can be told by its form to be of the kind that the question asks for."""
    named = list(others)
    if shape.answer_type == "date":
        return any(_YEAR.search(name) for name in named)
    if shape.answer_type == "number":
        return any(any(map(str.isdigit, name)) for name in named)
    return False


def judge(
    question: str, passages: Sequence[Source], similarity: Similarity | None = None
) -> Verdict:
    """Read ``passages``, best first, and say whether they suffice.

    They do when an answer of the kind asked for stands close to what the question says of it
    (``reading.read``), and its quotes and their titles cover most of the question.
    """
    found = read(question, passages, similarity)
    titles = {source.id: source.title for source in passages}
    told = [quote.text for quote in found.quotes]
    told += [titles.get(quote.passage, "") for quote in found.quotes]
    missing, share = uncovered(question, told)
    sufficient = found.sufficient and bool(found.answer) and share >= _LEAST_COVERED
    wanted = missing or list(dict.fromkeys(content_words(question)))
    clue = "" if sufficient else " ".join(wanted[:_LONGEST_CLUE])
    return Verdict(sufficient, found.answer, clue, found.confidence, found.quotes)


def uncovered(question: str, texts: Iterable[str]) -> tuple[list[str], float]:
    """The question's content words that ``texts`` do not say, as written and in order, and the
    share in [0, 1] of its words that they do say."""
    shape = analyse_question(question)
    held = frozenset(roots(" ".join(texts)))
    missing: list[str] = []
    total = 0
    for word in content_words(question):
        own = frozenset(roots(word)) & shape.terms
        if not own:
            continue
        total += 1
        if own.isdisjoint(held):
            missing.append(strip_particle(re.sub(r"['’]s$", "", word)))
    found = [word for word in dict.fromkeys(missing) if word.lower() not in STOP_WORDS]
    return found, 1.0 if not total else 1 - len(missing) / total
