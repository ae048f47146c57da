"""Shows the hops of a round to the model, and reads its labels for them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

from ...algorithms.hoprag.offers import Offer
from ...algorithms.hoprag.walk import Label
from ...algorithms.similarity import jaccard
from ...context import HopragContext
from ...index.hops import LoadedHops
from ...index.opening import Index
from ...language.analyser import keywords, one_line, sentences
from ...prompts.hoprag_replies import CHOOSE_HOPS, HopLabels
from ...prompts.prompt import Excerpt, FencedQuestion, Inputs, fence_in_line
from ...state.hoprag import HopragState
from ...state.places import place_of
from ...state.records import Passage
from ..run import Run

Labels = dict[str, dict[int, Label] | None]


class ShownHops(NamedTuple):
    """The inputs of a CHOOSE_HOPS request, and its offers by the numbers that they have in it."""

    inputs: Inputs
    offers: Mapping[str, Offer]


BATCH = 20  # passages that one request chooses edges for; one as printed
Labeller = Callable[[ShownHops], Awaitable[HopLabels | None]]


def model_labeller(run: Run[HopragContext], model: str) -> Labeller:
    """Asks the model called ``model``; without a reply similarity chooses, with a warning."""

    async def label(shown: ShownHops) -> HopLabels | None:
        return await run.ask(
            CHOOSE_HOPS,
            otherwise="Hops were chosen by similarity instead.",
            model=model,
            **shown.inputs,
        )

    return label


async def labels_of(
    run: Run[HopragContext],
    label: Labeller,
    state: HopragState,
    hops: LoadedHops,
    known: Sequence[str],
    offers: Sequence[Offer],
) -> Labels:
    """The labels of the edges that each source offers; None for all of them without a reply.

    ``known`` are passages at hand whose sentence about the question is shown as well. A request
    shows at most ``BATCH`` sources (as printed, one), and the requests are sent side by side.
    """
    sources = list(dict.fromkeys(offer.source for offer in offers))
    size = 1 if run.context.as_printed else BATCH
    batches = [sources[first : first + size] for first in range(0, len(sources), size)]
    ends = [hops.target(offer.edge) for offer in offers]
    passages = await run.in_thread(_passages, [*known, *sources, *ends])

    async def ask(batch: Sequence[str]) -> dict[str, dict[int, Label]] | None:
        own = [offer for offer in offers if offer.source in batch]
        shown = [id for id in dict.fromkeys([*known, *batch]) if id in passages]
        hops_shown = _shown(state, hops, shown, passages, own)
        reply = await label(hops_shown)
        return None if reply is None else _by_source(reply, hops_shown.offers)

    given = await asyncio.gather(*map(ask, batches))
    return {
        source: labels.get(source, {}) if labels is not None else None
        for batch, labels in zip(batches, given, strict=True)
        for source in batch
    }


def _passages(index: Index, ids: Sequence[str]) -> dict[str, Passage]:
    found = index.catalogue.passages(list(dict.fromkeys(ids)))
    return {passage["id"]: passage for passage in found}


def _shown(
    state: HopragState,
    hops: LoadedHops,
    ids: Sequence[str],
    passages: Mapping[str, Passage],
    offers: Sequence[Offer],
) -> ShownHops:
    question, missing = state["question"], " ".join(state["held"]["missing"])
    texts: list[Excerpt] = []
    numbers: dict[str, Offer] = {}
    for place, passage in enumerate(map(passages.__getitem__, ids), start=1):
        own = [offer for offer in offers if offer.source == passage["id"]]
        lines = []
        for line, offer in enumerate(own, start=1):
            numbers[f"{place}.{line}"] = offer
            question_raised = hops.graph.raised(offer.edge)
            lines.append(f"{place}.{line} {question_raised} → {_target(hops, offer, passages)}")
        cited = [one for one in state["held"]["citations"] if one["passage"] == passage["id"]]
        asked = [question, *state["held"]["missing"], *(citation["quote"] for citation in cited)]
        asked += [hops.graph.raised(offer.edge) for offer in own]
        shown = "\n".join([telling(place_of(passage), passage["text"], asked), *lines])
        texts.append({"id": str(place), "title": place_of(passage), "text": shown})
    clue = FencedQuestion(missing, fence_in_line(missing)) if missing else "the answer"
    return ShownHops({"question": question, "texts": texts, "clue": clue}, numbers)


def _by_source(reply: HopLabels, offers: Mapping[str, Offer]) -> dict[str, dict[int, Label]]:
    """The labels of the edges that each source offers."""
    labels: dict[str, dict[int, Label]] = {}
    named: Mapping[Label, list[str]] = {"necessary": reply.necessary, "indirect": reply.indirect}
    for label, ids in named.items():
        for offer in (offers[id] for id in ids if id in offers):
            labels.setdefault(offer.source, {}).setdefault(offer.edge, label)
    return labels


def _target(hops: LoadedHops, offer: Offer, passages: Mapping[str, Passage]) -> str:
    """The title and headings that a hop leads to, or what the passage answers under the same."""
    source, target = passages.get(offer.source), passages.get(offer.target)
    place = one_line(place_of(target)) if target else ""
    same = source is None or place == one_line(place_of(source))
    return f"“{hops.graph.answered(offer.edge)}”" if same or not place else place


def telling(title: str, text: str, questions: Sequence[str]) -> str:
    """The sentences of ``text`` that share most keywords with each of ``questions``, in order.

    Each once; the first sentence where nothing is shared. The words of ``title`` do not count where
    a question has others, since the title is shown anyway.
    """
    named = keywords(title)
    spans = sentences(text)
    words = [keywords(span.plain) for span in spans]
    best = set()
    for question in questions:
        asked = keywords(question) - named or keywords(question)
        shared = [(len(asked & said), jaccard(asked, said)) for said in words]
        if shared and max(shared)[0]:
            best.add(shared.index(max(shared)))
    return (
        " … ".join(one_line(spans[place].plain) for place in sorted(best or {0})) if spans else ""
    )
