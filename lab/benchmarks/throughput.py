"""Questions a second on the server, by the number of its jobs, with a stub in the model's place.

``python -m lab.benchmarks.throughput SET --graph crag``: the questions of a set are
asked all at once of ``langgraph dev``, whose model answers after a fixed time. To be run in a
checkout.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from ragraphs.context import IndexContext
from ragraphs.evaluation.datasets import load_dataset
from ragraphs.evaluation.retrieval import indexed
from ragraphs.state.usage import total_calls

from ..command import run
from .dev_server import dev_server
from .stub_model import MODEL, first_sentence, stub_model, texts_of

_WARMING = 8


def main(
    dataset: str,
    graph: str = "router",
    questions: Annotated[int, typer.Option(min=1, max=100)] = 96,
    milliseconds: int = 200,
    jobs: int = 8,
    passages: int = 10,
) -> None:
    """Questions a second with one job and with several, and their ratio."""
    found = load_dataset(dataset)
    asked = [
        f"{each.question} ({n})"
        for n, each in zip(range(questions + _WARMING), itertools.cycle(found.questions))
    ]
    rates: dict[int, float] = {}
    result: dict[str, Any] = {"graph": graph, "set": found.name, "questions": questions}
    with (
        stub_model(milliseconds / 1000, _reply) as stub,
        indexed(found.sources, IndexContext(embeddings="lexical")) as (index, _),
    ):
        for count in (1, jobs):
            # The temperature decides replies: those of the first round are not used again.
            context = {
                "index": index.folder.name,
                "model": MODEL,
                "temperature": count / 1000,
                "top_k": passages,
            }
            options = ("--n-jobs-per-worker", str(count))
            with dev_server(index.folder.parent, *options, OPENAI_BASE_URL=stub.url) as server:
                asyncio.run(_ask(server.url, graph, asked[:_WARMING], context))
                seconds, calls = asyncio.run(_ask(server.url, graph, asked[_WARMING:], context))
            rates[count] = questions / seconds
            result |= {f"jobs_{count}": round(rates[count], 2), "calls": calls / questions}
    print(json.dumps({**result, "ratio": round(rates[jobs] / rates[1], 2)}))


async def _ask(url: str, graph: str, questions: Sequence[str], context: Any) -> tuple[float, int]:
    """The seconds until all questions, asked at once, have their answers, and the calls made."""
    from langgraph_sdk import get_client

    client = get_client(url=url)
    started = time.perf_counter()
    answers: list[Any] = await asyncio.gather(
        *(
            client.runs.wait(None, graph, input={"question": question}, context=context)
            for question in questions
        )
    )
    seconds = time.perf_counter() - started
    await client.aclose()
    failed = [answer for answer in answers if not answer.get("sufficient")]
    if failed:
        raise RuntimeError(f"{len(failed)} questions were not answered, such as: {failed[0]}")
    return seconds, sum(total_calls(answer["usage"]) for answer in answers)


def _reply(kind: str, human: str) -> Any:
    """Everything is relevant, and the first sentence is the answer."""
    texts = texts_of(human)
    match kind:
        case "Grades":
            return {"needed": [id for id, _, _ in texts], "related": []}
        case "HopLabels":
            return {"labels": []}
        case "NextStep":
            return {"finish": bool(texts), "question": human, "source": "retrieve", "reason": ""}
    return first_sentence(human)


if __name__ == "__main__":
    run(main)
