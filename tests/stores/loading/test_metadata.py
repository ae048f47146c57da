"""Metadata that files state of themselves, and of their parts."""

from __future__ import annotations

import json
import time
from datetime import date, datetime
from pathlib import Path

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading_support import Write, only
from pdf_files import pdf
from ragraphs.stores.loading.load import load
from ragraphs.stores.loading.metadata import fitting, front_metadata
from ragraphs.stores.loading.sections import joined, markdown_parts, rst_parts
from ragraphs.stores.loading.types import DocumentBlock, Limits, LoadedDocument


def sections(document: LoadedDocument) -> list[tuple[str, str]]:
    """The section that begins at each place, and the first line there."""
    return [
        (str(metadata.get("section", "")), block[place:].partition("\n")[0])
        for block in document.blocks
        if isinstance(block, DocumentBlock)
        for place, metadata in block.places
    ]


def rows(path: Path) -> list[dict[str, object]]:
    return [dict(row.metadata) for row in load(path) if isinstance(row, LoadedDocument)]


def seconds_of(front: str) -> float:
    began = time.process_time()
    front_metadata(front)
    return time.process_time() - began


class TestFitting:
    def test_scalars_texts_and_dates_are_kept_and_the_rest_is_left_out(self) -> None:
        values = {
            "text": " Ada ", "number": 1.5, "yes": True, "tags": ["a", "b", "a", 2], "none": None,
            "day": date(2024, 5, 1), "time": datetime(2024, 5, 1, 9), "nested": {"a": 1},
            "deep": [["a"]], "empty": "", "list": [], "": 1, "_x": 1, "$gt": 1, "k" * 65: 1,
            "big": 2**70, "nan": float("nan"), "bytes": b"x", "long": "x" * 9000,
        }  # fmt: skip
        assert fitting({**values, 3: "x"}) == {
            "text": "Ada", "number": 1.5, "yes": True, "tags": ["a", "b", "2"],
            "day": "2024-05-01", "time": "2024-05-01T09:00:00",
        }  # fmt: skip

    def test_common_names_are_written_alike(self) -> None:
        stated = {"Authors": ["Ada"], "DATE": "2024", "Lang": "ko", "Title": "T"}
        assert fitting(stated) == {
            "author": ["Ada"],
            "date": "2024",
            "language": "ko",
            "Title": "T",
        }

    @pytest.mark.slow
    @settings(max_examples=20)
    @given(st.dictionaries(st.text(max_size=70), st.text() | st.integers(), max_size=9))
    def test_there_are_at_most_fifty_keys_and_8_kb(self, values: dict[str, object]) -> None:
        values |= {f"key {number}": "김" * 60 for number in range(60)}
        kept = fitting(values)
        assert len(kept) <= 50
        assert len(json.dumps(kept, ensure_ascii=False).encode()) <= 8 * 1024


