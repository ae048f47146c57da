"""Bounds of the text made of a file: however its parts are nested, shared or listed again."""

from __future__ import annotations

import json
import random
import time
import zipfile
from pathlib import Path

import pytest
from fast_run import fast
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loading_support import Write, documents, failures, peak_mb, reason, text_of
from ragraphs.stores.loading.load import load
from ragraphs.stores.loading.types import DocumentBlock, Limits, LoadedDocument, LoadFailure

from lab.attack.hostile_files import SHAPES
from lab.attack.repetition import REPEATED

SENTENCE = "The Forth Bridge was built by William Arrol. "


def unpacked(path: Path) -> int:
    """The bytes of a file, as unpacked if it is packed."""
    if not zipfile.is_zipfile(path):
        return path.stat().st_size
    with zipfile.ZipFile(path) as packed:
        return sum(part.file_size for part in packed.infolist())


def repeated(folder: Path, kind: str, text: str, times: int) -> Path:
    path = folder / f"repeated.{kind.split()[0]}"
    path.write_bytes(REPEATED[kind](text, times))
    return path


@settings(
    max_examples=settings.default.max_examples // 10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    text=st.sampled_from(["x", " ", "ab\n\n", SENTENCE, SENTENCE * 50, "한국어 ", "<&>"]),
    times=st.integers(1, 400),
)
@pytest.mark.parametrize("kind", [kind for kind in REPEATED if "in forms" not in kind])
def test_a_file_makes_at_most_45_characters_for_each_of_its_bytes(
    tmp_path: Path, kind: str, text: str, times: int
) -> None:
    path = repeated(tmp_path, kind, text, times)
    loaded = list(load(path))
    made = sum(len(text_of(one)) for one in loaded if isinstance(one, LoadedDocument))
    assert loaded and made <= 45 * unpacked(path)
    assert all(one.reason.endswith(".") for one in loaded if isinstance(one, LoadFailure))


GROWING = [
    ("pptx with a long header", 100_000, 1000),
    ("odt of tables in tables", 2000, 80),
    ("xlsx of shared texts", 30_000, 1000),
    ("pptx with a slide listed again", 1000, 20_000),
    ("xlsx with a sheet listed again", 1000, 2000),
    ("epub with a chapter listed again", 1000, 5000),
    ("pdf with a page listed again", 1000, 5000),
    ("pdf with a form drawn again", 1000, 500),
    ("pdf of forms in forms", 1000, 12),
    ("odt of levels", 200, 3000),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "length", "times"), fast(GROWING, *GROWING[:3]))
