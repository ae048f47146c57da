"""Loading files: the text, titles and ids they give, and what becomes of bad ones."""

from __future__ import annotations

import codecs
import io
import json
import struct
import subprocess
import sys
import time
import tracemalloc
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter
from ragraphs.stores.loading import (
    Limits,
    LoadedDocument,
    LoadError,
    LoadFailure,
    load,
)

KOREAN = "한국어 문서입니다. 서울은 대한민국의 수도이다. 김치는 발효 음식이다.\n"
JAPANESE = "日本語の文書です。東京は日本の首都です。カタカナとひらがな。\n"
FRENCH = "L’été, les élèves étudient à l’école – “déjà vu”, naïve, crème brûlée.\n"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: str | bytes, encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write


def text_of(document: LoadedDocument) -> str:
    return "".join(document.blocks)


def only(path: Path, **options: object) -> LoadedDocument:
    (loaded,) = load(path, **options)  # type: ignore[arg-type]
    assert isinstance(loaded, LoadedDocument), loaded
    return loaded


def reason(path: Path, **options: object) -> str:
    (loaded,) = load(path, **options)  # type: ignore[arg-type]
    assert isinstance(loaded, LoadFailure), loaded
    assert loaded.reason.startswith(path.name)
    assert loaded.reason.endswith(".")
    return loaded.reason


def documents(path: Path, **options: object) -> list[tuple[str, str, str]]:
    return [
        (loaded.id, loaded.title, text_of(loaded))
        for loaded in load(path, **options)  # type: ignore[arg-type]
        if isinstance(loaded, LoadedDocument)
    ]


def failures(path: Path, **options: object) -> list[str]:
    found = load(path, **options)  # type: ignore[arg-type]
    return [loaded.reason for loaded in found if isinstance(loaded, LoadFailure)]


def peak_mb(path: Path, **options: object) -> float:
    """Megabytes allocated at most while a file is loaded and its text streamed away."""
    list(load(path.parent / "warm-up.txt"))
    tracemalloc.start()
    try:
        for loaded in load(path, **options):  # type: ignore[arg-type]
            if isinstance(loaded, LoadedDocument):
                for block in loaded.blocks:
                    del block
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


