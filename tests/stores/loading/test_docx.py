"""Word documents, and archives that are none."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import docx
import pytest
from docx.oxml.ns import qn
from loading_support import Write, only, peak_mb, reason, text_of
from ragraphs.stores.loading.types import DocumentBlock, Limits


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

    @pytest.mark.parametrize("mark", ["bold", "marked"])
    def test_rows_have_the_headers_of_their_columns(self, tmp_path: Path, mark: str) -> None:
        def build(document: docx.document.Document) -> None:
            table = document.add_table(3, 2)
            for i, text in enumerate(["City", "People", "Seoul", "9 m", "Jeju"]):
                table.cell(i // 2, i % 2).paragraphs[0].add_run(text).bold = (
                    True if mark == "bold" and i < 2 else None
                )
            if mark == "marked":
                properties = table.rows[0]._tr.get_or_add_trPr()
                properties.append(properties.makeelement(qn("w:tblHeader"), {}))

        loaded = only(save_docx(tmp_path / "a.docx", build))
        assert text_of(loaded) == "City: Seoul | People: 9 m\nCity: Jeju\n\n"

    def test_paragraphs_of_a_section_and_short_sections_may_share_a_passage(
        self, tmp_path: Path
    ) -> None:
        def build(document: docx.document.Document) -> None:
            document.add_heading("Rules", 1)
            document.add_paragraph("They hold in all houses.")
            document.add_heading("Quiet", 2)
            document.add_paragraph("At night it is quiet.")

        loaded = only(save_docx(tmp_path / "a.docx", build))
        [block] = loaded.blocks
        assert isinstance(block, DocumentBlock)
        begins = block.index("Quiet")
        assert list(block.places) == [
            (0, {"section": "Rules"}),
            (begins, {"section": "Rules › Quiet"}),
        ]

    def test_the_title_falls_back_to_the_stated_one_and_the_file_name(self, tmp_path: Path) -> None:
        def stated(document: docx.document.Document) -> None:
            document.add_paragraph("text")
            document.core_properties.title = "Stated"

        assert only(save_docx(tmp_path / "a.docx", stated)).title == "Stated"
        plain = save_docx(tmp_path / "plain.docx", lambda document: document.add_paragraph("text"))
        assert only(plain).title == "plain"

    def test_a_file_that_states_no_title_and_no_date_has_none(self, word: Path) -> None:
        with zipfile.ZipFile(word) as package:
            stated = package.read("_rels/.rels")
        nothing = re.sub(rb"<Relationship [^>]*metadata/core-properties[^>]*/>", b"", stated)
        assert nothing != stated
        loaded = only(with_part(word, "_rels/.rels", nothing))
        assert (loaded.title, loaded.metadata) == ("changed", {})

    def test_the_author_and_date_of_a_template_are_none_of_the_document(
        self, tmp_path: Path
    ) -> None:
        def written(document: docx.document.Document) -> None:
            document.add_paragraph("text")
            document.core_properties.author = "python-docx"
            document.core_properties.created = datetime(2013, 12, 23)
            document.core_properties.modified = at

        at = datetime(2013, 12, 23)
        assert only(save_docx(tmp_path / "a.docx", written)).metadata == {}
        at = datetime(2024, 5, 1)
        assert only(save_docx(tmp_path / "b.docx", written)).metadata["date"][:10] == "2024-05-01"

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

    @pytest.mark.slow
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

    @pytest.mark.slow
    def test_a_bomb_that_declares_its_size_is_refused_without_unpacking(self, word: Path) -> None:
        path = with_part(word, "word/document.xml", b" " * 250_000_000)
        assert "unpacks to far more" in reason(path)
        assert peak_mb(path) < 2

    def test_too_much_text_is_refused(self, word: Path) -> None:
        path = with_part(word, "word/document.xml", b" " * 3_000_000)
        assert "more than the 2 MB" in reason(path, limits=Limits(xml_bytes=2 * 2**20))

    @pytest.mark.slow
    @pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
    def test_a_bomb_that_lies_about_its_size_is_not_unpacked(self, word: Path, method: int) -> None:
        with zipfile.ZipFile(word) as archive:
            text = archive.read("word/document.xml")
        path = with_part(word, "word/document.xml", text + b" " * 60_000_000, method)
        lie_about_size(path, "word/document.xml", text)
        assert peak_mb(path, limits=Limits(xml_bytes=2**20)) < 8

    @pytest.mark.slow
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
        assert "XML entities" in reason(path)

    def test_entities_do_not_read_other_files(self, word: Path, write: Write) -> None:
        secret = write("secret.txt", "secret")
        xml = f'<!DOCTYPE w [<!ENTITY e SYSTEM "file://{secret}">]><w>&e;</w>'
        assert "XML entities" in reason(with_part(word, "customXml/item1.xml", xml.encode()))

    def test_a_file_beyond_the_limit_is_refused(self, word: Path) -> None:
        assert "larger than 1 KB" in reason(word, limits=Limits(packed_bytes=1024))
