"""How much a global question reads at each level of the communities, against all source texts.

``python -m lab.benchmarks.community_tokens SOURCE``: the paper's table (Edge et al.
2024, table 3): units, tokens, and tokens as a share of the tokens of the source texts (TS).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragraphs.context import IndexContext
from ragraphs.evaluation.retrieval import indexed
from ragraphs.index.communities import load_communities, report_text
from ragraphs.index.opening import Index
from ragraphs.language.analyser import count_tokens
from ragraphs.state.index import IndexInput

from ..command import run


def main(
    source: str,
    triples: str | None = None,
    embeddings: str = "lexical",
    chunk_tokens: int = 600,
    chunk_overlap: int = 100,
    max_cluster_size: int = 10,
) -> None:
    """Units and tokens of the reports at each level, and of the source texts."""
    context = IndexContext(
        embeddings=embeddings,
        layers=["communities"],
        chunk_tokens=chunk_tokens,
        chunk_overlap=chunk_overlap,
        max_cluster_size=max_cluster_size,
    )
    given: IndexInput = {"sources": [source], "triples": [triples] if triples else []}
    with indexed(given, context) as (index, _):
        rows = table(index)
    print(json.dumps({"source": Path(source).name, "rows": rows}, indent=2))


def table(index: Index) -> list[dict[str, Any]]:
    """A row for each level from the root down, and one for the source texts; blocks."""
    view = load_communities(index)
    texts = [f"{one['title']}\n{one['text']}" for one in index.catalogue.all_passages()]
    whole = sum(map(count_tokens, texts))
    deepest = max(community.level for community in view.communities.values())
    rows = []
    for level in range(deepest + 1):
        reports = [report for _, report in view.reports(view.at(level))]
        shown = [f"{report['title']}\n{report_text(report)}" for report in reports]
        rows.append(_row(f"C{level}", shown, whole))
    return [*rows, _row("TS", texts, whole)]


def _row(condition: str, texts: list[str], whole: int) -> dict[str, Any]:
    tokens = sum(map(count_tokens, texts))
    return {
        "condition": condition,
        "units": len(texts),
        "tokens": tokens,
        "percent": round(100 * tokens / whole, 1),
    }


if __name__ == "__main__":
    run(main)