class TestText:
    @pytest.mark.parametrize("ending", [".txt", ".md", ".TXT"])
    def test_a_text_file_is_one_document_without_an_id(self, write: Write, ending: str) -> None:
        loaded = only(write(f"notes{ending}", "First line.\nSecond: 서울.\n"))
        assert (loaded.id, text_of(loaded)) == ("", "First line.\nSecond: 서울.\n")

    @pytest.mark.parametrize(
        ("name", "text", "title"),
        [
            ("a.md", "intro text\n\n## The *second* level ##\n\n# First\n", "The *second* level"),
            ("a.md", "Underlined\n=====\ntext", "Underlined"),
            ("a.md", "```\n# a comment\n```\n# Heading\n", "Heading"),
            ("a.md", "---\nlayout: post\ntitle: 'Front matter'\n---\n# Heading\n", "Front matter"),
            ("a.md", "Just a paragraph.\n", "a"),
            ("a.md", "#hashtag and more words.\n", "a"),
            ("a.txt", "\n\n  The Title\n\nThen text.\n", "The Title"),
            ("a.txt", "Underlined\n=====\ntext", "Underlined"),
            ("a.txt", "A sentence.\n\nAnother.\n", "a"),
            ("a.txt", "A line of a paragraph\nthat goes on.\n", "a"),
            ("a.txt", "# no heading in plain text\nmore.\n", "a"),
            ("my notes.txt", "x" * 200 + "\n\ntext", "my notes"),
        ],
    )
    def test_the_title_is_the_heading_or_the_file_name(
        self, write: Write, name: str, text: str, title: str
    ) -> None:
        assert only(write(name, text)).title == title

    @pytest.mark.parametrize(
        ("encoding", "text"),
        [
            ("utf-8", KOREAN + FRENCH + JAPANESE),
            ("utf-8-sig", KOREAN),
            ("utf-16", KOREAN + "and English\n"),
            ("utf-16-le", "Hello world, no mark.\n"),
            ("utf-16-be", "Hello world, no mark.\n"),
            ("utf-16-le", KOREAN),
            ("utf-32", KOREAN),
            ("cp949", KOREAN),
            ("euc-kr", KOREAN),
            ("cp949", "커피 한 잔\n"),
            ("cp949", "한국어"),
            ("cp949", "A long English introduction. " * 50 + KOREAN),
            ("cp1252", FRENCH),
            ("cp1252", "Café"),
            ("cp1252", "It costs €5 at 20°C.\n"),
            ("cp1252", "El niño comió piñas en España. ¿Cómo está?\n"),
            ("latin-1", "Die Straße führt über die Brücke nach Köln.\n"),
            ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Praha je město.\n"),
            ("cp1251", "Это русский текст. Москва столица России.\n"),
            ("cp1255", "ירושלים היא בירת ישראל והעיר הגדולה ביותר"),
            ("cp1256", "القاهرة عاصمة مصر وأكبر مدنها"),
            ("cp874", "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย"),
            ("cp949", "커피 한 잔\n" * 30),
            ("shift_jis", JAPANESE),
            ("euc_jp", JAPANESE),
            ("gb18030", "这是一个中文文档。北京是中华人民共和国的首都。\n"),
        ],
    )
    def test_the_encoding_is_recognised(self, write: Write, encoding: str, text: str) -> None:
        assert text_of(only(write("a.txt", text, encoding))) == text

    def test_a_legacy_character_after_megabytes_of_ascii_is_recognised(self, write: Write) -> None:
        text = "plain ascii line\n" * 100_000 + KOREAN
        assert text_of(only(write("a.txt", text, "cp949"))) == text

    @pytest.mark.parametrize("block", [1, 2, 7, 65536])
    def test_line_ends_become_newlines_wherever_blocks_end(self, write: Write, block: int) -> None:
        path = write("a.txt", b"a\r\nb\rc\n\r\n\rd\r\n")
        limits = Limits(block_characters=block)
        assert text_of(only(path, limits=limits)) == "a\nb\nc\n\n\nd\n"

    def test_a_line_end_split_by_the_reading_is_one(self, write: Write) -> None:
        content = b"x" * 65535 + b"\r\n" + b"y" * 65534 + b"\r\n\r\n"
        assert text_of(only(write("a.txt", content))) == content.decode().replace("\r\n", "\n")

    @given(
        text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
        encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
        block=st.integers(1, 20),
    )
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    def test_the_blocks_of_any_unicode_text_add_up_to_it(
        self, tmp_path: Path, text: str, encoding: str, block: int
    ) -> None:
        path = tmp_path / "any.txt"
        path.write_bytes(text.encode(encoding))
        # A first character U+FEFF is a byte order mark, by the standard.
        expected = text.replace("\r\n", "\n").replace("\r", "\n")
        expected = expected.removeprefix("\ufeff") if encoding == "utf-8" else expected
        if not expected.strip():
            assert "is empty" in reason(path)
            return
        loaded = only(path, limits=Limits(block_characters=block))
        assert text_of(loaded) == expected
        assert all(loaded.blocks)

    def test_blocks_end_at_paragraphs_lines_or_words(self, write: Write) -> None:
        def blocks(text: str) -> list[str]:
            return list(only(write("a.txt", text), limits=Limits(block_characters=20)).blocks)

        paragraphs = blocks("A short paragraph.\n\n" * 10)
        assert len(paragraphs) > 5
        assert all(block.endswith("\n\n") for block in paragraphs)
        assert all(block.endswith("\n") for block in blocks("lines of text\n" * 10))
        assert all(block.endswith(" ") for block in blocks("words " * 30))
        assert max(map(len, blocks("x" * 300))) <= 40

    def test_a_large_file_streams_in_blocks_of_bounded_size(self, write: Write) -> None:
        path = write("big.txt", "서울은 대한민국의 수도이다. Seoul.\r\n\r\n" * 400_000)
        assert path.stat().st_size >= 20_000_000
        assert peak_mb(path) < 4
        sizes = [len(block.encode()) for block in only(path).blocks]
        assert min(sizes[:-1]) > 20_000
        assert max(sizes) < 500_000

    def test_a_large_file_without_any_line_end_streams_too(self, write: Write) -> None:
        assert peak_mb(write("big.txt", b"x" * 20_000_000)) < 4

    def test_blocks_can_be_read_again_after_loading_is_over(self, write: Write) -> None:
        (loaded,) = list(load(write("a.txt", "some text")))
        assert isinstance(loaded, LoadedDocument)
        assert text_of(loaded) == text_of(loaded) == "some text"

    @pytest.mark.parametrize("ending", [".txt", ".md", ".html", ".csv", ".json", ".jsonl"])
    @pytest.mark.parametrize("content", [b"", b" \r\n\t\n", codecs.BOM_UTF8, "\u3000\n".encode()])
    def test_an_empty_file_is_refused(self, write: Write, ending: str, content: bytes) -> None:
        assert "is empty" in reason(write(f"a{ending}", content))

    @pytest.mark.parametrize("ending", [".txt", ".md", ".html", ".csv", ".json", ".jsonl"])
    @pytest.mark.parametrize(
        "content",
        [
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + zlib.compress(bytes(range(256)) * 20),
            b"text with \0 in it",
            b"hello\0\0world\0of\0strings and more\n",
            b"ab\0cd\0ef\0" * 10,
            struct.pack("<200i", *range(200)),
            struct.pack("<400h", *(i % 90 - 45 for i in range(400))),
            b"plain text " * 50_000 + b"\0",
        ],
    )
    def test_a_binary_file_is_refused(self, write: Write, ending: str, content: bytes) -> None:
        assert "binary data" in reason(write(f"a{ending}", content))

    def test_bytes_in_no_encoding_are_refused(self, write: Write) -> None:
        noise = bytes(b or 1 for b in zlib.compress(b"".join(b"%d" % i for i in range(9999))))
        message = reason(write("a.txt", noise))
        assert "no text" in message or "does not fit" in message or "not valid" in message

    @pytest.mark.parametrize("prefix", ["서울은 수도이다. ", "It’s “quoted” – and dashed. "])
    def test_broken_utf8_is_refused_with_its_place_and_not_read_as_garbage(
        self, write: Write, prefix: str
    ) -> None:
        good = (prefix * 3).encode()
        message = reason(write("a.txt", good + b"\xe9 caf" + good))
        assert f"not valid UTF-8 at byte {len(good)};" in message

    def test_utf8_that_breaks_off_after_megabytes_is_refused(self, write: Write) -> None:
        good = KOREAN.encode() * 50_000
        assert f"at byte {len(good)};" in reason(write("a.txt", good + "끝".encode()[:2]))

    def test_damaged_utf16_is_refused(self, write: Write) -> None:
        content = codecs.BOM_UTF16_LE + "text".encode("utf-16-le") + b"\x00\xdc" + b"a\0"
        assert "byte 10 is not utf-16" in reason(write("a.txt", content))

    def test_a_file_that_changes_while_it_streams_raises_a_load_error(self, write: Write) -> None:
        path = write("a.txt", "text\n" * 100_000)
        stream = iter(only(path).blocks)
        next(stream)
        path.write_bytes(b"\xff" * 500_000)
        with pytest.raises(LoadError, match=r"a\.txt (was changed|stopped being)"):
            list(stream)

    def test_a_file_that_grows_while_it_streams_raises_a_load_error(self, write: Write) -> None:
        path = write("a.txt", "text\n" * 100_000)
        stream = iter(only(path).blocks)
        next(stream)
        path.write_text("more\n" * 200_000)
        with pytest.raises(LoadError, match=r"a\.txt was changed"):
            list(stream)

    def test_a_file_that_changed_before_it_streams_raises_a_load_error(self, write: Write) -> None:
        path = write("a.txt", "text\n" * 100_000)
        loaded = only(path)
        path.write_text("other\n" * 100_000)
        with pytest.raises(LoadError, match=r"a\.txt was changed"):
            next(iter(loaded.blocks))