class TestMarkdown:
    def test_front_matter_becomes_metadata(self, write: Write) -> None:
        front = "title: T\nauthor: Ada\ndate: 2024-05-01\ntags: [a, 2]\nn: {x: 1}\npage: 9\n# no\n"
        loaded = only(write("a.md", f"---\n{front}---\ntext\n"))
        assert loaded.metadata == {"author": "Ada", "date": "2024-05-01", "tags": ["a", "2"]}
        assert sections(loaded) == [("", "---")]

    @pytest.mark.parametrize(
        "front",
        [
            "a: &a [x]\nb: *a\n",
            "a: " + "[" * 5000,
            "a: 2024-13-45\n",
            "a: !!python/object/apply:os.system [ls]\n",
            "x\n" * 20_000,
            "- a\n- b\n",
            "a: " + "9" * 6000 + "\n",
            "? {a: b}\n: c\n",
            "a: \x07\n",
            "a: !!bool x\n",
            "a: !!timestamp x\n",
            "a: !!int ''\n",
            "a: [0x" + "f" * 6000 + "]\n",
        ],
    )
    def test_front_matter_that_is_odd_is_no_metadata(self, write: Write, front: str) -> None:
        loaded = only(write("a.md", f"---\n{front}---\ntext\n"))
        assert loaded.metadata == {}

    @pytest.mark.parametrize(
        "front",
        [
            "a: " + "[" * 499 + ",a" * 7000,
            "a: " + "[" * 499 + "a," * 7000 + "]" * 499,
            "a: " + "[" * 9 + "a," * 7000 + "]" * 9,
            "a: {" + "a," * 8000 + "}",
            "a: {" + "{},[]," * 2500 + "}",
            "a: [" + "a: b," * 3000 + "]",
            "a: b\n" * 3000,
            "? a\n" * 4000,
            "- " * 8000,
            "- !a &b c\n" * 1600,
            "".join(" " * n + "a:\n" for n in range(170)),
            "a: {" + "<<: {a: 1}," * 1400 + "}",
            "a: " + "1:" * 8000 + "1",
            "a: " + "b\n\n  " * 3000,
        ],
    )
    def test_front_matter_of_any_form_takes_little_time(self, front: str) -> None:
        front_metadata("title: T\n")
        assert min(seconds_of(front) for _ in range(3)) < 0.2

    def test_front_matter_with_dozens_of_lists_is_read(self) -> None:
        tags = ", ".join(f"tag {n}" for n in range(12))
        front = "".join(f"key {n}: [{tags}]\n" for n in range(25))
        front += "".join(f"line {n}:\n" + "- one\n- two\n- three\n" for n in range(20))
        told = front_metadata(front + "deep: [[[1]]]\nlast: x\n")
        assert len(told) == 46 and told["key 24"] == tags.split(", ")
        assert (told["line 19"], told["last"]) == (["one", "two", "three"], "x")

    def test_sections_follow_the_headings_outside_of_code(self, write: Write) -> None:
        text = (
            "Intro.\n\n# One #\n\n````\n# code\n```\n````\n\n## Two\ntext\n~~~\n## more code\n~~~\n"
            "Three\n=====\n\npara\ngraph\n---\n\n#hashtag\n   ### *Four*\n\n- item\n---\n"
        )
        assert sections(only(write("a.md", text))) == [
            ("", "Intro."),
            ("One", "# One #"),
            ("One › Two", "## Two"),
            ("One › Two › Four", "   ### *Four*"),
        ]

    def test_an_underlined_line_that_stands_alone_is_a_heading(self, write: Write) -> None:
        text = "One\n===\n\ntext\n\nTwo\n---\n"
        assert sections(only(write("a.md", text))) == [("One", "One"), ("One › Two", "Two")]

    def test_a_fence_goes_on_in_the_next_block(self, write: Write) -> None:
        text = "# One\n\n```\n" + "# code\n\n" * 50 + "```\n\n# Two\n"
        loaded = only(write("a.md", text), limits=Limits(block_characters=60))
        assert {name for name, _ in sections(loaded)} == {"One", "Two"}

    @settings(max_examples=50)
    @given(st.lists(st.text("# `~=-ab\n", max_size=80), max_size=8))
    def test_the_text_stays_as_it_is(self, blocks: list[str]) -> None:
        for parts in (markdown_parts, rst_parts):
            told = list(parts(blocks))
            assert told == blocks
            for part in told:
                places = [place for place, _ in part.places]
                assert places == sorted(set(places)) and places[-1] <= len(part)


def test_sections_of_rst_follow_the_order_of_its_underlines(write: Write) -> None:
    text = (
        "=====\nTitle\n=====\n\nIntro.\n\nPart\n----\n\n.. include:: /etc/passwd\n\nSub\n~~~\n\nx\n"
        "\nPart 2\n------\n\n=====  =====\na      b\n=====  =====\n\nno\nheading\n-------\n"
    )
    loaded = only(write("a.rst", text))
    table = text.replace("=====  =====", " " * 12).replace("a      b", "a    | b")
    assert (loaded.title, "".join(loaded.blocks)) == ("Title", table)
    assert [name for name, _ in sections(loaded)] == [
        "Title", "Title › Part", "Title › Part › Sub", "Title › Part 2",
    ]  # fmt: skip


