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
)
from ..prompts.prompt import Excerpt
from ..prompts.replies import Answer, KeptTexts, PromptReply
from .reading import Similarity
from .reports.points import combine_points, write_points
from .reports.write import write_report

_LINE = re.compile(r"(\d+)\. ([^|]*) \| (.*)")
_FOLLOW_UPS = 3
_ANSWERED = 20.0


class OfflineReporter:
    """Answers GraphRAG's prompts.

    ``answer`` reads numbered texts for a question; ``similarity`` gives the function that compares
    sentences with a question, or None where words alone are compared.
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
        lines = (_LINE.fullmatch(line) for text in texts for line in text["text"].splitlines())
        rows = [Excerpt(id=line[1], title=line[2], text=line[3]) for line in lines if line]
        return write_report(rows or texts)

    def _points(self, question: str, texts: Sequence[Excerpt]) -> list[ReplyPoint]:
        return write_points(question, texts, self._similarity(question))

    def _rate_reports(self, question: str, texts: Sequence[Excerpt]) -> KeptTexts:
        telling = (id for point in self._points(question, texts) for id in point.evidence)
        return KeptTexts(keep=list(dict.fromkeys(telling)))

    def _map_texts(self, question: str, texts: Sequence[Excerpt]) -> Points:
        return Points(points=self._points(question, texts))

    def _combine_points(
        self, question: str, texts: Sequence[Excerpt], general: str
    ) -> CombinedAnswer:
        return combine_points(texts)

    def _local_answer(
        self, question: str, texts: Sequence[Excerpt], knowledge: Sequence[Excerpt]
    ) -> Answer:
        return self._answer(question, texts)

    def _prime(self, question: str, texts: Sequence[Excerpt]) -> PrimedAnswer:
        """The points of the texts; rules can only ask the same again of the best texts' topics."""
        points = self._points(question, texts)
        titles = {text["id"]: text["title"] for text in texts}
        named = dict.fromkeys(titles[id] for point in points for id in point.evidence)
        return PrimedAnswer(
            points=points,
            follow_ups=[
                FollowUp(question=f"{title}: {question}", score=100 - place)
                for place, title in enumerate(list(named)[:_FOLLOW_UPS])
            ],
        )

    def _follow_up(
        self, main: str, question: str, texts: Sequence[Excerpt], knowledge: Sequence[Excerpt]
    ) -> LocalAnswer:
        answer = self._answer(question, texts)
        quoted = Excerpt(id="1", title="", text=" ".join(quote.quote for quote in answer.quotes))
        least = _ANSWERED if answer.sufficient else 0.0
        score = max([least, *(point.score for point in self._points(main, [quoted]))])
        return LocalAnswer(**answer.model_dump(), score=score, follow_ups=[])
