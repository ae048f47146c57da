"""Microsoft's GraphRAG, as it comes, asked by its local search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .phases import WAIT, Ask, Task, run

_TABLES = ("communities", "community_reports", "entities", "relationships", "text_units")
_LEVEL = 2  # of communities, as its command line has it


def _config(task: Task, largest: bool) -> Any:
    from graphrag.config.load_config import load_config  # type: ignore[import-not-found]

    root = Path(task.folder, "graphrag")
    root.mkdir(exist_ok=True)
    at = {"model_provider": "openai", "api_base": task.url, "api_key": "none"}
    chat = {**at, "model": task.model, "call_args": {"timeout": WAIT}}
    settings = {
        "completion_models": {"default_completion_model": chat},
        "embedding_models": {"default_embedding_model": {**at, "model": task.embeddings}},
        "vector_store": {
            "type": "lancedb",
            "db_uri": str(root / "lancedb"),
            "vector_size": task.dimension,
        },
        "cluster_graph": {"use_lcc": largest},
    }
    Path(root, "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    return load_config(root_dir=root)


async def index(task: Task, largest: bool = True) -> None:
    """Indexes ``task.documents``, each with its title before the text.

    Communities divide the ``largest`` component of the graph, as it comes, or all of it.
    """
    import pandas as pd  # type: ignore[import-untyped]
    from graphrag.api import build_index  # type: ignore[import-not-found]

    rows = [
        {"id": str(n), "text": f"{one['title']}\n\n{one['text']}", "title": one["title"]}
        for n, one in enumerate(task.documents)
    ]
    given = pd.DataFrame(rows).assign(creation_date="", metadata=None, raw_data=None)
    for part in await build_index(config=_config(task, largest), input_documents=given):
        if part.error is not None:
            raise part.error


async def opened(task: Task, largest: bool = True) -> Ask:
    """Answers by the local search, which is for questions about single things."""
    import pandas as pd
    from graphrag.api import local_search

    config, output = _config(task, largest), Path(task.folder, "graphrag", "output")
    tables = {name: pd.read_parquet(output / f"{name}.parquet") for name in _TABLES}

    async def ask(question: str) -> str:
        answer, _ = await local_search(
            config=config,
            **tables,
            covariates=None,
            community_level=_LEVEL,
            response_type="Multiple Paragraphs",
            query=question,
        )
        return str(answer)

    return ask


if __name__ == "__main__":
    run("graphrag", index, opened)
