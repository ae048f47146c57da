"""Simple tables of reStructuredText are read as tables."""

from __future__ import annotations

from pathlib import Path

from loading_support import only, text_of
from ragraphs.language.analyser import sentences
from ragraphs.stores.loading.columns import with_columns

TABLE = """\
====  ============  ==========
Code  Meaning       What to do
====  ============  ==========
F4    No flame      Open the valve
F5    Fan is stuck
====  ============  ==========
"""


def test_cells_are_told_with_their_headers_and_characters_keep_their_places(tmp_path: Path) -> None:
    file = tmp_path / "boiler.rst"
    file.write_text(f"Boiler\n======\n\nIt has codes.\n\n{TABLE}\nThat is all of it.\n")
    read = text_of(only(file))
    assert len(read) == len(file.read_text()) and read.find("F5") == file.read_text().find("F5")
    assert [one.plain for one in sentences(read)] == [
        "It has codes.",
        "Code: F4; Meaning: No flame; What to do: Open the valve",
        "Code: F5; Meaning: Fan is stuck",
        "That is all of it.",
    ]


def test_other_lines_of_signs_and_cells_over_two_columns_stay() -> None:
    for text in ("a == b\n\nx = = y\n", "====  ====\nNo end", "Title\n=====\n"):
        assert with_columns(text) == text
    spanned = with_columns(TABLE.replace("F5    Fan is stuck", "Either is repaired"))
    assert "Either is repaired" in spanned
