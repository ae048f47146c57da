"""Small files of every format that say much, or take long: parts that are nested or repeated.

``REPEATED`` makes them by their kinds, whose first word is the ending: of a text and a number.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from .repeated_packages import (
    chapters_listed_again,
    header_of_a_word_file,
    levels_of_a_text,
    shared_texts,
    sheets_listed_again,
    slides_listed_again,
    slides_with_a_header,
    tables_in_a_text,
    tables_in_a_word_file,
)

_FORM = "/Type /XObject /Subtype /Form "
_FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def _parameters(text: str, times: int) -> str:
    return f'Subject: A mail\nContent-Type: text/plain;a="{";" * 30 * times}\n\n{text}'


def _parts_in_parts(text: str, times: int) -> str:
    levels = "".join(
        f'Content-Type: multipart/mixed; boundary*0="b{n}"\n\n--b{n}\n' for n in range(times)
    )
    return f"Subject: A mail\n{levels}\n\n{text}"


def _parts_beside_parts(text: str, times: int) -> str:
    part = f'--b\nContent-Type: text/plain;a="{";" * 500}\n\n{text[:100]}\n'
    return f"Subject: A mail\nContent-Type: multipart/mixed; boundary=b\n\n{part * times}--b--"


def _page_with_a_header(text: str, times: int) -> str:
    return f"<table><tr><th>{text}<th>x</tr>{'<tr><td>1<td>2</tr>' * times}</table>"


def _tables_in_a_page(text: str, times: int) -> str:
    return f"<table><tr><th>{text}<th>x</tr><tr><td>" * times


def _attributes(text: str, times: int) -> str:
    names = " ".join(f"a{n}" for n in range(times))
    return f"<p {names}>{text}<p style='{'display ' * times}'>{text}"


def _rows_with_a_header(text: str, times: int) -> str:
    return f"{' '.join(text.split()).replace(',', '')},b\n" + "1\n" * times


def _columns(text: str, times: int) -> str:
    return ",".join(f"a{n}" for n in range(times)) + "\n" + "1\n" * times


def _quoted(text: str, times: int) -> str:
    return f'a,b\n"{text}' + "\n" * times + '","' * times


def _levels_of_json(text: str, times: int) -> str:
    deep = min(times, 300)
    return "[" * deep + json.dumps([text] + [1] * times) + "]" * deep


def _rows_of_json(text: str, times: int) -> str:
    return f"{json.dumps({'text': text[:50] or 'x', 'tags': [[]] * 50})}\n" * times


def _front_matter(text: str, times: int) -> str:
    return f"---\n{'[' * times}\n---\n{text}"


def _headings(text: str, times: int) -> str:
    return f"{'#' * times}\n# {' ' * times}x\n{text}\n{'=' * times}x\n" + "# a\n" * times


def _underlines(text: str, times: int) -> str:
    marks = "=-~^\"'`:.*+#_<>"
    return "".join(f"Ab\n{marks[n % len(marks)] * 3}\n\n" for n in range(times)) + text


def _pages_listed_again(text: str, times: int) -> bytes:
    return _pdf(_drawn(text), kids="4 0 R " * times)


def _forms_drawn_again(text: str, times: int) -> bytes:
    form = _stream(_drawn(text), _FORM + "/Resources << /Font << /F 3 0 R >> >>")
    return _pdf("/X Do " * times, form)


def _forms_in_forms(text: str, times: int) -> bytes:
    """Nests up to 12 levels, on a page for every 12 ``times``: pypdf bounds a page's levels."""
    resources = "/Resources << /XObject << /X {} 0 R >> /Font << /F 3 0 R >> >>"
    forms = [_stream("/X Do " * 10, _FORM + resources.format(7 + n)) for n in range(min(times, 12))]
    last = _stream(_drawn(text), _FORM + resources.format(99))
    return _pdf("/X Do", *forms, last, pages=max(1, times // 12))


def _drawn(text: str) -> str:
    shown = "".join(c for c in text if c.isascii() and c.isprintable() and c not in "()\\")
    return f"BT /F 12 Tf 72 700 Td ({shown}) Tj ET"


def _stream(content: str, entries: str = "") -> str:
    return f"<< {entries} /Length {len(content)} >>\nstream\n{content}\nendstream"


def _pdf(content: str, *more: str, kids: str = "4 0 R ", pages: int = 1) -> bytes:
    """A PDF with ``pages`` that are alike; objects 6 and following are ``more``."""
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources "
        "<< /XObject << /X 6 0 R >> /Font << /F 3 0 R >> >> >>"
    )
    kids += "".join(f"{6 + len(more) + n} 0 R " for n in range(pages - 1))
    count = kids.count("R")
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Count {count} /Kids [{kids}] >>",
        _FONT, page, _stream(content), *more, *[page] * (pages - 1),
    )  # fmt: skip
    body, offsets = "%PDF-1.7\n", []
    for number, held in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{held}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    end = f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{end}".encode("latin-1", "replace")


def _written(make: Callable[[str, int], str]) -> Callable[[str, int], bytes]:
    return lambda text, times: make(text, times).encode("utf-8", "replace")


REPEATED: dict[str, Callable[[str, int], bytes]] = {
    "pptx with a long header": slides_with_a_header,
    "pptx with a slide listed again": slides_listed_again,
    "odt of tables in tables": tables_in_a_text,
    "odt of levels": levels_of_a_text,
    "xlsx of shared texts": shared_texts,
    "xlsx with a sheet listed again": sheets_listed_again,
    "docx of tables in tables": tables_in_a_word_file,
    "docx with a long header": header_of_a_word_file,
    "epub with a chapter listed again": chapters_listed_again,
    "eml with a long parameter": _written(_parameters),
    "eml of parts in parts": _written(_parts_in_parts),
    "eml of parts beside parts": _written(_parts_beside_parts),
    "html with a long header": _written(_page_with_a_header),
    "html of tables in tables": _written(_tables_in_a_page),
    "html of attributes": _written(_attributes),
    "csv with a long header": _written(_rows_with_a_header),
    "csv of columns": _written(_columns),
    "csv of quotes": _written(_quoted),
    "json of levels": _written(_levels_of_json),
    "jsonl of rows": _written(_rows_of_json),
    "md with front matter": _written(_front_matter),
    "md of headings": _written(_headings),
    "rst of underlines": _written(_underlines),
    "txt": lambda text, times: (text * times).encode("utf-8", "replace"),
    "py": lambda text, times: (f"# {text}\n" * times).encode("utf-8", "replace"),
    "pdf with a page listed again": _pages_listed_again,
    "pdf with a form drawn again": _forms_drawn_again,
    "pdf of forms in forms": _forms_in_forms,
}
