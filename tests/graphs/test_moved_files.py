"""A file that has moved is known by its content: what was read and embedded of it is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ragraphs.index import opening, vectors
from ragraphs.nodes.index.passage_reader import PassageReader
from ragraphs.state.errors import RagraphsError
from same_index import assert_same

LAYERS = {"layers": ["sentences", "hops", "entities"]}
MOVES = {
    "docs/sonata.md": "docs/pieces/sonata.md",  # into a folder
    "docs/forth.txt": "docs/bridges/forth.txt",
    "docs/rows.jsonl": "docs/table.jsonl",  # under another name, with its rows
}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that a model reads to find questions and facts."""
    seen: list[str] = []
    own = PassageReader.read

    async def spy(self: PassageReader, shown: Any, kinds: Any) -> Any:
        seen.append(shown.text)
        return await own(self, shown, kinds)

    monkeypatch.setattr(PassageReader, "read", spy)
    return seen


def move(folder: Path, old: str, new: str) -> None:
    (folder / new).parent.mkdir(exist_ok=True)
    (folder / old).rename(folder / new)


def paths(indexing: Any) -> set[str]:
    return {row["path"] for row in indexing.index.catalogue.documents()}


def test_moved_files_are_neither_read_nor_embedded_again(indexing, other, read, embedded):
    indexing.run("docs", context=LAYERS)
    assert (len(read), len(indexing.texts())) == (4, 4)
    read.clear()
    for old, new in MOVES.items():
        move(indexing.folder, old, new)
    embedded.clear()
    result = indexing.run("docs", context=LAYERS)
    assert read == []
    assert [text for text in embedded if any(one in text for one in indexing.texts())] == []
    counted = [result[name] for name in ("added", "updated", "unchanged", "removed")]
    assert counted == [0, 4, 0, 0]
    assert paths(indexing) == set(MOVES.values())
    other.run("docs", context=LAYERS)
    assert_same(indexing.index, other.index)
    by_path = indexing.index.catalogue.only({"path": "docs/pieces/*"})
    assert [one["document"] for one in by_path.all_passages()] == ["docs/pieces/sonata.md"]
    found = indexing.index.vectors.entries("passages")
    told = {entry.metadata["path"] for entries, _ in found for entry in entries}
    assert told == set(MOVES.values())


@pytest.mark.slow
def test_a_folder_that_was_renamed_takes_the_place_of_the_one_before(indexing, read):
    indexing.run("docs", context=LAYERS)
    read.clear()
    (indexing.folder / "docs").rename(indexing.folder / "papers")
    indexing.run("papers", context=LAYERS)
    assert read == []
    assert paths(indexing) == {"papers/forth.txt", "papers/rows.jsonl", "papers/sonata.md"}
    indexing.assert_whole()


@pytest.mark.slow
def test_of_two_equal_files_each_is_a_document(indexing):
    indexing.run("docs")
    text = (indexing.folder / "docs/sonata.md").read_text()
    (indexing.folder / "docs/copy.md").write_text(text)
    assert indexing.run("docs")["added"] == 1
    (indexing.folder / "docs/sonata.md").unlink()
    (indexing.folder / "docs/copy.md").rename(indexing.folder / "docs/last.md")
    result = indexing.run("docs")
    assert (result["updated"], result["removed"]) == (1, 1)
    assert "docs/last.md" in paths(indexing) and len(indexing.texts()) == 4


@pytest.mark.slow
def test_a_text_titled_by_its_file_is_read_anew_under_another_name(indexing, read):
    indexing.run("docs", context=LAYERS)
    read.clear()
    move(indexing.folder, "docs/forth.txt", "docs/firth.txt")
    indexing.run("docs", context=LAYERS)
    [text] = read
    assert "Forth Bridge" in text
    [passage] = indexing.index.catalogue.passages_of(["docs/firth.txt"])["docs/firth.txt"]
    assert passage["title"] == "firth"


@pytest.mark.slow
def test_imported_triples_move_with_their_text(indexing):
    line = {"passage": "sonata.md", "entities": ["Sonata"], "triples": [["Sonata", "is", "music"]]}
    (indexing.folder / "triples.jsonl").write_text(json.dumps(line))
    triples = str(indexing.folder / "triples.jsonl")
    indexing.run("docs", triples=[triples], context={"layers": ["entities"]})
    before = dict(indexing.index.readings.values("facts")).values()
    move(indexing.folder, "docs/sonata.md", "docs/piece.md")
    indexing.run("docs", context={"layers": ["entities"]})
    after = dict(indexing.index.readings.values("facts")).values()
    assert sorted(map(str, after)) == sorted(map(str, before))


def test_a_dry_run_counts_nothing_for_a_move(indexing):
    indexing.run("docs")
    move(indexing.folder, "docs/sonata.md", "docs/piece.md")
    result = indexing.run("docs", context={"dry_run": True})
    assert (result["updated"], result["removed"], result["plan"]["passages"]) == (1, 0, 0)


@pytest.mark.slow
def test_vectors_are_taken_over_by_the_run_after_one_that_ended(indexing, embedded, monkeypatch):
    indexing.run("docs")
    move(indexing.folder, "docs/sonata.md", "docs/piece.md")

    def lost(index: Any) -> None:
        raise RagraphsError("The run ended here.")

    with monkeypatch.context() as patch:
        patch.setattr(vectors, "_rename_moved", lost)
        with pytest.raises(RagraphsError, match="ended here"):
            indexing.run("docs")
    opening._open.clear()
    embedded.clear()
    indexing.run("docs")
    assert embedded == [] and indexing.index.catalogue.moved_passages() == {}
    indexing.assert_whole()
