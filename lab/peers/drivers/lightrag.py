"""LightRAG, as it comes: two rounds of extraction, and the mode *mix*."""

from __future__ import annotations

from functools import partial
from typing import Any

from .phases import WAIT, Ask, Task, run


async def _opened(task: Task) -> Any:
    from lightrag import LightRAG  # type: ignore[import-not-found]
    from lightrag.llm.openai import openai_complete_if_cache, openai_embed  # type: ignore[import-not-found]
    from lightrag.utils import EmbeddingFunc  # type: ignore[import-not-found]

    at = {"base_url": task.url, "api_key": "none"}
    embed = partial(openai_embed.func, model=task.embeddings, **at)
    rag = LightRAG(
        working_dir=str(task.folder / "lightrag"),
        llm_model_func=partial(openai_complete_if_cache, task.model, **at, timeout=WAIT),
        llm_model_name=task.model,
        default_llm_timeout=WAIT,
        embedding_func=EmbeddingFunc(embedding_dim=task.dimension, func=embed),
    )
    await rag.initialize_storages()
    return rag


async def index(task: Task) -> None:
    """Inserts ``task.documents``, each with its title before the text."""
    rag = await _opened(task)
    texts = [f"{one['title']}\n\n{one['text']}" for one in task.documents]
    await rag.ainsert(texts, file_paths=[one["title"] for one in task.documents])
    await rag.finalize_storages()


async def opened(task: Task) -> Ask:
    """Answers as ``aquery`` gives them, by its own settings, without a reranker."""
    from lightrag import QueryParam

    rag = await _opened(task)

    async def ask(question: str) -> str:
        return str(await rag.aquery(question, param=QueryParam(enable_rerank=False)))

    return ask


if __name__ == "__main__":
    run("lightrag-hku", index, opened)