class TestFiles:
    def test_a_missing_file_is_a_failure_and_no_error(self, tmp_path: Path) -> None:
        assert "could not be opened" in reason(tmp_path / "a.txt")

    def test_another_ending_is_a_failure_that_names_the_endings(self, write: Write) -> None:
        assert ".docx, .csv" in reason(write("a.exe", "text"))

    def test_messages_use_the_name_that_is_given(self, write: Write) -> None:
        (loaded,) = load(write("a.txt", ""), name="folder/a.txt")
        assert isinstance(loaded, LoadFailure)
        assert loaded.source == "folder/a.txt"
        assert loaded.reason.startswith("folder/a.txt is empty")

    @pytest.mark.parametrize("ending", [".txt", ".md", ".html", ".pdf", ".docx", ".csv", ".json"])
    def test_with_a_root_a_link_out_of_it_is_not_opened(
        self, write: Write, tmp_path: Path, ending: str
    ) -> None:
        write(f"secret{ending}", "secret\n\nsecret")
        (tmp_path / "root").mkdir()
        link = tmp_path / f"root/link{ending}"
        link.symlink_to(tmp_path / f"secret{ending}")
        assert "outside the folder" in reason(link, root=tmp_path / "root")

    def test_a_text_swapped_for_a_link_before_it_streams_is_not_read(
        self, write: Write, tmp_path: Path
    ) -> None:
        write("secret.txt", "secret")
        (tmp_path / "root").mkdir()
        path = write("root/a.txt", "public")
        loaded = only(path, root=tmp_path / "root")
        path.unlink()
        path.symlink_to(tmp_path / "secret.txt")
        with pytest.raises(LoadError, match="outside the folder"):
            text_of(loaded)

    def test_importing_does_not_import_the_heavy_libraries(self) -> None:
        code = (
            "import sys, ragraphs.stores.loading\n"
            "print([m for m in ('pypdf', 'docx', 'bs4', 'lxml', 'charset_normalizer')"
            " if m in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.strip() == "[]", done.stderr


class TestJsonLines:
    def test_each_line_is_a_document(self, write: Write) -> None:
        rows = [
            {"id": "x", "title": "X", "text": "text\r\nof x", "extra": [1]},
            {"id": 7, "text": "seven"},
        ]
        content = "\n\n".join(json.dumps(row) for row in rows)
        path = write("a.jsonl", content + '\n{"text": "no id"}')
        assert documents(path) == [
            ("x", "X", "text\nof x"),
            ("7", "7", "seven"),
            ("line-4", "line-4", "no id"),
        ]

    def test_bad_lines_are_reported_by_number_and_the_others_load(self, write: Write) -> None:
        lines = [
            b'{"id": "a", "text": "first"}',
            b'{"id": "b", "text": ',
            b'"just text"',
            b'{"id": "c", "text": "  "}',
            b'{"id": "d"}',
            b'{"id": {}, "text": "x"}',
            b'{"id": "e", "text": 5}',
            b'{"id": "f", "text": "\xff \xc3("}',
            b"[" * 100_000,
            '{"id": "z", "text": "끝 서울 수도"}'.encode(),
        ]
        path = write("rows.jsonl", b"\r\n".join(lines))
        assert [document[0] for document in documents(path)] == ["a", "z"]
        reported = failures(path)
        assert len(reported) == 8
        for number, message in enumerate(reported, 2):
            assert message.startswith(f"rows.jsonl, line {number} ")

    def test_a_line_longer_than_the_limit_is_reported_and_the_next_loads(
        self, write: Write
    ) -> None:
        long = json.dumps({"id": "long", "text": "x" * 5000})
        path = write("a.jsonl", f'{long}\n{{"id": "b", "text": "b"}}\n{long}')
        limits = Limits(line_characters=1000)
        assert [document[0] for document in documents(path, limits=limits)] == ["b"]
        assert [message[:15] for message in failures(path, limits=limits)] == [
            "a.jsonl, line 1",
            "a.jsonl, line 3",
        ]

    def test_a_large_file_streams(self, write: Write) -> None:
        path = write("a.jsonl", '{"id": "x", "text": "some text of a row"}\n' * 50_000)
        assert path.stat().st_size > 2_000_000
        assert peak_mb(path) < 2

    def test_one_endless_line_takes_no_memory_beyond_the_limit(self, write: Write) -> None:
        path = write("a.jsonl", b"x" * 20_000_000)
        assert peak_mb(path, limits=Limits(line_characters=100_000)) < 4

    def test_half_a_character_in_a_row_does_not_reach_the_text(self, write: Write) -> None:
        path = write("a.jsonl", '{"id": "a\\u0000", "text": "cut \\ud83d off"}')
        ((identifier, _, text),) = documents(path)
        assert (identifier, text) == ("a\ufffd", "cut \ufffd off")
        text.encode()

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp949"])
    def test_other_encodings_are_read(self, write: Write, encoding: str) -> None:
        row = json.dumps({"id": "a", "text": KOREAN}, ensure_ascii=False)
        assert documents(write("a.jsonl", f"{row}\n{row}", encoding))[1][2] == KOREAN

    def test_a_flood_of_bad_lines_is_reported_in_short(self, write: Write) -> None:
        path = write("a.jsonl", "bad\n" * 1000 + '{"text": "good"}\n')
        assert len(documents(path)) == 1
        reported = failures(path)
        assert len(reported) == 101
        assert "900 more" in reported[-1]


class TestJson:
    @pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"documents": rows}])
    def test_a_list_of_objects_is_a_document_each(
        self, write: Write, wrap: Callable[[object], object]
    ) -> None:
        rows = [{"id": "a", "title": "A", "text": "one"}, {"text": "two"}, {"id": "c"}, 5]
        path = write("a.json", json.dumps(wrap(rows)))
        assert documents(path) == [("a", "A", "one"), ("item-2", "item-2", "two")]
        assert [message[:14] for message in failures(path)] == ["a.json, item 3", "a.json, item 4"]

    def test_one_object_with_text_is_one_document(self, write: Write) -> None:
        path = write("a.json", '{"id": "a", "title": "A", "text": "one"}')
        assert documents(path) == [("a", "A", "one")]

    def test_one_object_without_an_id_is_the_file_itself(self, write: Write) -> None:
        assert documents(write("report.json", '{"text": "one"}')) == [("", "report", "one")]

    def test_other_json_is_laid_out_as_one_document(self, write: Write) -> None:
        path = write("a.json", '{"capital":"서울","parts":[1,2]}')
        expected = '{\n  "capital": "서울",\n  "parts": [\n    1,\n    2\n  ]\n}'
        assert documents(path) == [("", "a", expected)]

    @pytest.mark.parametrize("content", ["{}", "[]", "null", '""', '{"documents": []}'])
    def test_json_that_says_nothing_is_empty(self, write: Write, content: str) -> None:
        assert "is empty" in reason(write("a.json", content))

    def test_broken_json_is_reported_with_its_line(self, write: Write) -> None:
        assert "at line 2" in reason(write("a.json", '{"a": 1,\n oops}'))

    def test_json_lines_under_the_wrong_ending_are_recognised(self, write: Write) -> None:
        assert "name it .jsonl" in reason(write("a.json", '{"text": "a"}\n{"text": "b"}'))

    def test_json_beyond_the_limit_is_refused(self, write: Write) -> None:
        path = write("a.json", '{"text": "' + "x" * 3000 + '"}')
        assert "larger than 2 KB" in reason(path, limits=Limits(json_bytes=2048))

    def test_json_too_deep_is_refused(self, write: Write) -> None:
        assert "too deep" in reason(write("a.json", "[" * 200_000 + "]" * 200_000))

    def test_json_that_grows_when_it_is_laid_out_is_refused_in_time(self, write: Write) -> None:
        content = "[" * 200 + "1," * 50_000 + "1" + "]" * 200
        limits = Limits(text_characters=1_000_000)
        path = write("a.json", content)
        assert "more than 1000000 characters" in reason(path, limits=limits)
        assert peak_mb(path, limits=limits) < 20


