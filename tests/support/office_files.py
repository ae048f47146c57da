"""Files of slides, tables, texts, books and mails, with Korean and English in them."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

OPF = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>The Salt Road</dc:title><dc:creator>Ada Kim</dc:creator>
<dc:date>2019-04-02</dc:date><dc:language>en</dc:language></metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="two" href="text/two%20b.xhtml" media-type="application/xhtml+xml"/>
</manifest>
<spine><itemref idref="nav"/><itemref idref="two"/><itemref idref="one"/><itemref idref="two"/>
</spine>
</package>"""
CHAPTER = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" '
    '"http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">\n'
    '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head>'
    "<body>{body}</body></html>"
)
BOOK = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    "OEBPS/book.opf": OPF,
    "OEBPS/nav.xhtml": CHAPTER.format(title="Contents", body="<p>One, Two</p>"),
    "OEBPS/text/one.xhtml": CHAPTER.format(
        title="x", body="<h1>The Harbour</h1><p>The caravan left at dawn.</p><h2>항구</h2>"
        "<p>소금은 배로 부산에 도착했다.</p>"
    ),
    "OEBPS/text/two b.xhtml": CHAPTER.format(
        title="Preface", body="<p>This book was written in Jeju.</p>"
    ),
}  # fmt: skip


def zipped(path: Path, parts: Mapping[str, str | bytes]) -> Path:
    """A zip file with ``parts`` by their names."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            file.writestr(name, data)
    return path


def unzipped(path: Path) -> dict[str, bytes]:
    """The parts of a zip file by their names."""
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def epub(path: Path, **parts: str) -> Path:
    """A book of two chapters, read in the order preface, harbour."""
    return zipped(path, BOOK | parts)


def pptx(path: Path) -> Path:
    """Three slides: one of text with notes, one with a table, one that is empty."""
    from pptx import Presentation
    from pptx.util import Inches

    shown = Presentation()
    first = shown.slides.add_slide(shown.slide_layouts[1])
    first.shapes.title.text = "Quarterly results 분기 실적"
    first.placeholders[1].text = "Revenue grew by 12 per cent.\n매출은 12% 늘었다."
    first.notes_slide.notes_text_frame.text = "Thank the team in Daegu."
    shown.slides.add_slide(shown.slide_layouts[6])
    third = shown.slides.add_slide(shown.slide_layouts[5])
    third.shapes.title.text = "Plants"
    table = third.shapes.add_table(3, 2, *[Inches(1)] * 4).table
    for place, text in enumerate(["Plant", "Output", "Ulsan", "40 t", "Pohang", "7 t"]):
        table.cell(place // 2, place % 2).text = text
    shown.core_properties.author = "Ada Kim"
    shown.core_properties.modified = datetime(2024, 5, 1, 9, 30)
    shown.save(str(path))
    return path


def xlsx(path: Path) -> Path:
    """Two sheets: staff with a line above the header, a date and a formula; and bare numbers."""
    from openpyxl import Workbook

    book = Workbook()
    staff = book.active
    staff.title = "직원 Staff"
    staff.append(["List of employees, 2024"])
    staff.append([])
    staff.append(["이름", "City", "Since", "Paid", "Twice"])
    staff.append(["김민수", "Busan", datetime(2021, 3, 1), 1234.5, "=D4*2"])
    staff.append(["Ada Kim", None, datetime(2019, 4, 2), 0.1 + 0.2, None])
    numbers = book.create_sheet("Numbers")
    numbers.append([1, 2])
    numbers.append([3, 4])
    book.create_sheet("Empty")
    book.properties.creator = "Ada Kim"
    book.properties.modified = datetime(2024, 5, 1, 9, 30)
    book.save(path)
    return path


_ODT = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:automatic-styles>
<style:style style:name="P1" style:parent-style-name="Title"/></office:automatic-styles>
<office:body><office:text>%s</office:text></office:body></office:document-content>"""
_META = """<office:document-meta xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"
xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta><dc:creator>Ada Kim</dc:creator>
<dc:date>2024-05-01T09:30:00</dc:date></office:meta></office:document-meta>"""
ODT_BODY = """<text:p text:style-name="P1">The Well 우물</text:p><text:h text:outline-level="1">
Digging</text:h><text:p>It is<text:s text:c="2"/>40 m
deep<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>As of 1890.
</text:p></text:note-body></text:note>.<office:annotation><text:p>Really?</text:p>
</office:annotation></text:p><text:list><text:list-item><text:p>우물은 제주에 있다.</text:p>
</text:list-item></text:list><text:h text:outline-level="2">Water</text:h><table:table>
<table:table-header-rows><table:table-row><table:table-cell><text:p>Year</text:p>
</table:table-cell><table:table-cell><text:p>Litres</text:p></table:table-cell></table:table-row>
</table:table-header-rows><table:table-row><table:table-cell><text:p>1890</text:p>
</table:table-cell><table:table-cell><text:p>700</text:p></table:table-cell></table:table-row>
</table:table>"""


def odt(path: Path, body: str = ODT_BODY) -> Path:
    """A text with a title, two headings, a list, a footnote, a comment and a table."""
    return zipped(path, {"content.xml": _ODT % body, "meta.xml": _META})


MAIL = """From: =?utf-8?b?6rmA66+87IiY?= <minsu@example.org>
To: Ada Kim <ada@example.org>
Subject: =?utf-8?q?The_harbour_=ED=95=AD=EA=B5=AC?=
Date: Wed, 01 May 2024 09:30:00 +0900
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: multipart/alternative; boundary="c"

--c
Content-Type: text/plain; charset="utf-8"
Content-Transfer-Encoding: 8bit

The crane in Busan stands still until Friday.
부산의 기중기는 금요일까지 멈춘다.
--c
Content-Type: text/html; charset="utf-8"

<p>The crane in Busan stands still.</p>
--c--
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename="plan.pdf"
Content-Transfer-Encoding: base64

JVBERi0=
--b--
"""


def eml(path: Path, text: str = MAIL) -> Path:
    """A mail with a plain and a marked-up text, and an attached file."""
    path.write_bytes(text.encode())
    return path


MAKERS: dict[str, Callable[[Path], Path]] = {
    ".pptx": pptx, ".xlsx": xlsx, ".odt": odt, ".epub": epub, ".eml": eml,
}  # fmt: skip
