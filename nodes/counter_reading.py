"""Trying a reader whose answer rules doubt: it must rest on the cited sentences, and on them alone.

A reader who calls any text sufficient finds an answer without these sentences, too; one who guesses
finds another one in them. Both texts are shown without the answer, with which it would agree.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..algorithms.claims import tells_less
from ..context import QuestionContext
from ..language.analyser import Span, sentences
from ..language.answer_types import roots
from ..language.questions import analyse_question
from ..prompts.library import ANSWER
from ..prompts.prompt import number_passages
from ..state.records import Citation, Evidence
from .run import Run, Update

_MOST = 3  # passages of which the rest is shown
_UNTRIED = "Whether the answer rests on what it cites was not tried."


async def rests_on_citations(
    run: Run[QuestionContext],
    question: str,
    answer: str,
    citations: Sequence[Citation],
    evidence: Sequence[Evidence],
) -> bool:
    """Whether no other answer is found without the cited sentences, and this one in them alone.

    One that says less is no other one. Without a reply nothing is known of the reader, and it is
    not believed.
    """
    cited, rest = divided(citations, evidence, answer)
    without = await _found_in(rest, run, question)
    texts = [f"{one['title']}: {one['text']}" for one in cited]
    place = analyse_question(question).answer_type == "place"
    if without is None or (without and not tells_less(without, answer, place, texts)):
        return False
    return _is_told(await _found_in(cited, run, question), answer)


async def stays_the_same(run: Run[QuestionContext], question: str, found: Update) -> bool:
    """Whether the answer of ``found`` is found once more with the cited passages last."""
    of = {one["passage"] for one in found["citations"]}
    cited = [passage for passage in found["evidence"] if passage["id"] in of]
    others = [passage for passage in found["evidence"] if passage["id"] not in of]
    again = await _found_in([*others[:_MOST], *reversed(cited)], run, question)
    return _is_told(again, found["answer"])


async def _found_in(
    texts: Sequence[Evidence], run: Run[QuestionContext], question: str
) -> str | None:
    """The answer that the model finds in ``texts``, empty for none; None without a reply."""
    shown = number_passages(texts)
    if not shown:
        return ""
    reply = await run.ask(ANSWER, otherwise=_UNTRIED, question=question, texts=shown)
    return None if reply is None else reply.answer if reply.sufficient else ""


def _is_told(found: str | None, answer: str) -> bool:
    from ..algorithms.doubts import is_same

    return bool(found) and is_same(found or "", answer)


def divided(
    citations: Sequence[Citation], evidence: Sequence[Evidence], answer: str
) -> tuple[list[Evidence], list[Evidence]]:
    """The cited passages with cited sentences alone, and the first passages without these.

    The latter are those with citations before others; nor do they have the sentences that hold all
    words of ``answer``.
    """
    told, of = set(roots(answer)), {one["passage"] for one in citations}
    cited, rest = list[Evidence](), list[Evidence]()
    for passage in sorted(evidence, key=lambda passage: passage["id"] not in of):
        whole = sentences(passage["text"])
        quoted = [sentence for sentence in whole if _is_cited(sentence, passage, citations)]
        others = [
            sentence
            for sentence in whole
            if sentence not in quoted and not (told and told <= set(roots(sentence.plain)))
        ]
        cited += _only(passage, quoted)
        rest += _only(passage, others)
    return cited, rest[:_MOST]


def _is_cited(sentence: Span, passage: Evidence, citations: Sequence[Citation]) -> bool:
    start, end = passage["start"] + sentence.start, passage["start"] + sentence.end
    return any(
        one["passage"] == passage["id"] and one["start"] < end and start < one["end"]
        for one in citations
    )


def _only(passage: Evidence, kept: Sequence[Span]) -> list[Evidence]:
    """The passage with the sentences ``kept`` alone, if there are any."""
    return [{**passage, "text": "\n".join(one.text for one in kept)}] if kept else []
