"""Answering a question about a whole corpus without a model: GraphRAG's map and reduce steps."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from ...language.analyser import STOP_WORDS
from ...language.answer_types import roots
from ...language.questions import analyse_question
from .statements import distinct, sentence_case, standing, statements

Similarity = Callable[[list[str]], Sequence[float]]

_BROAD = frozenset(
    roots(
        """main key major central important most top principal overall general broad common
        theme topic subject matter idea issue point aspect event story tale book novel text document
        corpus collection dataset article passage report summary summarise summarize overview
        describe explain discuss outline list tell happen people person character figure place
        entity thing content gist learn know data source material narrative work whole across
        recurring relate relationship
        주제 주요 주된 중심 핵심 중요 중요한 전체 전반 이야기 내용 요약 요약해 설명 설명해 정리
        정리해 글 문서 자료 책 소설 인물 등장인물 사람 사건 무엇 관계 주세요 알려 알려줘 대해
        관한"""
    )
)
_MARKER = re.compile(r"^\s*(?:[-*•#]+|\d+[.)])\s*|\s*\[[^\]]*\]\s*$")
_WORD = re.compile(r"[^\W_]")
_MOST_POINTS = 12
_BROAD_PER_TEXT = 2
_PER_TEXT = 4
_LEAST_COSINE = 0.45
_LEAST_COVERED = 0.25
_COSINE_WEIGHT = 0.4
_TYPICAL_SENTENCES = 6
_TELLING = 5
_MOST_SENTENCES = 7
_MOST_WORDS = 150


class Point(NamedTuple):
    """What a report says to a question; ``score`` in (0, 100] is how much it helps."""

    point: str
    score: float
    evidence: list[str]


@dataclass(frozen=True)
class _Statement:
    """A sentence of a report: the ``place`` it has there, and how many others there are."""

    text: str
    report: str
    title: str
    place: int
    count: int


def write_points(
    question: str,
    texts: Sequence[tuple[str, str, str]],
    similarity: Similarity | None = None,
) -> list[Point]:
    """The best points for ``question`` in these reports: id, title, and text with a finding a line.

    ``similarity`` gives the cosines of sentences with the question. A broad question gets what is
    most central in each report; any other one nothing from reports that have nothing to do with it,
    and what has no word at all gets nothing.
    """
    if not _WORD.search(question):
        return []
    said = [one for id, title, text in texts for one in _statements(id, title, text)]
    wanted = particular(question)
    cosines = similarity([one.text for one in said]) if similarity and said else None
    if wanted:
        scores = _relevance(said, wanted, cosines)
    else:
        shared = _shared(said)
        scores = [
            _centrality(one, shared[place], 0.0 if cosines is None else float(cosines[place]))
            for place, one in enumerate(said)
        ]
    order = sorted(
        (place for place, score in enumerate(scores) if score > 0),
        key=lambda place: (-scores[place], place),
    )
    few = _per_report(order, said, _PER_TEXT if wanted else _BROAD_PER_TEXT)
    kept = distinct(few, [one.text for one in said], _MOST_POINTS)
    return [
        Point(said[place].text, max(1.0, round(scores[place])), [said[place].report])
        for place in kept
    ]


def combine_points(question: str, points: Sequence[tuple[str, str]]) -> tuple[str, list[str]]:
    """An answer from points, the best first, each an id and a text; and the ids that are used.

    Points that say nearly the same are used once. Empty without points.
    """
    said = [
        (id, sentence)
        for id, text in points
        for sentence in statements(text) or [sentence_case(text)]
    ]
    texts = [sentence for _, sentence in said]
    kept = distinct(range(len(said)), texts, _MOST_SENTENCES)
    lengths = list(accumulate(len(texts[place].split()) for place in kept))
    kept = [
        place for place, length in zip(kept, lengths, strict=True) if length <= _MOST_WORDS
    ] or kept[:1]
    used = dict.fromkeys(said[place][0] for place in kept)
    return " ".join(texts[place] for place in kept), list(used)


def particular(question: str) -> frozenset[str]:
    """The roots of a question that are about something: without those of any broad question."""
    shape = analyse_question(question)
    return frozenset(term for term in shape.terms if term not in _BROAD and term not in STOP_WORDS)


def _statements(id: str, title: str, text: str) -> list[_Statement]:
    name = title.partition(": ")[2] or title
    lines = [_MARKER.sub("", line).strip() for line in text.splitlines()]
    whole = "\n\n".join(line for line in lines if line and line not in {title, name})
    found = statements(whole)
    return [
        _Statement(sentence, id, name, place, len(found)) for place, sentence in enumerate(found)
    ]


def _relevance(
    said: Sequence[_Statement], wanted: frozenset[str], cosines: Sequence[float] | None
) -> list[float]:
    """0..100: the share of the question's words that a sentence or its report's title says, rare
    ones counting more, and its cosine with the question."""
    own = [frozenset(roots(one.text)) for one in said]
    titles = [frozenset(roots(one.title)) for one in said]
    weights = _rarity(wanted, own)
    scores: list[float] = []
    for place, one in enumerate(said):
        covered = sum(
            weight * (1.0 if term in own[place] else 0.5 * (term in titles[place]))
            for term, weight in weights.items()
        ) / sum(weights.values())
        cosine = 0.0 if cosines is None else max(0.0, float(cosines[place]))
        if covered < _LEAST_COVERED and cosine < _LEAST_COSINE:
            scores.append(0.0)
            continue
        score = covered
        if cosines is not None:
            score = (1 - _COSINE_WEIGHT) * covered + _COSINE_WEIGHT * cosine
        scores.append(100 * min(1.0, score) * (0.7 + 0.3 * standing(one.text)))
    return scores


def _rarity(wanted: frozenset[str], texts: Sequence[frozenset[str]]) -> Mapping[str, float]:
    counts = Counter(term for text in texts for term in text & wanted)
    return {term: math.log(1 + (len(texts) + 1) / (0.5 + counts[term])) for term in sorted(wanted)}


def _centrality(one: _Statement, shared: float, cosine: float) -> float:
    """0..100: more for what stands early in a report, in a long report, says what others speak of
    too, and reads well alone."""
    size = one.count / (one.count + _TYPICAL_SENTENCES)
    early = 1 / (1 + 0.15 * one.place)
    near = (1 + 0.3 * max(0.0, cosine)) / 1.3
    return 100 * standing(one.text) * early * near * (0.25 + 0.35 * size + 0.4 * shared)


def _shared(said: Sequence[_Statement]) -> list[float]:
    """In 0..1, how much of each sentence's commonest words is as common as any in all of them."""
    own = [frozenset(roots(one.text)) for one in said]
    counts = Counter(term for terms in own for term in terms)
    most = math.log1p(max(counts.values(), default=1))
    return [
        sum(sorted((math.log1p(counts[term]) for term in terms), reverse=True)[:_TELLING])
        / (_TELLING * most)
        for terms in own
    ]


def _per_report(order: Sequence[int], said: Sequence[_Statement], most: int) -> list[int]:
    taken: Counter[str] = Counter()
    kept: list[int] = []
    for place in order:
        if taken[said[place].report] < most:
            taken[said[place].report] += 1
            kept.append(place)
    return kept
