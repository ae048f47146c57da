"""Second readings of an answer that rules doubt, by a reader who is not shown it."""

from __future__ import annotations

from collections.abc import Sequence

from ..context import QuestionContext
from ..language.analyser import Span, sentences
from ..language.answer_types import roots
from ..prompts.library import ANSWER
from ..prompts.prompt import number_passages
from ..state.records import Citation, Evidence
from .run import Run

_MOST = 3  # passages of which the rest is shown
_UNREAD = "The answer was not read again, and is not certain."


async def is_read_again(
    run: Run[QuestionContext],
    question: str,
    answer: str,
    citations: Sequence[Citation],
    evidence: Sequence[Evidence],
) -> bool:
    """Whether a reader who does not see ``answer`` finds it in what is cited, and nothing else.

    A reader who says that any text answers the question finds an answer as well in the rest of the
    passages, without the cited sentences: this rest is shown first. Where no reply is to be had the
    answer counts as not found.
    """
    from ..algorithms.doubts import is_same

    cited, rest = divided(citations, evidence, answer)
    for texts, expected in ((rest, False), (cited, True)):
        if not texts:
            continue
        shown = number_passages(texts)
        reply = await run.ask(ANSWER, otherwise=_UNREAD, question=question, texts=shown)
        if reply is None:
            return False
        found = reply.sufficient and bool(reply.answer)
        if found and not is_same(reply.answer, answer):
            return False
        if expected and not found:
            return False
    return True


def divided(
    citations: Sequence[Citation], evidence: Sequence[Evidence], answer: str
) -> tuple[list[Evidence], list[Evidence]]:
    """The cited passages with nothing but cited sentences, and the first texts without them.

    The latter are without the sentences that have all words of ``answer``, too.
    """
    told = set(roots(answer))
    cited, rest = list[Evidence](), list[Evidence]()
    of = {one["passage"] for one in citations}
    for passage in sorted(evidence, key=lambda passage: passage["id"] not in of):
        spans = sentences(passage["text"])
        quoted = [span for span in spans if _is_cited(span, passage, citations)]
        others = [
            span
            for span in spans
            if span not in quoted and not (told and told <= set(roots(span.plain)))
        ]
        cited += _only(passage, quoted)
        rest += _only(passage, others)
    return cited, rest[:_MOST]


def _is_cited(span: Span, passage: Evidence, citations: Sequence[Citation]) -> bool:
    start, end = passage["start"] + span.start, passage["start"] + span.end
    return any(
        one["passage"] == passage["id"] and one["start"] < end and start < one["end"]
        for one in citations
    )


def _only(passage: Evidence, spans: Sequence[Span]) -> list[Evidence]:
    """The passage with those sentences alone, if there are any."""
    return [{**passage, "text": "\n".join(span.text for span in spans)}] if spans else []
