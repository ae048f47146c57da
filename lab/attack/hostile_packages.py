"""Hostile packed files: slides, sheets, OpenDocument texts and books; and mails."""

from __future__ import annotations

import base64
import io
import random
import zipfile
from collections.abc import Mapping
from functools import cache

_ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
OFFICE = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table")
)


def escaped(text: str) -> str:
    """``text`` as it may stand in XML."""
    shown = "".join(c for c in text if c.isprintable() or c == "\n")
    for plain, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        shown = shown.replace(plain, entity)
    return shown


def pptx_file(text: str, chance: random.Random) -> bytes:
    """A PowerPoint file whose slide, notes or nesting is hostile."""
    group = "<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>"
    shown = escaped(text)
    forms = (shown, f"{shown}</a:t></a:r></a:p><a:p><a:r><a:t>{shown[:999]}", "")
    shown_slide = slide().replace("TEXT", chance.choice(forms))
    if chance.random() < 0.3:
        shown_slide = shown_slide.replace(
            "</p:spTree>", group * 3000 + "</p:grpSp>" * 3000 + "</p:spTree>"
        )
    return _with(empty_slides(), "ppt/slides/slide1.xml", _head(chance) + shown_slide)


def xlsx_file(text: str, chance: random.Random) -> bytes:
    """An Excel file whose cells, places or names of columns are hostile."""
    cell = f'<c t="inlineStr"><is><t>{escaped(text)}</t></is></c>'
    short = '<c t="inlineStr"><is><t>Name</t></is></c>'
    number = chance.choice((1, 10**6, 10**12, -5))
    rows = chance.choice((
        f"<row>{cell}</row>", f"<row>{cell}{cell}</row>" + f"<row>{short}{short}</row>" * 500,
        f'<row r="{number}">{short}</row>' * 3, f"<row>{short * 3000}</row>" * 2,
        '<row><c r="XFD1"><v>1</v></c></row>' * 300, '<row><c t="s"><v>99</v></c></row>',
        '<row><c t="d"><v>x</v></c><c s="77"><v>1e999</v></c></row>', f"<row><c><f>{text[:9]}</f>",
    ))  # fmt: skip
    sheet = (
        f'{_head(chance)}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/'
        f'main"><dimension ref="A1:XFD1048576"/><sheetData>{rows}</sheetData></worksheet>'
    )
    return _with(empty_workbook(), "xl/worksheets/sheet1.xml", sheet)


def odt_file(text: str, chance: random.Random) -> bytes:
    """An OpenDocument text whose paragraphs, spaces or nesting is hostile."""
    shown = escaped(text)
    body = chance.choice((
        f"<text:p>{shown}</text:p>", f'<text:h text:outline-level="x">{shown}</text:h>',
        f'<text:h text:outline-level="-9">{shown}</text:h><text:p>{shown[:99]}</text:p>' * 2,
        '<text:p>a<text:s text:c="999999999"/></text:p>' * 99, "<text:section>" * 5000,
        "<table:table>" + "<table:table-row><table:table-cell/></table:table-row>" * 999
        + "</table:table>",
    ))  # fmt: skip
    content = (
        f"{_head(chance)}<office:document-content {OFFICE}><office:body><office:text>{body}"
        "</office:text></office:body></office:document-content>"
    )
    return _with({}, "content.xml", content)


def epub_file(text: str, chance: random.Random) -> bytes:
    """A book whose chapters, names or list of chapters is hostile."""
    shown = escaped(text)
    href = chance.choice(("a.html", "a.html", "../../../etc/passwd", shown[:999] or "x"))
    read = '<itemref idref="a"/>' * chance.choice((1, 999))
    opf = (
        f'{_head(chance)}<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc='
        f'"http://purl.org/dc/elements/1.1/"><dc:title>{shown}</dc:title></metadata><manifest>'
        f'<item id="a" href="{href.replace(chr(34), "")}" media-type="text/html"/></manifest>'
        f"<spine>{read}</spine></package>"
    )
    page = chance.choice((f"<p>{shown}", f"<h1>{shown}</h1><p>x", "<div>" * 5000 + "deep", text))
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="o.opf"/></rootfiles></container>'
    )
    held = {"META-INF/container.xml": container.encode(), "o.opf": opf.encode("utf-8", "replace")}
    return _with(held, "a.html", page)


def eml_file(text: str, chance: random.Random) -> bytes:
    """A mail whose headers, parts or encodings are hostile."""
    line = " ".join(text.split())
    packed = base64.b64encode(text.encode("utf-8", "replace")).decode()
    levels = chance.choice((5, 90, 2000))
    nested = "".join(
        f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(levels)
    )
    forms = (
        f"Subject: A mail\n\n{text}", f"Subject: {line}\nFrom: {line}\nDate: {line}\n\nHello.",
        f"Subject: A mail\n{nested}\n\n{text[:999]}", f"Subject: {'=?utf-8?q?a?= ' * 5000}\n\nHi.",
        f"Subject: A\nContent-Type: text/html\n\n{text}", f"{text}: {text}\n\n{text}",
        f"Subject: A\nContent-Transfer-Encoding: base64\n\n{packed}",
        f"Subject: A\nContent-Type: text/plain; charset={line[:99]}\n\n{text}",
        f"Subject: A\nContent-Disposition: attachment; filename={line}\n\nHello.",
    )  # fmt: skip
    return chance.choice(forms).encode("utf-8", "replace")


def _head(chance: random.Random) -> str:
    return chance.choice(("", "", "", "", _ENTITIES))


@cache
def empty_slides() -> dict[str, bytes]:
    """The parts of a PowerPoint file with one slide."""
    from pptx import Presentation

    shown = Presentation()
    slide = shown.slides.add_slide(shown.slide_layouts[1])
    slide.shapes.title.text = "TEXT"
    saved = io.BytesIO()
    shown.save(saved)
    return _held(saved)


def slide() -> str:
    """The slide of ``empty_slides``, whose title is TEXT."""
    return empty_slides()["ppt/slides/slide1.xml"].decode().partition("?>")[2]


@cache
def empty_document() -> dict[str, bytes]:
    """The parts of an empty Word file."""
    from docx import Document

    saved = io.BytesIO()
    Document().save(saved)
    return _held(saved)


@cache
def empty_workbook() -> dict[str, bytes]:
    """The parts of an Excel file with one empty sheet."""
    from openpyxl import Workbook

    saved = io.BytesIO()
    Workbook().save(saved)
    return _held(saved)


def _held(saved: io.BytesIO) -> dict[str, bytes]:
    with zipfile.ZipFile(saved) as file:
        return {name: file.read(name) for name in file.namelist()}


def _with(held: dict[str, bytes], name: str, text: str) -> bytes:
    """A package of the parts ``held``, of which the one called ``name`` is ``text``."""
    return zipped(held | {name: text.encode("utf-8", "replace")})


def zipped(parts: Mapping[str, bytes]) -> bytes:
    """A package of ``parts`` by their names."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            file.writestr(name, data)
    return packed.getvalue()
