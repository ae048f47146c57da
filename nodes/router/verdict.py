"""Whether a statement holds, by what the methods find for it."""

from __future__ import annotations

from collections.abc import Sequence

from ...context import RouterContext
from ...language.analyser import is_korean, one_line
from ...models.protocol import OFFLINE, NoReplyError
from ...models.suited import trusted
from ...prompts.library import JUDGE_STATEMENT
from ...prompts.prompt import number_passages
from ...prompts.statement_replies import StatementVerdict
from ...state.records import Citation, Evidence
from ...state.router import RouterState
from ..answer import cited_sentences
from ..citing import check_citations
from ..counter_reading import divided
from ..node import node, unanswered
from ..run import Run, Update

_UNTRIED = "Whether the verdict rests on what it cites was not tried."


def as_question(statement: str) -> str:
    """The question whether ``statement`` is true, which methods look for evidence with."""
    said = one_line(statement).rstrip(" .!。")
    return f"{said}, 사실인가?" if is_korean(said) else f"Is it true that {said}?"


@node()
async def judge_statement(state: RouterState, run: Run[RouterContext]) -> Update:
    """Puts the verdict on the statement in place of the last method's answer.

    Only what stands in the sentences that it points at is believed to be supported or refuted.
    """
    latest, evidence = state["latest"], state["latest"]["evidence"]
    try:
        told = await _verdict(run, state["stated"], evidence)
    except NoReplyError as error:
        told = {"answer": "", "sufficient": False, **unanswered(error)}
    if run.context.model == OFFLINE and not told["sufficient"]:
        told["stop_reason"] = "no_model"
    return {"latest": {**latest, **told}}


async def _verdict(run: Run[RouterContext], statement: str, evidence: Sequence[Evidence]) -> Update:
    if not evidence:
        return _undecided(run.index.unmet, "no_evidence")
    reply = await _read(run, statement, evidence)
    if reply is None or reply.verdict == "not enough":
        return _undecided(reply.missing if reply else [])
    citations = check_citations(reply.quotes, evidence)
    doubt = await _doubt(run, statement, reply.verdict, citations, evidence)
    if doubt:
        return {**_undecided([doubt]), "citations": citations, "doubt": doubt}
    return {
        "answer": reply.verdict,
        "missing": [],
        "doubt": "",
        "citations": citations,
        "sufficient": True,
        "stop_reason": "answered",
    }


def _undecided(missing: Sequence[str], why: str = "insufficient") -> Update:
    return {
        "answer": "not enough",
        "missing": list(missing),
        "doubt": "",
        "citations": [],
        "sufficient": False,
        "stop_reason": why,
    }


async def _read(
    run: Run[RouterContext], statement: str, texts: Sequence[Evidence], otherwise: str | None = None
) -> StatementVerdict | None:
    shown = number_passages(texts)
    if otherwise is None:
        return await run.ask(JUDGE_STATEMENT, question=statement, texts=shown)
    return await run.ask(JUDGE_STATEMENT, otherwise=otherwise, question=statement, texts=shown)


async def _doubt(
    run: Run[RouterContext],
    statement: str,
    verdict: str,
    citations: Sequence[Citation],
    evidence: Sequence[Evidence],
) -> str:
    """Why ``verdict`` is not believed; empty where it is.

    Where rules do not see that the cited sentences decide the statement, the model must reach the
    verdict again in these alone, and none without them.
    """
    from ...algorithms.verdicts import doubt_of

    cited = [f"{one['title']}: {one['text']}" for one in cited_sentences(citations, evidence)]
    doubt = doubt_of(statement, verdict == "supported", cited)
    if doubt is None or run.context.model == OFFLINE:
        return ""
    if doubt.certain or not trusted(await run.model()):
        return doubt.missing
    alone, rest = divided(citations, evidence, statement)
    without = await _read(run, statement, rest, _UNTRIED) if rest else None
    if rest and (without is None or without.verdict != "not enough"):
        return doubt.missing
    again = await _read(run, statement, alone, _UNTRIED)
    return "" if again is not None and again.verdict == verdict else doubt.missing
