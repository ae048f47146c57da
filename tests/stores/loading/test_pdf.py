"""PDF files: whole, broken, encrypted and endless."""

from __future__ import annotations

import io
import zlib

import pytest
from loading_support import Write, documents, failures, only, peak_mb, reason, text_of
from pdf_files import pdf
from pypdf import PdfReader, PdfWriter
from ragraphs.stores.loading.load import load
from ragraphs.stores.loading.types import Limits


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

    @pytest.mark.slow
    def test_a_bomb_is_refused_without_filling_memory(self, write: Write) -> None:
        inner = zlib.compress(b" " * 400_000_000, 9)
        data = pdf(zlib.compress(inner, 9))
        data = data.replace(b"<< /Length", b"<< /Filter [/FlateDecode /FlateDecode] /Length")
        path = write("a.pdf", data)
        assert len(data) < 10_000
        limits = Limits(pdf_stream_bytes=2_000_000)
        assert "has no page that can be read" in reason(path, limits=limits)
        assert peak_mb(path, limits=limits) < 40

    @pytest.mark.slow
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
        assert "more than 1,000 characters" in reason(path, limits=Limits(text_characters=1000))

    def test_a_file_beyond_the_limit_is_refused(self, write: Write) -> None:
        path = write("a.pdf", pdf("Text.") + b" " * 2000)
        assert "larger than 1 KB" in reason(path, limits=Limits(packed_bytes=1024))
