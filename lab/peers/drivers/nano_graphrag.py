"""nano-graphrag, as it comes, asked by its local search."""

from __future__ import annotations

from functools import partial
from typing import Any

from .phases import WAIT, Ask, Task, run


def _opened(task: Task) -> Any:
    import numpy as np
    from nano_graphrag import GraphRAG, _llm  # type: ignore[import-not-found]
    from nano_graphrag._utils import wrap_embedding_func_with_attrs  # type: ignore[import-not-found]
    from openai import AsyncOpenAI

    client = _llm.global_openai_async_client = AsyncOpenAI(timeout=WAIT)

    async def embed(texts: list[str]) -> Any:
        found = await client.embeddings.create(model=task.embeddings, input=texts)
        return np.array([one.embedding for one in found.data])

    complete = partial(_llm.openai_complete_if_cache, task.model)
    return GraphRAG(
        working_dir=str(task.folder / "nano"),
        best_model_func=complete,
        cheap_model_func=complete,
        embedding_func=wrap_embedding_func_with_attrs(
            embedding_dim=task.dimension, max_token_size=8192
        )(embed),
    )


async def index(task: Task) -> None:
    """Inserts ``task.documents``, each with its title before the text."""
    await _opened(task).ainsert([f"{one['title']}\n\n{one['text']}" for one in task.documents])


async def opened(task: Task) -> Ask:
    """Answers by the local search, which is for questions about single things."""
    from nano_graphrag import QueryParam

    rag = _opened(task)

    async def ask(question: str) -> str:
        return str(await rag.aquery(question, param=QueryParam(mode="local")))

    return ask


if __name__ == "__main__":
    run("nano-graphrag", index, opened)
