"""Books and mails."""

from __future__ import annotations

from pathlib import Path

import pytest
from loading_support import Write, documents, failures, only, reason, text_of
from office_files import BOOK, CHAPTER, MAIL, OPF, eml, epub
from ragraphs.stores.loading.types import DocumentBlock, Limits


class TestBooks:
    def test_chapters_come_once_in_the_order_of_reading(self, tmp_path: Path) -> None:
        loaded = only(epub(tmp_path / "a.epub"))
        assert loaded.title == "The Salt Road"
        assert loaded.metadata == {"author": "Ada Kim", "date": "2019-04-02", "language": "en"}
        assert text_of(loaded) == (
            "This book was written in Jeju.\n\nThe Harbour\n\nThe caravan left at dawn.\n\n항구\n\n"
            "소금은 배로 부산에 도착했다.\n\n"
        )

    def test_chapters_are_sections(self, tmp_path: Path) -> None:
        first, second = only(epub(tmp_path / "a.epub")).blocks
        assert isinstance(first, DocumentBlock) and isinstance(second, DocumentBlock)
        assert first.metadata == {"section": "Preface"}
        assert list(second.places) == [
            (0, {"section": "The Harbour"}),
            (second.index("항구"), {"section": "The Harbour › 항구"}),
        ]

    def test_a_copy_protected_book_says_so(self, tmp_path: Path) -> None:
        told = (
            '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
            'xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData><e:CipherData>'
            '<e:CipherReference URI="OEBPS/text/one.xhtml"/></e:CipherData></e:EncryptedData>'
            "</encryption>"
        )
        path = epub(tmp_path / "a.epub", **{"META-INF/encryption.xml": told})
        assert "copy-protected" in reason(path)

    def test_a_broken_chapter_is_told_and_the_others_are_read(self, tmp_path: Path) -> None:
        path = epub(tmp_path / "a.epub", **{"OEBPS/text/one.xhtml": "\0\1\2" * 50})
        assert [text for _, _, text in documents(path)] == ["This book was written in Jeju.\n\n"]
        assert "one.xhtml was left out" in failures(path)[0]

    @pytest.mark.parametrize("href", ["../../../../etc/passwd", "/etc/passwd", "nothing.xhtml"])
    def test_a_chapter_is_read_from_the_book_alone(self, tmp_path: Path, href: str) -> None:
        opf = OPF.replace("text/two%20b.xhtml", href).replace("text/one.xhtml", "none.xhtml")
        assert "is empty" in reason(epub(tmp_path / "a.epub", **{"OEBPS/book.opf": opf}))

    def test_a_book_of_too_many_tags_is_refused(self, tmp_path: Path) -> None:
        page = CHAPTER.format(title="x", body="<i>" * 2000)
        path = epub(tmp_path / "a.epub", **{"OEBPS/text/one.xhtml": page})
        assert "more than 1000 tags" in reason(path, limits=Limits(html_tags=1000))

    def test_a_book_without_a_container_is_none(self, tmp_path: Path) -> None:
        path = epub(tmp_path / "a.epub", **{"META-INF/container.xml": "<x/>"})
        assert "no EPUB file" in reason(path)
        assert "META-INF/container.xml" in BOOK


class TestMails:
    def test_the_plain_text_stands_below_its_headers(self, tmp_path: Path) -> None:
        loaded = only(eml(tmp_path / "a.eml"))
        assert loaded.title == "The harbour 항구"
        assert loaded.metadata == {"author": "김민수", "date": "2024-05-01T09:30:00+09:00"}
        assert text_of(loaded) == (
            "From: 김민수 <minsu@example.org>\nTo: Ada Kim <ada@example.org>\n"
            "Date: Wed, 01 May 2024 09:30:00 +0900\n\n"
            "The crane in Busan stands still until Friday.\n부산의 기중기는 금요일까지 멈춘다.\n\n"
            "Attached, not read: plan.pdf"
        )

    def test_a_mail_of_markup_alone_is_read_as_a_page(self, write: Write) -> None:
        mail = "Subject: Hi\nContent-Type: text/html; charset=utf-8\n\n<h1>안녕</h1><p>You<script>x"
        assert text_of(only(write("a.eml", mail))) == "안녕\n\nYou"

    @pytest.mark.parametrize("charset", ["euc-kr", "cp949", "nonsense"])
    def test_texts_in_other_encodings_are_recognised(self, write: Write, charset: str) -> None:
        text = "한국어 문서입니다. 서울은 대한민국의 수도이다.".encode("cp949")
        head = f"Subject: Hi\nContent-Type: text/plain; charset={charset}\n\n".encode()
        assert text_of(only(write("a.eml", head + text))).endswith("수도이다.")

    def test_a_mail_within_a_mail_is_named_and_not_read(self, write: Write) -> None:
        mail = (
            'Subject: Outer\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\nSee below.\n'
            "--b\nContent-Type: message/rfc822\n\nSubject: Inner\n\nHidden.\n--b--\n"
        )
        assert text_of(only(write("a.eml", mail))) == (
            "See below.\n\nAttached, not read: message/rfc822"
        )

    def test_parts_within_parts_without_end_are_refused(self, write: Write) -> None:
        nested = "".join(
            f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(3000)
        )
        assert "parts within parts" in reason(write("a.eml", f"Subject: x\n{nested}"))

    @pytest.mark.parametrize(
        "head",
        [
            "Subject: =?nonsense?b?====?=\nFrom: <<<>>>\nDate: 99 Foo 99999",
            "Subject: " + "=?utf-8?q?a?= " * 50_000,
            "From: " + '"' * 100_000 + "\nDate: " + "1" * 100_000,
            "Subject: \udcff\udcfe\nContent-Type: text/plain; charset*0=x; charset*0=y",
            "Subject: x\nContent-Transfer-Encoding: base64\nContent-Type: text/plain;;;==",
            "Subject: x\nContent-Disposition: attachment; filename*=x'y'%ff%fe; filename=\"",
        ],
    )
    def test_odd_headers_are_read_or_refused_with_a_sentence(self, write: Write, head: str) -> None:
        path = write("a.eml", f"{head}\n\nHello there.".encode("utf-8", "surrogateescape"))
        assert documents(path) or failures(path)[0].endswith(".")

    def test_what_is_no_mail_is_refused(self, write: Write) -> None:
        assert "no headers" in reason(write("a.eml", "Just a text of one line."))
        assert "is empty" in reason(write("b.eml", " \n"))
        assert MAIL.startswith("From: ")
