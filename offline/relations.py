"""Think-on-Graph without a model: scoring relations, judging sufficiency, writing clues."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..language.analyser import STOP_WORDS, content_words, strip_particle
from ..language.answer_types import roots
from ..language.questions import analyse_question
from ..prompts.prompt import Excerpt
from ..prompts.replies import Judgement
from .reading import Similarity, read

_WORDS_WEIGHT = 0.6
_COSINE_WEIGHT = 0.4
_TYPE_BONUS = 0.2
_LEAST_COVERED = 0.9
_MOST_OTHERS = 5
_LONGEST_CLUE = 8
_OPTION = re.compile(r"^(\S+) (.*) [→←] (.*)$", re.MULTILINE)
_TYPED = {"date": re.compile(r"(?<!\d)\d{3,4}(?!\d)"), "number": re.compile(r"\d")}


def relation_scores(
    question: str, clue: str, lines: str, cosines: Similarity | None = None
) -> dict[str, float]:
    """How much each relation that a prompt lists helps, in [0, 1] by its number.

    ``lines`` are such as "1.2 phrase → name; name", or with "←" before the names that a relation
    comes from. A score is 0.6 · the share of the phrase's words (or of a name) in the question
    and the clue, plus 0.4 · the cosine of the phrase with them, plus 0.2 where a name is of the
    kind asked for. Without ``cosines`` words count for all.
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


def judge(
    question: str, passages: Sequence[Excerpt], similarity: Similarity | None = None
) -> Judgement:
    """Whether ``passages``, best first, suffice to answer ``question``.

    They do when an answer of the kind asked for stands close to the question's words (``read``),
    and its quotes and their titles cover most of the question. Else the clue is a search query of
    the words that they do not cover, or of all where they cover them.
    """
    found = read(question, passages, similarity)
    titles = {passage["id"]: passage["title"] for passage in passages}
    told = [quote.quote for quote in found.quotes]
    told += [titles[quote.id] for quote in found.quotes]
    missing, share = uncovered(question, told)
    if found.sufficient and found.answer and share >= _LEAST_COVERED:
        return Judgement(sufficient=True, clue="")
    wanted = missing or list(dict.fromkeys(content_words(question)))
    return Judgement(sufficient=False, clue=" ".join(wanted[:_LONGEST_CLUE]))


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
