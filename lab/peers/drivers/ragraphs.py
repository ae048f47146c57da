"""Ours: every layer, and the router."""

from __future__ import annotations

from typing import Any

from .phases import WAIT, Ask, Task, run

LAYERS = ["passages", "sentences", "hops", "entities", "communities"]


def _settings(task: Task) -> dict[str, Any]:
    model = {"model": f"openai:{task.model}", "timeout": WAIT}
    return {"index": str(task.folder / "index"), **model}


async def index(task: Task) -> None:
    """Reads ``task.documents`` for all layers."""
    import ragraphs

    embeddings = f"openai:{task.embeddings}"
    graph = ragraphs.build("index", embeddings=embeddings, layers=LAYERS, **_settings(task))
    documents = [{"id": one["title"], **one} for one in task.documents]
    await graph.ainvoke({"documents": documents})


async def opened(task: Task) -> Ask:
    """Answers by the router."""
    import ragraphs

    router = ragraphs.build("router", **_settings(task))

    async def ask(question: str) -> str:
        found = await router.ainvoke({"question": question})
        return str(found["answer"])

    return ask


if __name__ == "__main__":
    run("ragraphs", index, opened)