def test_nothing_small_becomes_large(tmp_path: Path, kind: str, length: int, times: int) -> None:
    path = repeated(tmp_path, kind, (SENTENCE * (length // 40))[:length], times)
    assert peak_mb(path) < 50
    loaded = list(load(path))
    made = sum(len(text_of(one)) for one in loaded if isinstance(one, LoadedDocument))
    assert made <= 45 * unpacked(path)


@pytest.mark.parametrize(
    ("kind", "times"),
    [
        ("eml with a long parameter", 5000),
        ("eml of parts in parts", 2000),
        ("csv of columns", 10_000),
        ("md with front matter", 15_000),
        ("md of headings", 5000),
        ("rst of underlines", 5000),
        ("html of attributes", 3000),
    ],
)
def test_reading_takes_no_longer_than_the_file_is_long(
    tmp_path: Path, kind: str, times: int
) -> None:
    path = repeated(tmp_path, kind, SENTENCE, times)
    assert path.stat().st_size < 160_000
    began = time.process_time()
    list(load(path))
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "name", ["a.html", "a.json", "a.eml", "a.docx", "a.odt", "a.pptx", "a.xlsx", "a.epub", "a.pdf"]
)
def test_more_text_than_the_operator_allows_is_refused_with_its_setting(
    tmp_path: Path, write: Write, name: str
) -> None:
    kinds = {kind.split()[0]: kind for kind in reversed(REPEATED)}
    make = REPEATED[kinds[name[2:]]]
    text = SENTENCE * 50
    content = make(text, 3) if name != "a.json" else json.dumps([text]).encode()
    path = write(name, content)
    told = reason(path, limits=Limits(text_characters=100))
    assert told == f"{name} has more than 100 characters of text; split it, or raise " + (
        "RAGRAPHS_MAX_CHARACTERS."
    )


def test_plain_text_is_bounded_too_while_it_streams(write: Write) -> None:
    path = write("a.txt", SENTENCE * 10_000)
    limits = Limits(plain_characters=100_000)
    told = []
    with pytest.raises(Exception, match=r"more than 100,000 characters.*RAGRAPHS_MAX_CHARACTERS"):
        for loaded in load(path, limits=limits):
            assert isinstance(loaded, LoadedDocument)
            told += list(loaded.blocks)
    assert sum(map(len, told)) <= 100_000
    assert list(load(path)) != []


def test_a_row_is_left_out_that_is_too_long_and_the_others_are_read(write: Write) -> None:
    limits = Limits(line_characters=1000)
    rows = [{"id": "a", "text": SENTENCE * 100}, {"id": "b", "text": SENTENCE}]
    path = write("a.json", json.dumps(rows))
    assert [id for id, _, _ in documents(path, limits=limits)] == ["b"]
    assert "item 1 is longer than 1 KB" in failures(path, limits=limits)[0]
    lines = '"' + "\n".join([SENTENCE] * 100) + '"\nshort\n'
    path = write("a.csv", f"text\n{lines}")
    assert [text for _, _, text in documents(path, limits=limits)] == ["short"]
    assert "is longer than 1 KB" in failures(path, limits=limits)[0]


def table(names: list[str], rows: list[str]) -> str:
    return ",".join(["text", *names]) + "\n" + "\n".join(rows) + "\n"


def test_long_names_of_columns_multiply_no_file(write: Write) -> None:
    names = [f"{n:02}{'x' * 62}" for n in range(49)]
    path = write("a.csv", table(names, ["x" + ",1" * 49] * 3000))
    kept = sum(
        len(key) + len(str(value))
        for one in load(path)
        if isinstance(one, LoadedDocument)
        for key, value in one.metadata.items()
    )
    assert kept <= 45 * path.stat().st_size / 2
    assert "makes more than 45 characters" in failures(path)[0]


@pytest.mark.slow
@pytest.mark.parametrize("filled", ["1", ""])
def test_an_ordinary_table_of_fifty_columns_is_read_whole(write: Write, filled: str) -> None:
    names = [f"has_facility_number_{n:02}" for n in range(49)]
    cells = ",".join(filled or str(n % 7 == 0 or "") for n in range(49))
    path = write("a.csv", table(names, [f"The hotel stands by the sea.,{cells}"] * 2000))
    assert len(documents(path)) == 2000 and failures(path) == []


@pytest.mark.slow
def test_a_survey_of_fifty_short_answers_is_read_whole(write: Write) -> None:
    names = [f"{n:02} How satisfied are you with this part of it?" for n in range(49)]
    row = "The staff were kind and the room was clean but the breakfast was cold" + ",5" * 49
    path = write("a.csv", table(names, [row] * 2000))
    assert len(documents(path)) == 2000 and failures(path) == []


def test_the_metadata_of_lines_of_json_are_no_longer_than_the_lines(write: Write) -> None:
    row = {"text": "x", **{f"{n:02}{'x' * 62}": 1 for n in range(49)}}
    path = write("a.jsonl", f"{json.dumps(row)}\n" * 200)
    assert len(documents(path)) == 200


def test_the_sections_above_a_heading_are_bounded_in_number(tmp_path: Path) -> None:
    path = repeated(tmp_path, "odt of levels", "Method", 200)
    (loaded,) = load(path)
    assert isinstance(loaded, LoadedDocument)
    sections = [
        str(metadata.get("section", ""))
        for block in loaded.blocks
        if isinstance(block, DocumentBlock)
        for _, metadata in block.places
    ]
    assert sections and max(map(len, sections)) < 120


def test_parts_of_a_mail_are_counted_however_their_boundary_is_spelled(write: Write) -> None:
    levels = [
        f'Content-Type: multipart/mixed; boundary{star}="b{n}"\n\n--b{n}\n'
        for n, star in enumerate(["", "*0", "*", "*0*"] * 50)
    ]
    told = reason(write("a.eml", "Subject: A\n" + "".join(levels)))
    assert told == "a.eml has more than 100 parts within parts; save its text as .txt."


@pytest.mark.parametrize("codec", ["punycode", "idna", "unicode_escape", "zlib", "rot13"])
def test_a_mail_cannot_have_its_text_run_through_a_codec_of_python(
    write: Write, codec: str
) -> None:
    body = b"caf\xe9 \\x41 " * 20
    head = f"Subject: A\nContent-Type: text/plain; charset={codec}\n\n".encode()
    ((_, _, text),) = documents(write("a.eml", head + body))
    assert "café \\x41" in text


@pytest.mark.parametrize("ending", ["md", "rst", "txt", "py"])
def test_plain_text_of_any_shape_is_read_in_linear_time(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    slow = []
    for shape, make in SHAPES.items():
        path.write_bytes(make(100_000, random.Random(1)).encode("utf-8", "surrogatepass"))
        began = time.process_time()
        for loaded in load(path):
            if isinstance(loaded, LoadedDocument):
                text_of(loaded)
        if time.process_time() - began > 1:
            slow.append(shape)
    assert slow == []


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["md", "rst", "txt", "py"])
def test_plain_text_of_any_length_takes_little_memory(write: Write, ending: str) -> None:
    path = write(f"a.{ending}", f"# A\n\n{SENTENCE}\n\nB\n---\n\n" * 20_000)
    assert path.stat().st_size > 1_000_000 and peak_mb(path) < 3
