"""Trying a reader whose answer rules doubt: without the cited sentences there must be none."""

from __future__ import annotations

from collections.abc import Sequence

from ..context import QuestionContext
from ..language.analyser import sentences
from ..language.answer_types import roots
from ..prompts.library import ANSWER
from ..prompts.prompt import number_passages
from ..state.records import Citation, Evidence
from .run import Run

_MOST = 3  # passages of which the rest is shown


async def falls_without(
    run: Run[QuestionContext],
    question: str,
    answer: str,
    citations: Sequence[Citation],
    evidence: Sequence[Evidence],
) -> bool:
    """Whether the reader finds no other answer where the cited sentences are taken away.

    A reader who calls any text sufficient does so here, too; one who reads says that nothing is
    told. Without a reply nothing is known of the reader, and it is not believed.
    """
    from ..algorithms.doubts import is_same

    rest = without(citations, evidence, answer)
    if not rest:
        return True
    reply = await run.ask(
        ANSWER,
        otherwise="Whether the answer rests on what it cites was not tried.",
        question=question,
        texts=number_passages(rest),
    )
    if reply is None:
        return False
    return not (reply.sufficient and reply.answer) or is_same(reply.answer, answer)


def without(
    citations: Sequence[Citation], evidence: Sequence[Evidence], answer: str
) -> list[Evidence]:
    """The first passages of ``evidence``, those with ``citations`` before others, without these.

    Nor do they have the sentences that hold all words of ``answer``.
    """
    told, cited = set(roots(answer)), {one["passage"] for one in citations}
    found = list[Evidence]()
    for passage in sorted(evidence, key=lambda passage: passage["id"] not in cited):
        start = passage["start"]
        spans = [
            (one["start"] - start, one["end"] - start)
            for one in citations
            if one["passage"] == passage["id"]
        ]
        rest = [
            sentence.text
            for sentence in sentences(passage["text"])
            if not any(sentence.start < end and begin < sentence.end for begin, end in spans)
            and not (told and told <= set(roots(sentence.plain)))
        ]
        if rest:
            found.append({**passage, "text": "\n".join(rest)})
    return found[:_MOST]
