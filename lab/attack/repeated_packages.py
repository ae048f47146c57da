"""Small packed files that say much: their parts are nested, shared, or listed again."""

from __future__ import annotations

from .hostile_packages import (
    OFFICE,
    empty_document,
    empty_slides,
    empty_workbook,
    escaped,
    slide,
    zipped,
)

_DEEPEST = 80  # of tables: XML is nested three times as deep, and parsers stop at 256
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def slides_with_a_header(text: str, times: int) -> bytes:
    """A slide with a table whose header is ``text``, and one cell in each of its rows."""
    cell = "<a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    rows = f"<a:tr>{cell.format(escaped(text))}</a:tr>" + f"<a:tr>{cell.format('x')}</a:tr>" * times
    frame = (
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id='9' name='t'/><p:cNvGraphicFramePr/>"
        "<p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData "
        "uri='http://schemas.openxmlformats.org/drawingml/2006/table'><a:tbl>"
        f"<a:tblPr firstRow='1'/>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )
    shown = slide().replace("</p:spTree>", f"{frame}</p:spTree>")
    return zipped(empty_slides() | {"ppt/slides/slide1.xml": shown.encode("utf-8", "replace")})


def slides_listed_again(text: str, times: int) -> bytes:
    """A slide that is listed many times."""
    held = empty_slides()
    shown = held["ppt/presentation.xml"].decode()
    start = shown.index("<p:sldId ")
    entry = shown[start : shown.index("/>", start) + 2]
    again = held | {
        "ppt/presentation.xml": shown.replace(entry, entry * times).encode(),
        "ppt/slides/slide1.xml": slide().replace("TEXT", escaped(text)).encode("utf-8", "replace"),
    }
    return zipped(again)


def tables_in_a_text(text: str, times: int) -> bytes:
    """An OpenDocument text of tables within tables."""
    deep = min(times, _DEEPEST)
    cell = f"<table:table-cell><text:p>{escaped(text)}</text:p>"
    start, end = (
        f"<table:table><table:table-row>{cell}",
        "</table:table-cell></table:table-row></table:table>",
    )
    return _odt(start * deep + end * deep)


def levels_of_a_text(text: str, times: int) -> bytes:
    """An OpenDocument text of headings, each a level below the one before."""
    name = escaped(text[:200]) or "x"
    return _odt(
        "".join(
            f'<text:h text:outline-level="{n}">{name}</text:h><text:p>x</text:p>'
            for n in range(1, times + 1)
        )
    )


def _odt(body: str) -> bytes:
    content = (
        f"<office:document-content {OFFICE}><office:body><office:text>{body}</office:text>"
        "</office:body></office:document-content>"
    )
    return zipped({"content.xml": content.encode("utf-8", "replace")})


def shared_texts(text: str, times: int) -> bytes:
    """An Excel file whose cells all show one text."""
    strings = f'<sst xmlns="{_SHEET}"><si><t>{escaped(text)}</t></si></sst>'
    cells = '<c t="s"><v>0</v></c>' * times
    sheet = f'<worksheet xmlns="{_SHEET}"><sheetData><row>{cells}</row></sheetData></worksheet>'
    return _workbook(sheet, strings)


def sheets_listed_again(text: str, times: int) -> bytes:
    """An Excel file with a sheet that is listed many times."""
    cell = f'<c t="inlineStr"><is><t>{escaped(text)}</t></is></c>'
    sheet = f'<worksheet xmlns="{_SHEET}"><sheetData><row>{cell}</row></sheetData></worksheet>'
    return _workbook(sheet, f'<sst xmlns="{_SHEET}"/>', times)


def _workbook(sheet: str, strings: str, times: int = 1) -> bytes:
    held = empty_workbook()
    book = held["xl/workbook.xml"].decode()
    start = book.index("<sheet ")
    entry = book[start : book.index("/>", start) + 2]
    entries = "".join(entry.replace('name="Sheet"', f'name="S{n}"') for n in range(times))
    relations = held["xl/_rels/workbook.xml.rels"].decode()
    shared = (
        '<Relationship Id="rId99" Target="sharedStrings.xml" Type="http://schemas.openxmlformats'
        '.org/officeDocument/2006/relationships/sharedStrings"/></Relationships>'
    )
    types = held["[Content_Types].xml"].decode()
    typed = (
        '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-'
        'officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
    )
    changed = {
        "xl/workbook.xml": book.replace(entry, entries),
        "xl/_rels/workbook.xml.rels": relations.replace("</Relationships>", shared),
        "[Content_Types].xml": types.replace("</Types>", typed),
        "xl/sharedStrings.xml": strings,
        "xl/worksheets/sheet1.xml": sheet,
    }
    return zipped(held | {name: part.encode("utf-8", "replace") for name, part in changed.items()})


def tables_in_a_word_file(text: str, times: int) -> bytes:
    """A Word file of tables within tables, each with a header in bold."""
    deep = min(times, _DEEPEST // 2)
    run = f"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{escaped(text)}</w:t></w:r></w:p>"
    start = f"<w:tbl><w:tr><w:tc>{run}</w:tc></w:tr><w:tr><w:tc>{run}"
    tables = start * deep + "</w:tc></w:tr></w:tbl>" * deep
    return _word_file(tables)


def header_of_a_word_file(text: str, times: int) -> bytes:
    """A Word file with a table whose header is ``text``, and one cell in each of its rows."""
    rows = "<w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr>" * times
    run = f"<w:p><w:r><w:t>{escaped(text)}</w:t></w:r></w:p>"
    header = f"<w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc>{run}</w:tc></w:tr>"
    return _word_file(f"<w:tbl>{header}{rows}</w:tbl>")


def _word_file(body: str) -> bytes:
    document = f"<w:document {_W}><w:body>{body}</w:body></w:document>"
    return zipped(empty_document() | {"word/document.xml": document.encode("utf-8", "replace")})


def chapters_listed_again(text: str, times: int) -> bytes:
    """A book with a chapter that is listed many times, by many spellings of its name."""
    hrefs = [f"{'x/../' * (n % 50)}a.html" for n in range(times)]
    items = "".join(
        f'<item id="i{n}" href="{href}" media-type="text/html"/>' for n, href in enumerate(hrefs)
    )
    spine = "".join(f'<itemref idref="i{n}"/>' * 2 for n in range(times))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>'
        f"{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="o.opf"/></rootfiles></container>'
    )
    page = f"<p>{escaped(text)}"
    parts = {"META-INF/container.xml": container, "o.opf": opf, "a.html": page}
    return zipped({name: part.encode("utf-8", "replace") for name, part in parts.items()})
