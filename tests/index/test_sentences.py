"""The graph of passages answers while a run that removes documents has not made it anew."""

from __future__ import annotations

from pathlib import Path

import ragraphs
from ragraphs.index.opening import open_index
from ragraphs.index.retrieval import search

TEXTS = {
    "forth": "The Forth Bridge was designed by Benjamin Baker.",
    "tower": "The Arlen Tower was designed by Ada Quill.",
    "gate": "The Brass Gate was opened by Ben Rook in 1901.",
}


def test_what_a_killed_run_has_removed_takes_no_answer_from_the_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    for name, text in TEXTS.items():
        Path(f"docs/{name}.txt").write_text(text)
    ragraphs.build("index", index="i", embeddings="lexical", layers=["sentences"]).invoke(
        {"sources": ["docs"]}
    )
    index = open_index("i")
    gone = [one["id"] for one in index.catalogue.all_passages() if "Tower" in one["text"]]
    for remove in (
        lambda: index.catalogue.remove_documents([document_of(index, "tower")]),
        lambda: index.vectors.remove("passages", gone),
    ):
        remove()
        index.kept.clear()  # as another process sees it
        found = search(index, "Who designed the Forth Bridge?", "graph", 3)
        assert found[0]["text"] == TEXTS["forth"] and len(found) == 2


def document_of(index: ragraphs.Index, name: str) -> str:
    (found,) = {
        one["document"] for one in index.catalogue.all_passages() if name in one["document"]
    }
    return found
