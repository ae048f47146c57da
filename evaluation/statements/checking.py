"""Claims of answers, each checked against numbered texts by a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from typing_extensions import TypedDict

from ...prompts.evaluation import CHECK_CLAIMS
from ...prompts.prompt import Excerpt, number
from ...prompts.statement_replies import CheckedClaim
from ..asking import Asker

Verdict = Literal["supported", "contradicted", "not said", "uncited", "unclear"]
VERDICTS: tuple[Verdict, ...] = ("supported", "contradicted", "not said", "uncited", "unclear")
_NO_TEXT: list[Excerpt] = [{"id": "none", "title": "", "text": "(there is no text)"}]


class JudgedClaim(TypedDict):
    """A claim of an answer, what the texts say of it, and the numbers of the texts, from 1.

    Where there is no text, the verdict is ``uncited``; where the reply gave no verdict that can be
    read, or named no text that it rests on, ``unclear``.
    """

    claim: str
    verdict: Verdict
    citations: list[int]


def claims_inputs(question: str, answer: str, texts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The inputs of CHECK_CLAIMS; ``texts`` are titles and texts."""
    shown = number(texts) if texts else _NO_TEXT
    return {"question": question, "answer": shown_answer("answer", answer), "texts": shown}


def shown_answer(name: str, answer: str) -> list[Excerpt]:
    """An answer as prompts show it, under its ``name``."""
    return [{"id": name, "title": "", "text": answer}]


async def claims_of(
    asker: Asker, question: str, answer: str, texts: Sequence[tuple[str, str]]
) -> list[JudgedClaim] | None:
    """The claims of ``answer``, checked against ``texts``; None where no usable reply came.

    An empty answer claims nothing, and nobody is asked. Raises RagraphsError.
    """
    if not answer.strip():
        return []
    reply = await asker.ask(CHECK_CLAIMS, **claims_inputs(question, answer, texts))
    return None if reply is None else [_claim(one, len(texts)) for one in reply.claims]


def _claim(found: CheckedClaim, texts: int) -> JudgedClaim:
    named = {int(one) for one in found.texts if one}
    citations = sorted(one for one in named if 1 <= one <= texts)
    verdict: Verdict = found.verdict
    if not texts:
        verdict = "uncited"
    elif verdict != "not said" and not citations:
        verdict = "unclear"
    return {"claim": found.claim, "verdict": verdict, "citations": citations}
