"""Reading with tools: each turn reads what was found, and says where to look next."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..context import AgentContext
from ..index.opening import Index
from ..index.progress import progress_of
from ..index.tools import TOOLS, ToolPart, cut, usable_tools
from ..language.analyser import count_tokens, keywords, one_line
from ..models.protocol import OFFLINE, NoReplyError
from ..prompts.agent_replies import LONGEST_QUERY, NEXT_ACTION, AgentTurn, ToolName
from ..prompts.deeprag_replies import ShownStep, show_steps
from ..prompts.pointing import cut as cut_sentences
from ..prompts.prompt import Excerpt, number_passages
from ..prompts.replies import Quote
from ..state.agent import AgentAction, AgentState, PlannedAction
from ..state.errors import RagraphsError
from ..state.found import cited_evidence
from ..state.records import Evidence
from .answer import answer, checked
from .citing import answered, locate_quote
from .deeprag.sub_questions import quotes_of
from .node import node
from .retrieve import first_and_ranking
from .run import Run, Texts, Update

_FOUND = 5  # passages of one use
_FRUITLESS = 2  # turns without a new text, after which it ends
_TOLD, _TOLD_BEFORE = 400, 60  # tokens of a result in the next turn, and later
_SHOWN_AGAIN = 2  # sentences of a text that was read before and not kept
_CHECKED = 20  # passages that the last check may look at
_TOOLS: dict[ToolName, str] = {
    "search_meaning": "texts nearest in meaning to the query",
    "search_words": 'texts with the exact words of the query, or a "phrase in quotes"',
    "read": "the texts before and after a text; the query is the number of that text",
    "look_up": "facts about a person, place or thing; the query is its name",
    "walk": "texts that answer what a text leaves open; the query is the number of that text",
    "report": "a summary of the documents that are nearest to the query",
    "list_documents": "documents whose titles have the words of the query",
}


class _Use(NamedTuple):
    """Result of a use: the passages found, and in words what was told besides."""

    found: list[Evidence]
    told: str = ""


@node()
async def start(state: AgentState, run: Run[AgentContext]) -> Update:
    """Finds the texts nearest to the question, or takes those that earlier methods cited."""
    held = state["held"]
    if held["evidence"]:
        first = cited_evidence(held) or held["evidence"][: run.context.top_k]
        found: Update = {key: held[key] for key in ("answer", "citations", "missing", "ranked")}
    else:
        first, ranked = await first_and_ranking(run, state)
        found = {"ranked": ranked}
    return {
        **found,
        "evidence": first,
        "shown": {str(place + 1): [] for place in range(len(first))},
    }


@node(reserve=2, late=lambda _: {"pending": []})
async def decide(state: AgentState, run: Run[AgentContext]) -> Update:
    """Reads the new texts beside what was kept: the answer so far, and the tools to use next."""
    turn = len(state["turns"]) + 1
    if run.context.model == OFFLINE or turn > run.context.max_steps:
        return {"pending": [], "bound": "steps" if turn > 1 else None}
    progress_of("decide")(turn, run.context.max_steps)
    texts, usable = state["evidence"], await run.in_thread(_usable)
    if run.context.own.retriever is not None:
        usable = ["search_meaning"]
    try:
        reply = await run.ask(
            NEXT_ACTION,
            question=state["question"],
            tools="\n".join(f"- {name}: {_TOOLS[name]}" for name in usable),
            steps=_steps(state),
            texts=_in_view(state),
        )
    except NoReplyError as error:
        run.meter.warn(str(error))
        return {"pending": [], "bound": error.stop_reason}
    found = answered(reply, texts)
    kept = [*state["kept"], *_numbers(reply.quotes, texts)]
    update: Update = {
        "turns": [*state["turns"], turn],
        "kept": list(dict.fromkeys(kept)),
        "missing": found["missing"],
        "claimed": found["sufficient"],
        "pending": [] if found["sufficient"] else _planned(reply, state, usable),
        "shown": {},
    }
    if found["answer"] or not state["answer"]:
        update |= {"answer": found["answer"], "citations": found["citations"]}
    return update


@node(reserve=2, late=lambda _: {"pending": []})
async def act(state: AgentState, run: Run[AgentContext]) -> Update:
    """Uses the tools side by side; texts that were not read before go on the pile of texts."""
    texts, turn = list(state["evidence"]), len(state["turns"])
    uses = await asyncio.gather(*(_used(run, one, state) for one in state["pending"]))
    room = run.context.context_tokens
    shown: dict[str, list[int]] = {}
    actions: list[AgentAction] = []
    for planned, use in zip(state["pending"], uses, strict=True):
        known = {one["id"]: place for place, one in enumerate(texts, start=1)}
        for again in (known[one["id"]] for one in use.found if one["id"] in known):
            if not any(number.startswith(f"{again}.") for number in state["kept"]):
                near = _nearest(texts[again - 1]["text"], planned["query"])
                shown.setdefault(str(again), near)
        new = [one for one in use.found if one["id"] not in known]
        for one in list(new):
            room -= count_tokens(one["text"])
            if room < 0 and shown:
                new.remove(one)
                continue
            texts.append(one)
            shown[str(len(texts))] = []
        found = [*new, *(one for one in use.found if one["id"] in known)]
        ids = [one["id"] for one in found]
        actions.append({**planned, "turn": turn, "found": ids, "new": len(new), "told": use.told})
    return {"evidence": texts, "shown": shown, "actions": [*state["actions"], *actions]}


@node(answers=True)
async def conclude(state: AgentState, run: Run[AgentContext]) -> Update:
    """Checks the answer of the last turn; where no model has taken one, answers as basic does."""
    if not state["turns"]:
        return await answer.function(state, run)
    texts = state["evidence"]
    cited = {one["passage"] for one in state["citations"]}
    kept = {texts[int(number.partition(".")[0]) - 1]["id"] for number in state["kept"]}
    ordered = sorted(texts, key=lambda one: (one["id"] not in cited, one["id"] not in kept))
    ended = "answered" if state["claimed"] else "insufficient" if texts else "no_evidence"
    found: Update = {
        "answer": state["answer"],
        "missing": state["missing"],
        "citations": state["citations"],
        "sufficient": state["claimed"],
        "stop_reason": ended,
    }
    found = await checked(run, state["question"], found, ordered[:_CHECKED])
    if state["bound"] and not found["sufficient"]:
        found["stop_reason"] = state["bound"]
    return {**found, "evidence": ordered}


def _usable(index: Index) -> list[ToolName]:
    names = {tool.name for tool in usable_tools(index)} - ({"report"} if index.where else set())
    return [name for name in _TOOLS if name in names]


async def _used(run: Run[AgentContext], planned: PlannedAction, state: AgentState) -> _Use:
    """The result of one use; what it lacks or gets wrong is told, for the next turn to read."""
    run.meter.retrievals += 1
    tool, query = planned["tool"], planned["query"]
    texts = state["evidence"]
    if tool == "search_meaning":
        run.meter.retrievals -= 1  # the search counts itself
        return _Use(await run.search(query, _FOUND))
    given: dict[str, Any] = {"query": query, "top_k": _FOUND}
    if tool in ("read", "walk"):
        named = re.search(r"\d+", query)
        if named is None or not 0 < int(named.group()) <= len(texts):
            return _Use([], f"There is no text {query!r:.40}; name one by its number.")
        given = {"passage": texts[int(named.group()) - 1]["id"]}
        given |= {"query": state["question"], "top_k": _FOUND} if tool == "walk" else {}
    return await run.in_thread(_read, tool, given)


def _read(index: Index, tool: str, given: dict[str, Any]) -> _Use:
    try:
        result = TOOLS[tool].function(index, **given)
        if tool == "report" and result["parts"]:  # of the nearest one all that it says
            result = TOOLS[tool].function(index, community=result["parts"][0]["id"])
    except RagraphsError as error:
        return _Use([], str(error))
    parts = result["parts"]
    ids = [one["id"] for one in parts if one["kind"] == "passage"]
    passages = index.catalogue.passages(list(dict.fromkeys(ids))[:_FOUND])
    texts = [Evidence(**one, score=0.0, found=tool) for one in passages]
    whole = {one["id"]: one["text"] for one in texts}
    said = [_line(one) for one in parts if one["text"] != whole.get(one["id"])]
    lines = [] if tool in ("search_words", "read") else said
    return _Use(texts, "\n".join(filter(None, [*lines, result["left"]])))


def _line(part: ToolPart) -> str:
    of = f"{part['place']}: " if part["kind"] != "passage" else ""
    return one_line(f"{of}{part['text']}")


def _planned(reply: AgentTurn, state: AgentState, usable: Sequence[str]) -> list[PlannedAction]:
    """The uses of a reply that were not tried before; none after turns that found nothing new."""
    by_turn: dict[int, int] = {}
    for one in state["actions"]:
        by_turn[one["turn"]] = by_turn.get(one["turn"], 0) + one["new"]
    if list(by_turn.values())[-_FRUITLESS:] == [0] * _FRUITLESS:
        return []
    tried = {(one["tool"], one["query"].casefold()) for one in state["actions"]}
    planned: list[PlannedAction] = []
    for use in reply.next:
        query = one_line(use.query)[:LONGEST_QUERY]
        key = use.tool, query.casefold()
        if query and use.tool in usable and key not in tried:
            planned.append({"tool": use.tool, "query": query})
            tried.add(key)
    return planned


def _in_view(state: AgentState) -> list[Excerpt]:
    """The texts as the next turn shows them: new ones whole, of others the sentences kept."""
    kept: dict[str, set[int]] = {}
    for number in state["kept"]:
        text, _, sentence = number.partition(".")
        kept.setdefault(text, set()).add(int(sentence))
    view: list[Excerpt] = []
    for excerpt in number_passages(state["evidence"]):
        shown = state["shown"].get(excerpt["id"])
        only = sorted(kept.get(excerpt["id"], set()).union(shown or ()))
        if shown == []:
            view.append(excerpt)
        elif only:
            view.append({**excerpt, "only": only})
    return view


def _steps(state: AgentState) -> Texts:
    """The look-ups of earlier methods, and each use of a tool with its result."""
    places = {one["id"]: place for place, one in enumerate(state["evidence"], start=1)}
    before = [
        ShownStep(one["question"], one["answer"], quotes_of(one["citations"]))
        for one in state["held"]["answers"]
    ]
    last = len(state["turns"])
    uses = [
        ShownStep(f"{one['tool']}: {one['query']}", _result(one, places, one["turn"] == last))
        for one in state["actions"]
    ]
    return show_steps([*before, *uses])


def _result(action: AgentAction, places: dict[str, int], last: bool) -> str:
    numbers = [f"{places[id]}" for id in action["found"] if id in places]
    new, again = numbers[: action["new"]], numbers[action["new"] :]
    said = [
        f"New texts: {', '.join(new)}." if new else "No new text.",
        f"Read before: {', '.join(again)}." if again else "",
        cut(action["told"], _TOLD if last else _TOLD_BEFORE),
    ]
    return " ".join(filter(None, said))


def _numbers(quotes: Sequence[Quote], texts: Sequence[Evidence]) -> Iterator[str]:
    """The numbers of the sentences that ``quotes`` name or copy."""
    for quote in quotes:
        if (found := locate_quote(quote, texts)) is not None:
            place, span = found
            for number, one in enumerate(cut_sentences(texts[place]["text"]), start=1):
                if one.start < span.end and span.start < one.end:
                    yield f"{place + 1}.{number}"


def _nearest(text: str, query: str) -> list[int]:
    """The numbers of the sentences of ``text`` that share most words with ``query``."""
    asked = keywords(query)
    shared = [len(asked & keywords(one.plain)) for one in cut_sentences(text)]
    best = sorted(range(len(shared)), key=lambda place: (-shared[place], place))
    return [place + 1 for place in best[:_SHOWN_AGAIN]]