class TestCsv:
    def test_a_row_with_a_text_column_is_a_document(self, write: Write) -> None:
        path = write(
            "a.csv", 'ID,Title,Text,other\n1,One,"first\r\nrow, quoted ""so""",x\n,,second,\n'
        )
        assert documents(path) == [
            ("1", "One", 'first\nrow, quoted "so"'),
            ("row-3", "row-3", "second"),
        ]

    def test_without_a_text_column_all_columns_are_the_text(self, write: Write) -> None:
        path = write("a.csv", "id,city,people\na,Seoul,9.4 million\nb,Busan,\n")
        assert documents(path) == [
            ("a", "a", "id: a\ncity: Seoul\npeople: 9.4 million"),
            ("b", "b", "id: b\ncity: Busan"),
        ]

    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_the_delimiter_is_that_of_the_header(self, write: Write, delimiter: str) -> None:
        path = write("a.csv", f"id{delimiter}text\n1{delimiter}one\n")
        assert documents(path) == [("1", "1", "one")]

    def test_blank_lines_are_skipped(self, write: Write) -> None:
        path = write("a.csv", "\n\nid,text\n\n1,one\n,\n\n2,two\n")
        assert [document[0] for document in documents(path)] == ["1", "2"]
        assert failures(path) == []

    def test_bad_rows_are_reported_and_the_others_load(self, write: Write) -> None:
        path = write("a.csv", 'id,text\n1,one\n2,\n3,"bad"quote\n4,x, y unquoted\n5,five\n')
        assert [document[0] for document in documents(path)] == ["1", "5"]
        reported = failures(path)
        assert [message.split(" ", 3)[:3] for message in reported] == [
            ["a.csv,", "row", "3"],
            ["a.csv,", "line", "4"],
            ["a.csv,", "row", "5"],
        ]

    def test_a_quote_that_never_closes_is_reported(self, write: Write) -> None:
        path = write("a.csv", 'id,text\n1,one\n2,"open\n3,three\n')
        assert [document[0] for document in documents(path)] == ["1"]
        assert "check its quotes" in failures(path)[0]

    def test_a_header_alone_says_so(self, write: Write) -> None:
        assert "no rows" in reason(write("a.csv", "id,text\n"))

    def test_long_cells_are_read(self, write: Write) -> None:
        text = "long " * 60_000 + "end"
        assert documents(write("a.csv", f"id,text\n1,{text}\n"))[0][2] == text

    def test_a_line_longer_than_the_limit_is_refused(self, write: Write) -> None:
        path = write("a.csv", "id,text\n1,one\n2," + "x" * 5000)
        assert "line 3 is longer" in failures(path, limits=Limits(line_characters=1000))[0]

    def test_a_large_file_streams(self, write: Write) -> None:
        path = write("a.csv", "id,text\n" + f"1,{'some text of a row' * 20}\n" * 20_000)
        assert peak_mb(path) < 2

    def test_spreadsheets_of_korean_windows_are_read(self, write: Write) -> None:
        path = write("a.csv", "이름,text\n서울,대한민국의 수도이다\n", "cp949")
        assert documents(path)[0][2] == "대한민국의 수도이다"


