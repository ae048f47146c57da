"""Judging and answering from the paths and the passages (Think-on-Graph 2.0: reasoning)."""

from __future__ import annotations

from collections.abc import Sequence

from ...algorithms.tog2.triple_sentences import CO_OCCURRENCE
from ...context import Tog2Context
from ...language.mentions import normalised
from ...models.protocol import OFFLINE
from ...prompts.library import ANSWER
from ...prompts.pointing import pointed_at
from ...prompts.prompt import Excerpt, fence_in_line, number, number_passages
from ...prompts.replies import Quote
from ...prompts.tog2_replies import JUDGE_EVIDENCE
from ...state.found import is_new, unchanged
from ...state.records import Evidence
from ...state.tog2 import Tog2State, WalkedTriple
from ..answer import checked
from ..citing import answered, locate_quote
from ..node import node
from ..run import Run, Update
from .walk import text_key

PATHS = "Relations found in the texts"
_BETWEEN = "\n\n"  # so that each line is a sentence


@node(reserve=1)
async def judge(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Asks whether what was found suffices; if not, for a clue to what is missing.

    The walk ends where it does, and where there is no clue that was not looked for before. Nobody
    is asked where the last round brought no text and no triple that the last judgement did not see.
    """
    seen = [text_key(text) for text in state["evidence"]]
    seen += [triple["sentence"] for triple, _ in _triples(state)]
    if state["judged"] and set(seen) <= set(state["judged"]):
        return {}
    reply = await run.ask(
        JUDGE_EVIDENCE,
        otherwise="The walk went on without a clue.",
        question=state["question"],
        texts=_shown(state, run.context),
        clues=fence_in_line("; ".join(state["clues"])) if state["clues"] else "nothing yet",
    )
    if reply is None:
        return {"judged": seen}
    if run.context.model == OFFLINE and not reply.sufficient:
        return {}  # rules write no clues
    if reply.sufficient or normalised(reply.clue) in {"", *map(normalised, state["clues"])}:
        return {"frontier": [], "sufficed": reply.sufficient}
    return {"clues": [*state["clues"], reply.clue], "judged": seen}


@node(answers=True)
async def answer(state: Tog2State, run: Run[Tog2Context]) -> Update:
    """Answers the question from the texts and paths that were judged, and from nothing else.

    Where no judgement found them sufficient, the answer is so only if the model says so without
    naming anything that is missing, and each of its quotes was found. Nobody is asked where an
    earlier method read the same texts.
    """
    evidence, held = state["evidence"], state["held"]
    if held["evidence"] and not is_new(held, evidence):
        return unchanged(held)
    if not evidence:
        return {"stop_reason": state["stop_reason"] or "no_evidence"}
    texts = _shown(state, run.context)
    reply = await run.ask(ANSWER, question=state["question"], texts=texts)
    reply.quotes = [_stated(quote, state) for quote in reply.quotes]
    if not state["sufficed"]:
        found = all(locate_quote(quote, evidence) for quote in reply.quotes)
        reply.sufficient = reply.sufficient and not reply.missing and found
    return await checked(run, state["question"], answered(reply, evidence), evidence)


def _shown(state: Tog2State, context: Tog2Context) -> list[Excerpt]:
    """The evidence, and for a model the walked triples, each with the number of its text."""
    texts = number_passages(state["evidence"])
    lines = [_line(triple, place) for triple, place in _triples(state)]
    if lines and context.model != OFFLINE:
        last = number([(PATHS, _BETWEEN.join(lines))])[0]
        texts.append({**last, "id": str(len(texts) + 1)})
    return texts


def _stated(quote: Quote, state: Tog2State) -> Quote:
    """A triple that was pointed at or copied as the sentence that it was read from."""
    triples, before = _triples(state), [""] * len(state["evidence"])
    lines = _BETWEEN.join(_line(triple, place) for triple, place in triples)
    pointed = pointed_at(quote.id, [*before, lines])
    said = pointed[1].text if pointed else quote.quote
    for triple, place in triples:
        if normalised(said) in {normalised(triple["sentence"]), normalised(_line(triple, place))}:
            return Quote(id=str(place), quote=triple["quote"])
    return quote


def _line(triple: WalkedTriple, place: int) -> str:
    return f"(text {place}) {triple['sentence']}"


def _triples(state: Tog2State) -> list[tuple[WalkedTriple, int]]:
    """The walked triples that a sentence of a text states, each once, with the text's number.

    Co-occurrence states nothing.
    """
    triples = {
        triple["sentence"]: triple
        for path in state["paths"]
        for triple in path["triples"]
        if triple["quote"] and triple["relation"] not in CO_OCCURRENCE
    }
    placed = ((triple, _place(triple, state["evidence"])) for triple in triples.values())
    return [(triple, place) for triple, place in placed if place]


def _place(triple: WalkedTriple, evidence: Sequence[Evidence]) -> int:
    """The number of the text that holds the sentence of ``triple``, from 1; 0 for none."""
    for place, passage in enumerate(evidence, start=1):
        if passage["id"] == triple["passage"] and triple["quote"] in passage["text"]:
            return place
    return 0
