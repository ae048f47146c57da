"""Checked citations of a reply, or of rules where the model is not trusted."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..algorithms.citations import locate, overlap, united, whole_quotes
from ..context import Context
from ..index.readers import offline_reader
from ..language.analyser import Span
from ..models.meter import current_meter
from ..models.protocol import OFFLINE, NoReplyError
from ..models.suited import trusted
from ..prompts.library import ANSWER
from ..prompts.pointing import pointed_at
from ..prompts.prompt import number_passages
from ..prompts.replies import Answer, Quote
from ..state.found import BEGINNING, states_triples
from ..state.records import Citation, Evidence
from ..stores.metadata import metadata_at
from .run import GRACE, Run, Update
from .unspoken import unspoken

_NUMBER = re.compile(r"^\d+\.\d+\s+")  # of a sentence that was copied with it
_BY_RULES = "The answer was found by rules, as without a model, since the model is not reliable."
_UNSURE = "Rules find no certain answer, and the model is not reliable."


async def as_rules_say(run: Run[Context], state: Mapping[str, Any], update: Update) -> Update:
    """The ``update`` that answers the question of ``state``, worth no less than without a model.

    Where the model is not trusted, rules mark the passages that were ranked for the question, and
    only an answer that they are certain of suffices; what the model said is a guess otherwise, and
    is left out where no passage speaks of what is asked. Where the model failed, they mark as well;
    without a model, where a method read less than these passages, as strips of them. They say where
    no passage speaks of what is asked.
    """
    ruled = run.context.model == OFFLINE or run.meter.lost
    failed = update.get("stop_reason") == "model_failed"
    if ruled and update.get("sufficient"):
        return update
    with suppress(NoReplyError):
        believed = ruled or trusted(await run.model())
        if believed and not (ruled or failed):
            return update
        evidence = update.get("evidence") or state.get("evidence") or []
        ranked = await run.at_hand(state) if state.get("ranked") or not evidence else evidence
        if ruled and "citations" in update and _holds(evidence, ranked):
            return {**update, **await _lacking(run, state["question"], evidence)}
        known = {one["id"] for one in ranked}
        evidence = [*ranked, *(one for one in evidence if one["id"] not in known)]
        if not evidence:
            return update
        found = await _read(run, state["question"], ranked or evidence)
        marks = {"citations": found["citations"], "evidence": evidence}
        if failed and believed:
            return {**update, **marks}
        if found["sufficient"]:
            if not ruled:
                run.meter.warn(_BY_RULES)
            return {**update, **found, "evidence": evidence, "doubt": ""}
        if ruled:
            return {**update, **marks, "missing": found["missing"], "doubt": found.get("doubt", "")}
        if update.get("sufficient"):
            guess = {"doubt": _UNSURE, "sufficient": False, "stop_reason": "insufficient"}
            update = {**update, **guess}
        if found["missing"]:  # nothing speaks of it, and a guess would be worth nothing
            return {**update, **marks, "missing": found["missing"], "answer": ""}
        return {**update, **marks, "missing": update.get("missing") or [_UNSURE]}
    return update


def _holds(evidence: Sequence[Evidence], ranked: Sequence[Evidence]) -> bool:
    """Whether ``evidence`` has each of the ``ranked`` passages, whole."""
    whole = {(one["id"], one["text"]) for one in evidence}
    return all((one["id"], one["text"]) in whole for one in ranked)


async def _read(run: Run[Context], question: str, evidence: Sequence[Evidence]) -> Update:
    async with run.meter.in_time(GRACE):
        reader = await asyncio.to_thread(offline_reader, run.index)
        reply = await reader.run(ANSWER, question=question, texts=number_passages(evidence))
    found = answered(reply, evidence)
    lacking = {} if found["sufficient"] else await _lacking(run, question, evidence)
    return {**found, **lacking}


async def _lacking(run: Run[Context], question: str, evidence: Sequence[Evidence]) -> Update:
    """The sentence on what no passage speaks of, if any, which no other method could find."""
    searched = any(one["found"] != BEGINNING for one in evidence)
    missing = await run.in_thread(unspoken, question, evidence) if searched else []
    return {"missing": missing, "doubt": " ".join(missing)} if missing else {}


def answered(reply: Answer, evidence: Sequence[Evidence]) -> Update:
    """The part of the output that a reply from ``evidence`` decides, with checked citations."""
    citations = check_citations(reply.quotes, evidence)
    texts = [passage["text"] for passage in evidence]
    if pointed_at(reply.answer, texts) and not any(reply.answer in text for text in texts):
        reply.answer = ""  # it is the number of a sentence, as tiny models answer
    sufficient = _is_supported(reply, citations)
    return {
        "answer": reply.answer,
        "missing": [one for one in reply.missing if not (sufficient or pointed_at(one, texts))],
        "citations": citations,
        "sufficient": sufficient,
        "stop_reason": "answered" if sufficient else "insufficient",
    }


def check_citations(quotes: Sequence[Quote], evidence: Sequence[Evidence]) -> list[Citation]:
    """The sentences that ``quotes`` name by their numbers, or copy; a warning for the rest.

    Quotes of one sentence are one citation. Passages are numbered as in ``evidence``, from 1.
    """
    places: list[tuple[int, Span]] = []
    for quote in quotes:
        place = locate_quote(quote, evidence)
        if place is None:
            said = quote.quote[:80] or quote.id
            current_meter().warn(f"A citation pointed nowhere and was left out: “{said}”.")
        else:
            places.append(place)
    wholes = {
        number: whole_quotes(
            [span for at, span in places if at == number], evidence[number]["text"]
        )
        for number, _ in places
    }
    return united(
        _citation(evidence[number], next(whole for whole in wholes[number] if overlap(whole, span)))
        for number, span in places
    )


def locate_quote(quote: Quote, evidence: Sequence[Evidence]) -> tuple[int, Span] | None:
    """The place in ``evidence`` of the text that has the sentence, and the sentence's in it."""
    texts = [passage["text"] for passage in evidence]
    if (pointed := pointed_at(quote.id, texts)) is not None:
        return pointed
    named = [n for n in range(len(texts)) if str(n + 1) == quote.id.split(".")[0]]
    for number in [*named, *range(len(texts))]:
        for said in (quote.quote, _NUMBER.sub("", quote.quote)):
            if (span := locate(said, texts[number])) is not None:
                return number, span
    return None


def _citation(passage: Evidence, span: Span) -> Citation:
    start, end = passage["start"] + span.start, passage["start"] + span.end
    citation: Citation = {
        "passage": passage["id"],
        "document": passage["document"],
        "title": passage["title"],
        "start": start,
        "end": end,
        "quote": span.text,
        "metadata": metadata_at(passage, start),
    }
    return {**citation, "end": start, "kind": "triple"} if states_triples(passage) else citation


def _is_supported(reply: Answer, citations: Sequence[Citation]) -> bool:
    if reply.sufficient and not citations:
        current_meter().warn("The answer has no citation that could be checked.")
    return reply.sufficient and bool(citations) and bool(reply.answer)