@pytest.mark.parametrize("heading", ["# a\n", "a\n=\n", "===\n", "```\n", "a" * 300 + "\n---\n"])
@pytest.mark.parametrize("ending", [".md", ".rst"])
def test_many_headings_are_read_in_time(write: Write, heading: str, ending: str) -> None:
    path = write(f"a{ending}", heading * (200_000 // len(heading)))
    assert sum(map(len, only(path).blocks)) > 190_000


def test_source_code_is_called_like_its_file_and_has_a_language(write: Write) -> None:
    loaded = only(write("main.PY", "Title\n\nx = 1\n"))
    assert (loaded.title, loaded.metadata) == ("main.PY", {"language": "python"})


def test_a_web_page_has_sections_an_author_a_date_and_a_language(write: Write) -> None:
    page = (
        "<html lang=ko><head><meta name=Author content='Ada'>"
        "<meta property='article:published_time' content='2024-05-01'></head><body>"
        "<nav><h2>Menu</h2></nav><p>Intro.</p><h1>One <i>big</i></h1><p>a</p><h2>Two</h2><p>b</p>"
        "<table><tr><td><h3>Three</h3></td><td>c</td></tr></table><h4></h4><h1>Four</h1>"
    )
    loaded = only(write("a.html", page))
    assert loaded.metadata == {"author": "Ada", "date": "2024-05-01", "language": "ko"}
    found = [(name, line) for name, line in sections(loaded) if line]
    assert found == [
        ("", "Intro."), ("One big", "One big"), ("One big › Two", "Two"),
        ("One big › Two › Three", "Three"), ("Four", "Four"),
    ]  # fmt: skip


def test_a_word_file_has_an_author_a_date_and_sections(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Before.")
    document.add_heading("One", 1)
    document.add_heading("Two", 2)
    document.add_paragraph("text")
    document.core_properties.author = "Ada"
    document.core_properties.modified = datetime(2024, 5, 1)
    document.save(str(tmp_path / "a.docx"))
    loaded = only(tmp_path / "a.docx")
    assert loaded.metadata == {"author": "Ada", "date": "2024-05-01T00:00:00+00:00"}
    assert sections(loaded) == [
        ("", "Before."), ("One", "One"), ("One › Two", "Two"),
    ]  # fmt: skip


def test_the_pages_of_a_pdf_are_numbered_and_its_author_and_date_are_told(write: Write) -> None:
    data = pdf("One.", "", "Three.", title="T) /Author (Ada) /CreationDate (D:20240501093000Z")
    loaded = only(write("a.pdf", data))
    pages = [(str(block), dict(block.metadata)) for block in loaded.blocks]  # type: ignore[attr-defined]
    assert pages == [("One.\n\n", {"page": 1}), ("Three.\n\n", {"page": 3})]
    assert loaded.metadata == {"author": "Ada", "date": "2024-05-01T09:30:00+00:00"}


class TestRows:
    def test_other_keys_of_a_line_are_metadata_and_those_under_metadata_too(
        self, write: Write
    ) -> None:
        row = {"id": "a", "title": "T", "text": "x", "year": 1843, "tags": ["a"], "more": {"a": 1}}
        row["metadata"] = {"author": "Ada", "year": 1900, "path": "b", "deep": {}}
        assert rows(write("a.jsonl", json.dumps(row))) == [
            {"author": "Ada", "year": 1843, "tags": ["a"]}
        ]
        assert rows(write("a.json", json.dumps([row])))[0]["author"] == "Ada"

    def test_other_columns_are_metadata_where_there_is_a_text(self, write: Write) -> None:
        table = "ID,Text,Year,Code,Share,Author\n1,Hello.,1990,007,0.5,Ada\n2,Bye.,,,,\n"
        assert rows(write("a.csv", table)) == [
            {"Year": 1990, "Code": "007", "Share": 0.5, "author": "Ada"},
            {},
        ]

    def test_columns_that_are_the_text_are_no_metadata(self, write: Write) -> None:
        assert rows(write("a.csv", "Name,Year\nAda,1843\n")) == [{}]


def test_joined_texts_have_the_metadata_of_each() -> None:
    pieces = [("a\n", {"section": "A"}), ("b\n", {"section": "A"}), ("c\n", {"section": "C"})]
    (whole,) = joined(pieces, 100)  # type: ignore[arg-type]
    assert (whole, list(whole.places)) == ("a\nb\nc\n", [(0, pieces[0][1]), (4, pieces[2][1])])
    assert [str(part) for part in joined(pieces, 3)] == ["a\nb\n", "c\n"]  # type: ignore[arg-type]
