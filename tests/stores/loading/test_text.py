"""Plain text: encodings, streaming, and what is no text."""

from __future__ import annotations

import codecs
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loading_support import FRENCH, JAPANESE, KOREAN, Write, only, peak_mb, reason, text_of
from ragraphs.stores.loading.load import load
from ragraphs.stores.loading.text import in_blocks
from ragraphs.stores.loading.types import Limits, LoadedDocument, LoadError, LoadFailure


class TestText:
    @pytest.mark.parametrize("ending", [".txt", ".md", ".TXT"])
    def test_a_text_file_is_one_document_without_an_id(self, write: Write, ending: str) -> None:
        loaded = only(write(f"notes{ending}", "First line.\nSecond: 서울.\n"))
        assert (loaded.id, text_of(loaded)) == ("", "First line.\nSecond: 서울.\n")

    @pytest.mark.parametrize(
        ("name", "text", "title"),
        [
            ("a.md", "intro text\n\n## The second level ##\n\n# *First* { #one }\n", "First"),
            ("a.md", "Title: Stated\nDate: 2024-01-03\n\n# Heading\n", "Stated"),
            ("a.rst", "PEP: 8\nTitle: Style\n\nAbstract\n========\n", "Style"),
            (
                "a.rst",
                "Part\n----\n\n:ref:`Runs <run>` and ``x``\n~~~~~~~~~~~~~~~~~~~~~~\n",
                "Part",
            ),
            ("a.rst", ":ref:`Runs <run>` and ``x``\n=======================\n", "Runs and x"),
            ("a.html", "<title>A page</title><h1>Heading</h1><p>Text", "A page"),
            ("a.html", "<h2>Below</h2><h1>Heading ¶</h1><p>Text", "Heading"),
            ("a.txt", "Subject: Minutes\n\nPresent: all.\n", "Minutes"),
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

    def test_an_index_is_called_like_its_folder(self, write: Write) -> None:
        path = write("README.md", "just text that goes on\nand on.\n")
        assert only(path).title == path.parent.name

    def test_titles_that_may_be_shared_are_followed_by_others(self, write: Write) -> None:
        text = "---\ntitle: Site\n---\n# Installation\n"
        assert only(write("install.md", text)).others == ("Installation", "install")
        assert only(write("a.py", "print(1)\n")).others == ()

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

    @pytest.mark.slow
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
            struct.pack("<390h", *(i % 39 + 1 for i in range(390))),
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
        assert ".json, .jsonl and source code" in reason(write("a.exe", "text"))

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
            "import sys, ragraphs.stores.loading.load\n"
            "print([m for m in ('pypdf', 'docx', 'bs4', 'lxml', 'charset_normalizer')"
            " if m in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.strip() == "[]", done.stderr


@given(st.lists(st.text("ab \n", max_size=60), max_size=20), st.integers(4, 20))
def test_blocks_are_the_whole_text_and_less_than_twice_as_long_as_asked(texts, size):
    blocks = list(in_blocks(texts, size))
    assert "".join(blocks) == "".join(texts)
    assert all(0 < len(block) < 2 * size for block in blocks)
