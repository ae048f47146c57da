"""The offline reader's part of GraphRAG: reports, points, and the answers made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..prompts.graphrag_replies import (
    CombinedAnswer,
    CommunityReport,
    FollowUp,
    LocalAnswer,
    Points,
    PrimedAnswer,
    ReplyPoint,
    ReportFinding,
)
from ..prompts.prompt import Excerpt
from ..prompts.replies import Answer, KeptTexts, PromptReply
from .reports.points import Point, combine_points, write_points
from .reports.write import write_report

Similarity = Callable[[list[str]], Sequence[float]]

_LINE = re.compile(r"(\d+)\. ([^|]*) \| (.*)")
_FOLLOW_UPS = 3
_ANSWERED = 20.0


class OfflineReporter:
    """Answers GraphRAG's prompts.

    ``answer`` reads numbered texts for a question; ``similarity`` gives for a question what tells
    how near sentences are to it, or None where words alone are compared.
    """

    def __init__(
        self,
        answer: Callable[[str, Sequence[Excerpt]], Answer],
        similarity: Callable[[str], Similarity | None],
    ) -> None:
        self._answer = answer
        self._similarity = similarity
        self.functions: dict[str, Callable[..., PromptReply]] = {
            "write_report": self._write_report,
            "rate_reports": self._rate_reports,
            "map_texts": self._map_texts,
            "combine_points": self._combine_points,
            "local_answer": self._local_answer,
            "prime": self._prime,
            "follow_up": self._follow_up,
        }

    def _write_report(self, texts: Sequence[Excerpt]) -> CommunityReport:
        written = write_report(_rows(texts))
        return CommunityReport(
            title=written.title,
            summary=written.summary,
            rating=written.rating,
            findings=[
                ReportFinding(statement=finding.statement, evidence=list(finding.evidence))
                for finding in written.findings
            ],
        )

    def _points(self, question: str, texts: Sequence[Excerpt]) -> list[Point]:
        rows = [(text["id"], text["title"], text["text"]) for text in texts]
        return write_points(question, rows, self._similarity(question))

    def _rate_reports(self, question: str, texts: Sequence[Excerpt]) -> KeptTexts:
        points = sorted(self._points(question, texts), key=lambda point: -point.score)
        kept = dict.fromkeys(id for point in points if point.score > 0 for id in point.evidence)
        return KeptTexts(keep=list(kept))

    def _map_texts(self, question: str, texts: Sequence[Excerpt]) -> Points:
        return Points(points=_replies(self._points(question, texts)))

    def _combine_points(
        self, question: str, texts: Sequence[Excerpt], general: str
    ) -> CombinedAnswer:
        answer, used = combine_points(question, [(text["id"], text["text"]) for text in texts])
        return CombinedAnswer(answer=answer, used=list(used), sufficient=bool(answer))

    def _local_answer(
        self, question: str, texts: Sequence[Excerpt], knowledge: Sequence[Excerpt]
    ) -> Answer:
        return self._answer(question, texts)

    def _prime(self, question: str, texts: Sequence[Excerpt]) -> PrimedAnswer:
        points = self._points(question, texts)
        titles = {text["id"]: text["title"] for text in texts}
        best = sorted(points, key=lambda point: -point.score)
        named = dict.fromkeys(titles[id] for point in best for id in point.evidence)
        return PrimedAnswer(
            points=_replies(points),
            follow_ups=[
                FollowUp(question=_about(question, title), score=100 - place)
                for place, title in enumerate(list(named)[:_FOLLOW_UPS])
            ],
        )

    def _follow_up(
        self, main: str, question: str, texts: Sequence[Excerpt], knowledge: Sequence[Excerpt]
    ) -> LocalAnswer:
        answer = self._answer(question, texts)
        text = " ".join(quote.quote for quote in answer.quotes)
        rows: list[Excerpt] = [{"id": "1", "title": "", "text": text}] if text else []
        least = _ANSWERED if answer.sufficient else 0.0
        score = max([least, *(point.score for point in self._points(main, rows))])
        return LocalAnswer(**answer.model_dump(), score=score, follow_ups=[])


def _rows(texts: Sequence[Excerpt]) -> list[tuple[str, str, str]]:
    """The numbered lines of texts as rows of id, title and text; without any, the texts."""
    lines = (_LINE.fullmatch(line) for text in texts for line in text["text"].splitlines())
    rows = [(line[1], line[2], line[3]) for line in lines if line]
    return rows or [(text["id"], text["title"], text["text"]) for text in texts]


def _about(question: str, title: str) -> str:
    """What rules can ask next: the same, of what a report is about."""
    return f"{title}: {question}"


def _replies(points: Sequence[Point]) -> list[ReplyPoint]:
    return [
        ReplyPoint(point=point.point, score=point.score, evidence=list(point.evidence))
        for point in points
    ]
