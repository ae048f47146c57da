"""Titles of documents, places of passages, and documents that lift their passages."""

from __future__ import annotations

from pathlib import Path

import pytest
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph
from ragraphs.index.opening import Index, open_index
from ragraphs.index.retrieval import search
from ragraphs.state.places import place_of
from ragraphs.views.status import export_lines

TEXT = "\n\nSome words on {} that stand below the heading of this page.\n"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


def write(docs: Path, name: str, heading: str) -> None:
    (docs / f"{name}.md").write_text(f"# {heading}{TEXT.format(name)}")


def indexed(docs: Path, name: str = "index") -> Index:
    context = IndexContext(index=str(docs.parent / name), embeddings="lexical")
    graph.invoke({"sources": [str(docs)]}, context=context)
    return open_index(str(docs.parent / name))


def titles(index: Index) -> list[str]:
    assert {row["title"] for row in index.catalogue.documents()} == {
        passage["title"] for passage in index.catalogue.all_passages()
    }
    return sorted(row["title"] for row in index.catalogue.documents())


@pytest.mark.slow
def test_a_title_that_three_documents_share_gives_way_to_the_names_of_their_files(docs):
    write(docs, "harbour", "Overview")
    write(docs, "bridges", "Overview")
    assert titles(indexed(docs)) == ["Overview", "Overview"]
    write(docs, "ferries", "Overview")
    write(docs, "tides", "On tides")
    index = indexed(docs)
    assert titles(index) == ["On tides", "bridges", "ferries", "harbour"]
    assert list(export_lines(index)) == list(export_lines(indexed(docs, "fresh")))
    assert [found["title"] for found in search(index, "bridges", "lexical", 1)] == ["bridges"]
    (docs / "harbour.md").unlink()
    assert titles(indexed(docs)) == ["On tides", "Overview", "Overview"]


@pytest.mark.slow
def test_the_headings_above_a_passage_are_searched_and_told(docs):
    pages = ["# Manual", "## Pumps", "### Winter", "Drain all pipes.", "## Valves", "Turn them."]
    (docs / "manual.md").write_text("\n\n".join(pages))
    (docs / "other.md").write_text("# Other\n\nNothing of the kind.")
    context = IndexContext(index=str(docs.parent / "index"), embeddings="lexical", chunk_tokens=32)
    graph.invoke({"sources": [str(docs)]}, context=context)
    index = open_index(str(docs.parent / "index"))
    [found] = search(index, "winter", "lexical", 1)
    assert place_of(found).startswith("Manual")


@pytest.mark.slow
def test_a_heading_that_changes_above_a_text_changes_its_passage(docs):
    said = [f"It turns {n} times and makes a noise, no cause for alarm." for n in range(80)]
    text = "# Manual\n\n## {}\n\n" + " ".join(said[:40]) + "\n\n" + " ".join(said[40:])
    (docs / "manual.md").write_text(text.format("Pumps"))
    indexed(docs)
    (docs / "manual.md").write_text(text.format("Engines"))
    index = indexed(docs)
    assert not search(index, "pumps", "lexical", 5)
    assert len(search(index, "engines", "lexical", 9)) == index.catalogue.count_passages() > 1
    assert list(export_lines(index)) == list(export_lines(indexed(docs, "fresh")))


def test_one_long_document_hardly_lifts_those_of_one_passage(docs):
    """All that a short page says is in its passage, its title too."""
    pages = {
        "The Copper Lamp": "The Copper Lamp is a film. It was directed by Ada Quill in 1931.",
        "Ada Quill": "Ada Quill was born in Corin. She was a daughter of Cora Vane, a painter.",
        **{f"The mother of a film director, part {n}": f"Played on stage {n}." for n in range(40)},
    }
    documents = [{"id": name, "title": name, "text": text} for name, text in pages.items()]
    question = "Who is the mother of the director of the film The Copper Lamp?"

    def found(name: str, given: list[dict[str, str]]) -> dict[str, float]:
        folder = str(docs.parent / name)
        context = IndexContext(index=folder, embeddings="lexical", layers=["sentences"])
        graph.invoke({"documents": given}, context=context)
        passages = search(open_index(folder), question, "graph", 50)
        return {one["title"]: one["score"] / passages[0]["score"] for one in passages}

    before = found("short", documents)
    words = " ".join(f"The mother of number {n} saw a film." for n in range(60))
    after = found("long", [*documents, {"id": "long", "title": "A list", "text": words}])
    assert all(after[title] == pytest.approx(0, abs=0.05) for title in [*pages][2:])
    assert after["Ada Quill"] >= before["Ada Quill"]
