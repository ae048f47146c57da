"""GraphRAG without a model: search comes first, and few reports are read beside what it finds."""

from __future__ import annotations

from collections.abc import Mapping

from ...algorithms.fusion import reciprocal_rank_fusion
from ...algorithms.graphrag.report_context import pack
from ...algorithms.quotable import whole_sentences
from ...context import GraphragContext
from ...index.communities import load_communities
from ...index.opening import Index
from ...index.vectors import owner_of
from ...language.analyser import one_line
from ...models.protocol import OFFLINE
from ...models.query_vectors import embed_queries
from ...prompts.library import ANSWER
from ...prompts.prompt import FencedQuestion, number_passages
from ...prompts.replies import Answer, Quote
from ...state.found import BEGINNING
from ...state.graphrag import GraphragState
from ...state.records import Evidence
from ..citing import answered
from ..retrieve import first_and_ranking, ranking
from ..run import Run, Update

TEXTS_READ = 20
_NEAR = 100
_WEIGHT = 0.5  # of the heaviest communities beside the nearest
_NOT_SUMMED_UP = (
    "Without a model nothing is summed up: of the largest documents, each is shown by a sentence."
)


async def read_nearest(
    run: Run[GraphragContext], state: GraphragState, near: list[str], sizes: Mapping[str, int]
) -> Update:
    """Passages found for the question, and ``near`` texts, for the offline reader."""
    evidence, ranked = await first_and_ranking(run, state)
    return _read(run.context, evidence, ranked, near, sizes)


async def read_beginnings(
    run: Run[GraphragContext], heaviest: list[str], sizes: Mapping[str, int]
) -> Update:
    """The beginnings of the documents with most passages, and the ``heaviest`` reports."""
    evidence = await run.in_thread(_beginnings, run.context.top_k)
    return _read(run.context, evidence, ranking(evidence), heaviest, sizes)


def _beginnings(index: Index, most: int) -> list[Evidence]:
    """The first passages; of rows of tables, which are documents, only where there is room."""
    catalogue = index.catalogue
    order = sorted(catalogue.documents(), key=lambda one: ("#" in one["id"], -one["passages"]))
    first = catalogue.beginnings(one["id"] for one in order[:most])
    passages = catalogue.passages([id for id, _, _ in first.values()])
    return [{**passage, "score": 1.0, "found": BEGINNING} for passage in passages]


def _read(
    context: GraphragContext,
    evidence: list[Evidence],
    ranked: dict[str, float],
    texts: list[str],
    sizes: Mapping[str, int],
) -> Update:
    fitting = pack([sizes[id] for id in texts], context.context_tokens)[:1]
    batches = [[texts[place] for place in group] for group in fitting]
    return {"evidence": evidence, "ranked": ranked, "batches": batches}


async def first_found(run: Run[GraphragContext], state: GraphragState) -> Update:
    """The reading of the passages found for the question; one that answers goes before reports.

    Nothing with a model, which is shown reports alone.
    """
    evidence = state["evidence"]
    if run.context.model != OFFLINE or not evidence:
        return {}
    if evidence[0]["found"] == BEGINNING:
        run.meter.warn(_NOT_SUMMED_UP)
        said = [whole_sentences(passage["text"])[:1] for passage in evidence]
        quotes = [Quote(id=str(n), quote=one) for n, found in enumerate(said, 1) for one in found]
        reply = Answer(answer="", quotes=quotes, sufficient=False, missing=[])
    else:
        reply = await run.ask(ANSWER, question=state["question"], texts=number_passages(evidence))
    return {**answered(reply, evidence), "evidence": evidence}


def joined(first: Update, cited: Update) -> Update:
    """Evidence and citations of points, behind the ones that were found ``first``.

    Beginnings of documents stand alone.
    """
    if any(one["found"] == BEGINNING for one in first.get("evidence", ())):
        return {**cited, "citations": first["citations"], "evidence": first["evidence"]}
    known = {one["id"] for one in first.get("evidence", ())}
    more = [one for one in cited["evidence"] if one["id"] not in known]
    shown = first.get("citations", [])
    quoted = {one["passage"] for one in shown}
    return {
        **cited,
        "citations": [*shown, *(one for one in cited["citations"] if one["passage"] not in quoted)],
        "evidence": [*first.get("evidence", ()), *more],
    }


def in_form(question: str, context: GraphragContext) -> str:
    """The question as the prompt of an answer shows it: with the form that is wanted, if any."""
    form = one_line(context.response_type)
    return (
        FencedQuestion(question, f"{question}\n\nForm of the answer: {form}") if form else question
    )


def near_reports(index: Index, question: str, level: int) -> list[str]:
    """The communities of a level whose reports are nearest to the question, and of most weight."""
    view = load_communities(index)
    vector = embed_queries(index.embedder, [question])[0]
    found = [owner_of(id) for id, _ in index.vectors.search("reports", vector, _NEAR)]
    near = [id for id in dict.fromkeys(found) if view.is_at(id, level)]
    fused = reciprocal_rank_fusion([near, view.heaviest(level)], [1.0, _WEIGHT])
    return [id for id, _ in fused]