class TestHtml:
    def test_only_what_a_visitor_sees_is_text(self, write: Write) -> None:
        page = """<!DOCTYPE html><html><head><title> A &amp;
            B </title><style>p {color: red}</style></head><body><!-- no -->
            <script>var hidden = 1</script><noscript>no</noscript><template>no</template>
            <p hidden>no</p><div style="color:red; display: none">no</div>
            <h1>Big</h1><p>One <b>bold</b>
            line,<br>broken&nbsp;here.</p><ul><li>first<li>second</ul>
            <svg><text>no</text></svg><p>Last</p></body></html>"""
        loaded = only(write("a.html", page))
        assert loaded.title == "A & B"
        assert text_of(loaded) == ("Big\n\nOne bold line,\nbroken here.\n\nfirst\nsecond\n\nLast")

    def test_tables_keep_their_rows_and_cells(self, write: Write) -> None:
        page = "<table><tr><th>City</th> <th>People</th></tr><tr><td>Seoul<td> 9 m </table><p>End"
        assert text_of(only(write("a.htm", page))) == "City | People\nSeoul | 9 m\n\nEnd"

    def test_preformatted_text_keeps_its_lines(self, write: Write) -> None:
        page = "<p>Code:</p><pre>def f():\n    return 1\n</pre><p>End"
        assert text_of(only(write("a.html", page))) == "Code:\n\ndef f():\n    return 1\n\nEnd"

    def test_the_title_falls_back_to_a_heading_and_the_file_name(self, write: Write) -> None:
        assert only(write("a.html", "<h1>The <i>heading</i></h1>text")).title == "The heading"
        assert only(write("page.html", "<p>text")).title == "page"

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp949", "cp1252"])
    def test_the_encoding_is_recognised(self, write: Write, encoding: str) -> None:
        text = "crème brûlée, déjà vu" if encoding == "cp1252" else KOREAN.strip()
        assert text_of(only(write("a.html", f"<p>{text}</p>", encoding))) == text

    def test_a_declared_encoding_decides_where_guessing_is_open(self, write: Write) -> None:
        text = "Lietuvos sostinė yra Vilnius, gražus miestas."
        page = f'<meta charset="windows-1257"><p>{text}</p>'
        assert text_of(only(write("a.html", page, "cp1257"))) == text

    def test_a_page_declared_latin_1_is_read_as_browsers_do(self, write: Write) -> None:
        text = "Plain words. " * 100 + "“quoted”"
        page = f'<meta charset="iso-8859-1"><p>{text}</p>'
        assert text_of(only(write("b.html", page, "cp1252"))) == text

    def test_a_declared_encoding_that_is_wrong_does_no_harm(self, write: Write) -> None:
        for declared in ("iso-8859-1", "nonsense", "base64"):
            page = f'<meta charset="{declared}"><p>{KOREAN.strip()}</p>'
            assert text_of(only(write("a.html", page))) == KOREAN.strip()

    def test_xhtml_is_read_without_a_warning(self, write: Write) -> None:
        page = (
            '<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml">'
            '<head><title>T</title><script src="x.js"/></head><body><p>text</p></body></html>'
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            loaded = only(write("a.html", page))
            short = only(write("b.html", "http://example.org/page"))
            fragment = only(write("c.html", '<?xml version="1.0"?><p>text</p>'))
        assert (loaded.title, text_of(loaded)) == ("T", "text")
        assert text_of(short) == "http://example.org/page"
        assert text_of(fragment) == "text"

    def test_pages_without_text_are_empty(self, write: Write) -> None:
        assert "is empty" in reason(write("a.html", "<html><script>x</script><img src=x>"))

    def test_deep_nesting_loses_nothing(self, write: Write) -> None:
        page = "".join(f"<div>x{i} " for i in range(5000))
        assert text_of(only(write("a.html", page))).split() == [f"x{i}" for i in range(5000)]

    @pytest.mark.parametrize("piece", ["<!--", "<a ", "<![CDATA[", "</", "<a b='"])
    def test_markup_that_never_closes_is_read_in_time(self, write: Write, piece: str) -> None:
        started = time.monotonic()
        list(load(write("a.html", "text " + piece * 100_000)))
        assert time.monotonic() - started < 10

    def test_pages_beyond_the_limits_are_refused(self, write: Write) -> None:
        path = write("a.html", "<p>text</p>" * 1000)
        assert "larger than 2 KB" in reason(path, limits=Limits(html_bytes=2048))
        assert "more than 100 tags" in reason(path, limits=Limits(html_tags=100))

    def test_characters_that_cannot_be_stored_are_replaced(self, write: Write) -> None:
        text_of(only(write("a.html", "<p>a&#0;b&#xD83D;c</p>"))).encode()


def save_docx(path: Path, build: Callable[..., None]) -> Path:
    document = docx.Document()
    build(document)
    document.save(str(path))
    return path


@pytest.fixture
def word(tmp_path: Path) -> Path:
    """A Word file of one paragraph."""
    return save_docx(tmp_path / "word.docx", lambda document: document.add_paragraph("Hello."))


def with_part(path: Path, name: str, data: bytes, method: int = zipfile.ZIP_DEFLATED) -> Path:
    """A copy of a Word file in which the part ``name`` is ``data``."""
    changed = path.with_name("changed.docx")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            if part.filename != name:
                new.writestr(part, old.read(part))
        new.writestr(name, data, method)
    return changed


def lie_about_size(path: Path, name: str, claimed: bytes) -> None:
    """Make a zip declare that its part ``name`` is as long as ``claimed``, and has its checksum."""
    with zipfile.ZipFile(path) as archive:
        part = archive.getinfo(name)
    data = bytearray(path.read_bytes())
    lie = struct.pack("<L", zlib.crc32(claimed)), struct.pack("<L", len(claimed))
    central = data.rfind(b"PK\1\2", 0, data.rfind(name.encode()))
    for start, checksum, size in ((part.header_offset, 14, 22), (central, 16, 24)):
        data[start + checksum : start + checksum + 4] = lie[0]
        data[start + size : start + size + 4] = lie[1]
    path.write_bytes(data)


class TestWord:
    def test_headings_paragraphs_and_tables_come_in_order(self, tmp_path: Path) -> None:
        def build(document: docx.document.Document) -> None:
            document.add_paragraph("Before.")
            document.add_heading("The heading", 1)
            table = document.add_table(2, 2)
            for i, text in enumerate(["City", "People", "Seoul", "9\nmillion"]):
                table.cell(i // 2, i % 2).text = text
            document.add_paragraph("").add_run("after\tthe table")

        loaded = only(save_docx(tmp_path / "a.docx", build))
        assert loaded.title == "The heading"
        assert text_of(loaded) == (
            "Before.\n\nThe heading\n\nCity | People\nSeoul | 9 million\n\nafter\tthe table\n\n"
        )

    def test_the_title_falls_back_to_the_stated_one_and_the_file_name(self, tmp_path: Path) -> None:
        def stated(document: docx.document.Document) -> None:
            document.add_paragraph("text")
            document.core_properties.title = "Stated"

        assert only(save_docx(tmp_path / "a.docx", stated)).title == "Stated"
        plain = save_docx(tmp_path / "plain.docx", lambda document: document.add_paragraph("text"))
        assert only(plain).title == "plain"

    def test_text_in_controls_links_and_insertions_is_kept_and_deleted_text_is_not(
        self, word: Path
    ) -> None:
        main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        body = (
            "<w:sdt><w:sdtPr/><w:sdtContent><w:p><w:r><w:t>control</w:t></w:r></w:p>"
            "</w:sdtContent></w:sdt><w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr>"
            "<w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink>"
            "<w:ins><w:r><w:t xml:space='preserve'> inserted</w:t></w:r></w:ins>"
            "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>"
        )
        xml = f'<w:document xmlns:w="{main}"><w:body>{body}</w:body></w:document>'
        path = with_part(word, "word/document.xml", xml.encode())
        assert text_of(only(path)) == "control\n\nlink inserted\n\n"

    def test_a_table_in_a_table_is_read_once(self, tmp_path: Path) -> None:
        def build(document: docx.document.Document) -> None:
            outer = document.add_table(1, 1).cell(0, 0)
            outer.text = "outer"
            outer.add_table(1, 1).cell(0, 0).text = "inner"

        assert text_of(only(save_docx(tmp_path / "a.docx", build))).split() == ["outer", "inner"]

    def test_pictures_are_not_unpacked(self, tmp_path: Path) -> None:
        def build(document: docx.document.Document) -> None:
            document.add_paragraph("Picture:")
            chunks = [
                (b"IHDR", struct.pack(">2L5B", 1, 1, 8, 2, 0, 0, 0)),
                (b"IDAT", zlib.compress(b"\0\0\0\0")),
                (b"IEND", b""),
            ]
            png = b"\x89PNG\r\n\x1a\n"
            for kind, data in chunks:
                checksum = struct.pack(">L", zlib.crc32(kind + data))
                png += struct.pack(">L", len(data)) + kind + data + checksum
            document.add_picture(io.BytesIO(png))

        path = save_docx(tmp_path / "a.docx", build)
        assert text_of(only(path)) == "Picture:\n\n"
        bloated = with_part(path, "word/media/image1.png", bytes(30_000_000))
        assert peak_mb(bloated) < 20

    def test_an_empty_one_is_refused(self, tmp_path: Path, write: Write) -> None:
        assert "is empty" in reason(save_docx(tmp_path / "a.docx", lambda document: None))
        assert "is empty" in reason(write("b.docx", b""))

    def test_an_encrypted_or_old_one_is_recognised(self, write: Write) -> None:
        content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
        assert "encrypted or an old .doc" in reason(write("a.docx", content))

    def test_what_is_no_word_file_is_refused(self, word: Path, write: Write) -> None:
        assert "is no Word file" in reason(write("a.docx", b"plain text"))
        assert "is no Word file" in reason(write("b.docx", word.read_bytes()[:-30]))
        assert "is no Word file" in reason(with_part(word, "word/document.xml", b"<broken"))

    def test_damaged_bytes_are_refused(self, word: Path) -> None:
        data = bytearray(word.read_bytes())
        with zipfile.ZipFile(word) as archive:
            part = archive.getinfo("word/document.xml")
        start = part.header_offset + 60
        data[start : start + 50] = bytes(50)
        word.write_bytes(data)
        assert "damaged" in reason(word)

    def test_a_bomb_that_declares_its_size_is_refused_without_unpacking(self, word: Path) -> None:
        path = with_part(word, "word/document.xml", b" " * 250_000_000)
        assert "unpacks to far more" in reason(path)
        assert peak_mb(path) < 2

    def test_too_much_text_is_refused(self, word: Path) -> None:
        path = with_part(word, "word/document.xml", b" " * 3_000_000)
        assert "more than the 2 MB" in reason(path, limits=Limits(xml_bytes=2 * 2**20))

    @pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
    def test_a_bomb_that_lies_about_its_size_is_not_unpacked(self, word: Path, method: int) -> None:
        with zipfile.ZipFile(word) as archive:
            text = archive.read("word/document.xml")
        path = with_part(word, "word/document.xml", text + b" " * 60_000_000, method)
        lie_about_size(path, "word/document.xml", text)
        assert peak_mb(path, limits=Limits(xml_bytes=2**20)) < 8

    @pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_compressions_that_unpack_in_one_go_are_refused(self, word: Path, method: int) -> None:
        path = with_part(word, "word/document.xml", b" " * 60_000_000, method)
        assert "damaged" in reason(path)
        assert peak_mb(path) < 2

    def test_a_table_of_contents_that_claims_to_be_huge_is_refused(self, word: Path) -> None:
        data = bytearray(word.read_bytes())
        data[-10:-6] = struct.pack("<L", 0xFFFFFFF0)
        word.write_bytes(data)
        assert "unpacks to far more" in reason(word)

    def test_markup_that_would_fill_memory_when_parsed_is_refused(self, word: Path) -> None:
        path = with_part(word, "word/document.xml", b"<a>" + b"<b/>" * 300_000 + b"</a>")
        assert "text and markup" in reason(path, limits=Limits(xml_marks=200_000))

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
    def test_entities_that_multiply_are_refused(self, word: Path, encoding: str) -> None:
        entities = "".join(
            f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "lol"}">' for i in range(12)
        )
        xml = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE w [{entities}]><w>&e11;</w>'
        path = with_part(word, "word/document.xml", xml.encode(encoding))
        started = time.monotonic()
        assert "XML entities" in reason(path)
        assert time.monotonic() - started < 2

    def test_entities_do_not_read_other_files(self, word: Path, write: Write) -> None:
        secret = write("secret.txt", "secret")
        xml = f'<!DOCTYPE w [<!ENTITY e SYSTEM "file://{secret}">]><w>&e;</w>'
        assert "XML entities" in reason(with_part(word, "customXml/item1.xml", xml.encode()))

    def test_a_file_beyond_the_limit_is_refused(self, word: Path) -> None:
        assert "larger than 1 KB" in reason(word, limits=Limits(packed_bytes=1024))


def pdf(*pages: str | bytes, compress: bool = False, title: str = "") -> bytes:
    """A PDF, each page of which shows a line of text, or has the content stream given as bytes."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    info = f"<< /Title ({title}) >>".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for i, page in enumerate(pages):
        content = (
            f"BT /F 12 Tf 72 700 Td ({page}) Tj ET".encode() if isinstance(page, str) else page
        )
        content = zlib.compress(content) if compress else content
        flate = "/Filter /FlateDecode " if compress else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * i} 0 R "
            "/Resources << /Font << /F 3 0 R >> >> >>".encode()
        )
        head = f"<< {flate}/Length {len(content)} >>\nstream\n".encode()
        objects.append(head + content + b"\nendstream")
    objects.append(info)
    return assemble(objects)


def assemble(objects: list[bytes]) -> bytes:
    body, offsets = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return body + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, len(objects), len(body))
    )


def encrypted(data: bytes, password: str, algorithm: str) -> bytes:
    writer = PdfWriter(PdfReader(io.BytesIO(data)))
    writer.encrypt(password, owner_password="owner", algorithm=algorithm)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


class TestPdf:
    @pytest.mark.parametrize("compress", [True, False])
    def test_each_page_is_a_block(self, write: Write, compress: bool) -> None:
        loaded = only(write("a.pdf", pdf("First page.", "Second page.", compress=compress)))
        assert list(loaded.blocks) == ["First page.\n\n", "Second page.\n\n"]
        assert loaded.id == ""

    def test_the_title_is_the_stated_one_the_first_line_or_the_file_name(
        self, write: Write
    ) -> None:
        assert only(write("a.pdf", pdf("Text.", title="Stated"))).title == "Stated"
        assert (
            only(write("a.pdf", pdf("A Heading", title="Microsoft Word - x"))).title == "A Heading"
        )
        assert only(write("paper.pdf", pdf("Just a sentence."))).title == "paper"

    @pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
    def test_a_password_is_asked_for_only_where_there_is_one(
        self, write: Write, algorithm: str
    ) -> None:
        data = pdf("Text.")
        assert "is encrypted" in reason(write("a.pdf", encrypted(data, "secret", algorithm)))
        assert text_of(only(write("b.pdf", encrypted(data, "", algorithm)))) == "Text.\n\n"

    def test_a_scan_has_no_text_layer(self, write: Write) -> None:
        path = write("scan.pdf", pdf(b"q 600 0 0 700 0 0 cm Q", b""))
        assert "no text layer" in reason(path)

    @pytest.mark.parametrize(
        "content",
        [b"no PDF at all", b"%PDF-1.7\n", pdf("Text.")[:150], b"%PDF-1.4\n" + bytes(5000)],
    )
    def test_a_damaged_one_is_refused(self, write: Write, content: bytes) -> None:
        assert "is damaged or no PDF" in reason(write("a.pdf", content))

    def test_an_empty_one_is_refused(self, write: Write) -> None:
        assert "is empty" in reason(write("a.pdf", b""))

    def test_a_broken_table_of_contents_is_mended(self, write: Write) -> None:
        data = pdf("Mended.").replace(b"startxref\n", b"startxref\n9")
        assert text_of(only(write("a.pdf", data))) == "Mended.\n\n"

    def test_nothing_is_said_on_the_log(
        self, write: Write, caplog: pytest.LogCaptureFixture
    ) -> None:
        list(load(write("a.pdf", pdf("Mended.").replace(b"startxref\n", b"startxref\n9"))))
        assert caplog.records == []

    def test_a_page_that_unpacks_too_far_is_left_out_and_the_others_load(
        self, write: Write
    ) -> None:
        path = write("a.pdf", pdf("One.", b" " * 3_000_000, "Three.", compress=True))
        limits = Limits(pdf_stream_bytes=1_000_000)
        assert documents(path, limits=limits) == [("", "a", "One.\n\nThree.\n\n")]
        (message,) = failures(path, limits=limits)
        assert message == "a.pdf, page 2 unpacks too far, so the page was left out."

    def test_a_bomb_is_refused_without_filling_memory(self, write: Write) -> None:
        inner = zlib.compress(b" " * 400_000_000, 9)
        data = pdf(zlib.compress(inner, 9))
        data = data.replace(b"<< /Length", b"<< /Filter [/FlateDecode /FlateDecode] /Length")
        path = write("a.pdf", data)
        assert len(data) < 10_000
        limits = Limits(pdf_stream_bytes=2_000_000)
        assert "has no page that can be read" in reason(path, limits=limits)
        assert peak_mb(path, limits=limits) < 40

    def test_the_default_limit_on_streams_holds(self, write: Write) -> None:
        path = write("a.pdf", pdf(b" " * 60_000_000, compress=True))
        assert "unpacks too far" in reason(path)

    def test_the_limits_do_not_outlive_the_load(self, write: Write) -> None:
        from pypdf import get_configuration

        before = get_configuration()
        list(load(write("a.pdf", pdf("Text.")), limits=Limits(pdf_stream_bytes=5)))
        assert get_configuration() == before

    def test_too_much_text_is_refused(self, write: Write) -> None:
        path = write("a.pdf", pdf(*["Some text. " * 20] * 10))
        assert "more text than is read" in reason(path, limits=Limits(text_characters=1000))

    def test_a_page_that_takes_too_long_is_stopped_in_the_middle(self, write: Write) -> None:
        drawing = b"BT /F 12 Tf 72 700 Td " + b"(word) Tj 1 1 Td " * 40_000 + b" ET"
        path = write("a.pdf", pdf(drawing))
        started = time.monotonic()
        list(load(path))
        whole = time.monotonic() - started
        started = time.monotonic()
        assert "takes more than" in reason(path, limits=Limits(pdf_seconds=0.01))
        assert time.monotonic() - started < 0.8 * whole

    def test_forms_that_draw_forms_are_stopped_in_time(self, write: Write) -> None:
        depth = 12
        resources = "/Resources << /XObject << /X {0} 0 R >> /Font << /F 3 0 R >> >>"
        calls = b"/X Do " * 10
        objects = [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            f"<< /Type /Page /Parent 2 0 R /Contents 5 0 R {resources.format(6)} >>".encode(),
            b"<< /Length 5 >>\nstream\n/X Do\nendstream",
        ]
        for i in range(depth):
            content = calls if i < depth - 1 else b"BT /F 12 Tf (deep) Tj ET " * 200
            kind = f"/Type /XObject /Subtype /Form {resources.format(7 + i)}"
            objects.append(
                f"<< {kind} /Length {len(content)} >>".encode()
                + b"\nstream\n"
                + content
                + b"\nendstream"
            )
        objects.append(b"<< >>")
        started = time.monotonic()
        message = reason(write("a.pdf", assemble(objects)), limits=Limits(pdf_seconds=0.5))
        assert "takes more than 0.5 seconds" in message
        assert time.monotonic() - started < 10

    def test_a_file_beyond_the_limit_is_refused(self, write: Write) -> None:
        path = write("a.pdf", pdf("Text.") + b" " * 2000)
        assert "larger than 1 KB" in reason(path, limits=Limits(packed_bytes=1024))
