"""Answering a question about a whole corpus without a model: GraphRAG's map and reduce steps."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ...language.analyser import STOP_WORDS
from ...language.answer_types import roots
from ...language.questions import analyse_question
from ...prompts.graphrag_replies import CombinedAnswer, ReplyPoint
from ...prompts.prompt import Excerpt
from ..lines import Similarity
from .statements import distinct, sentence_case, standing, statements

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


@dataclass(frozen=True)
class _Statement:
    """A sentence of a report: the ``place`` it has there, and how many others there are."""

    text: str
    report: str
    title: str
    place: int
    count: int


def write_points(
    question: str, texts: Sequence[Excerpt], similarity: Similarity | None = None
) -> list[ReplyPoint]:
    """The points of the reports ``texts`` for ``question``, the best first.

    ``similarity`` gives the cosines of sentences with the question. A broad question gets the most
    central sentences of each report; any other one nothing from reports that do not concern it.
    A question without a word gets nothing.
    """
    if not _WORD.search(question):
        return []
    said = [one for text in texts for one in _statements(text)]
    wanted = particular(question)
    near = [0.0] * len(said)
    if similarity and said:
        near = [max(0.0, float(cosine)) for cosine in similarity([one.text for one in said])]
    weight = _COSINE_WEIGHT if similarity else 0.0
    scores = _relevance(said, wanted, near, weight) if wanted else _centrality(said, near)
    helpful = (place for place, score in enumerate(scores) if score > 0)
    order = sorted(helpful, key=lambda place: -scores[place])
    few = _per_report(order, said, _PER_TEXT if wanted else _BROAD_PER_TEXT)
    kept = distinct(few, [one.text for one in said], _MOST_POINTS)
    return [
        ReplyPoint(
            point=said[place].text,
            score=max(1.0, round(scores[place])),
            evidence=[said[place].report],
        )
        for place in kept
    ]


def combine_points(points: Sequence[Excerpt]) -> CombinedAnswer:
    """An answer made of ``points``, the best first; points that say nearly the same count once."""
    said = [
        (point["id"], sentence)
        for point in points
        for sentence in statements(point["text"]) or [sentence_case(point["text"])]
    ]
    texts = [sentence for _, sentence in said]
    kept = distinct(range(len(said)), texts, _MOST_SENTENCES)
    lengths = accumulate(len(texts[place].split()) for place in kept)
    short = [p for p, length in zip(kept, lengths, strict=True) if length <= _MOST_WORDS]
    answer = " ".join(texts[place] for place in short or kept[:1])
    used = dict.fromkeys(said[place][0] for place in short or kept[:1])
    return CombinedAnswer(answer=answer, used=list(used), sufficient=bool(answer))


def particular(question: str) -> frozenset[str]:
    """The roots of ``question`` that concern something particular; none for a broad question."""
    return analyse_question(question).terms - _BROAD - STOP_WORDS


def _statements(report: Excerpt) -> Iterator[_Statement]:
    title = report["title"]
    name = title.partition(": ")[2] or title
    lines = [_MARKER.sub("", line).strip() for line in report["text"].splitlines()]
    found = statements("\n\n".join(line for line in lines if line and line not in {title, name}))
    for place, sentence in enumerate(found):
        yield _Statement(sentence, report["id"], name, place, len(found))


def _relevance(
    said: Sequence[_Statement], wanted: frozenset[str], near: Sequence[float], weight: float
) -> list[float]:
    """0..100: the share of the question's words that a sentence or its report's title says, rare
    ones counting more, and with ``weight`` how ``near`` the sentence is to the question."""
    own = [frozenset(roots(one.text)) for one in said]
    titles = [frozenset(roots(one.title)) for one in said]
    counts = Counter(term for terms in own for term in terms & wanted)
    weights = {term: math.log(1 + (len(own) + 1) / (0.5 + counts[term])) for term in sorted(wanted)}
    scores: list[float] = []
    for place, one in enumerate(said):
        covered = sum(
            rarity * (1.0 if term in own[place] else 0.5 * (term in titles[place]))
            for term, rarity in weights.items()
        ) / sum(weights.values())
        helps = covered >= _LEAST_COVERED or near[place] >= _LEAST_COSINE
        score = min(1.0, (1 - weight) * covered + weight * near[place])
        scores.append(helps * 100 * score * (0.7 + 0.3 * standing(one.text)))
    return scores


def _centrality(said: Sequence[_Statement], near: Sequence[float]) -> list[float]:
    """0..100: more for a sentence that stands early in a report, in a long report, speaks of what
    other sentences speak of, and reads well alone."""
    own = [frozenset(roots(one.text)) for one in said]
    counts = Counter(term for terms in own for term in terms)
    most = math.log1p(max(counts.values(), default=1))
    scores: list[float] = []
    for place, one in enumerate(said):
        common = sorted((math.log1p(counts[term]) for term in own[place]), reverse=True)
        shared = sum(common[:_TELLING]) / (_TELLING * most)
        size = one.count / (one.count + _TYPICAL_SENTENCES)
        early = 1 / (1 + 0.15 * one.place)
        telling = 0.25 + 0.35 * size + 0.4 * shared
        close = (1 + 0.3 * near[place]) / 1.3
        scores.append(100 * standing(one.text) * early * close * telling)
    return scores


def _per_report(order: Sequence[int], said: Sequence[_Statement], most: int) -> list[int]:
    taken: Counter[str] = Counter()
    kept: list[int] = []
    for place in order:
        if taken[said[place].report] < most:
            taken[said[place].report] += 1
            kept.append(place)
    return kept
