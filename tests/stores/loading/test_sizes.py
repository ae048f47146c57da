"""Sizes: nothing that a document says once is said again with each passage of it."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import docx
import pytest
from loading_support import Write, documents, failures, only, text_of
from pdf_files import pdf
from ragraphs.language.analyser import LONGEST_TITLE
from ragraphs.stores.loading.load import load
from ragraphs.stores.loading.types import LoadedDocument

LONG = "title " * 20_000
ROWS = 300


def word_file(path: Path) -> bytes:
    document = docx.Document()
    document.add_heading(LONG)
    document.add_paragraph("text " * 2_000)
    document.save(str(path))
    return path.read_bytes()


def hostile_files(folder: Path) -> dict[str, bytes]:
    """A file of each kind whose title, column or nesting is most of it."""
    rows = [{"id": str(number), "title": LONG[:3_000], "text": "x"} for number in range(ROWS)]
    deep: object = [1] * 5_000
    for _ in range(150):
        deep = [deep]
    return {
        "a.txt": f"{LONG[:120]}\n\nshort".encode(),
        "a.md": f"# {LONG}\n\n".encode() + b"text " * 2_000,
        "b.md": f"---\ntitle: {LONG}\n---\n".encode() + b"text " * 2_000,
        "a.html": f"<title>{LONG}</title><p>".encode() + b"text " * 2_000,
        "a.json": json.dumps(rows).encode(),
        "b.json": json.dumps(deep).encode(),
        "a.jsonl": "\n".join(map(json.dumps, rows)).encode(),
        "a.csv": f"{LONG},b\n".encode() + b"1,2\n" * ROWS,
        "a.pdf": pdf(*["Text."] * 20, title=LONG[:60_000]),
        "a.docx": word_file(folder / "made.docx"),
    }


@pytest.mark.parametrize(
    "name", "a.txt a.md b.md a.html a.json b.json a.jsonl a.csv a.pdf a.docx".split()
)
def test_the_texts_of_a_file_are_as_long_as_the_file_but_for_a_constant(
    write: Write, tmp_path: Path, name: str
) -> None:
    content = hostile_files(tmp_path)[name]
    list(load(write("warm-up.txt", "text")))
    path = write(name, content)
    list(load(path))
    tracemalloc.start()
    try:
        loaded = [each for each in load(path) if isinstance(each, LoadedDocument)]
        told = sum(len(each.title) + len(each.id) + len(text_of(each)) for each in loaded)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert loaded
    assert all(len(each.title) <= LONGEST_TITLE for each in loaded)
    assert told <= 45 * len(content)
    assert peak <= 60 * len(content) + 2_000_000


def test_a_long_title_is_cut_and_says_so(write: Write) -> None:
    title = only(write("a.md", f"# {LONG}\n\ntext")).title
    assert title.startswith("title title") and title.endswith("…")
    assert len(title) <= LONGEST_TITLE


def test_a_row_with_an_endless_id_is_left_out_with_a_reason(write: Write) -> None:
    rows = [{"id": "x" * 2_000, "text": "lost"}, {"id": "y", "text": "kept"}]
    path = write("a.json", json.dumps(rows))
    assert [id for id, _, _ in documents(path)] == ["y"]
    assert "shorten it" in failures(path)[0]


def test_the_layout_of_json_stays_readable(write: Write) -> None:
    text = text_of(only(write("a.json", json.dumps({"a": {"b": [1, "x\n  y"]}}))))
    assert text == json.dumps({"a": {"b": [1, "x\n  y"]}}, indent=2)
