"""Within a long document, words that stand together are found first."""

from __future__ import annotations

from pathlib import Path

import ragraphs
from ragraphs.index.opening import open_index
from ragraphs.index.retrieval import search

SNOW = "Snow fell on the roofs and in the yards. "
APART = (
    f"The clerk was in the town, the clerk of the town. {SNOW * 12}Nobody lives by snow, or lives."
)
TOGETHER = f"{SNOW * 12}The clerk lives in the town."
QUESTION = "Where in the town does the clerk live?"


def test_hybrid_search_prefers_the_passage_in_which_the_words_stand_together(tmp_path: Path):
    parts = [APART, TOGETHER, *(f"{SNOW * 12}A clerk of part {n} sang." for n in range(12))]
    text = "\n\n".join(f"# Stave {n}\n\n{part}" for n, part in enumerate(parts))
    (tmp_path / "novel.md").write_text(text)
    build = ragraphs.build("index", index=str(tmp_path / "index"), embeddings="lexical")
    build.invoke({"sources": [str(tmp_path / "novel.md")]}, context={"chunk_tokens": 128})
    index = open_index(str(tmp_path / "index"))
    by_words, by_both = (search(index, QUESTION, by, 1)[0]["text"] for by in ("lexical", "hybrid"))
    assert by_words.endswith("lives.") and by_both.endswith("lives in the town.")
