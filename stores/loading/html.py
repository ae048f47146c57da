"""Web pages: the text a visitor sees."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from ...state.records import Metadata
from .content import Content
from .encoding import detect
from .file import SourceFile, clean
from .headings import plain_heading
from .metadata import Outline, fitting
from .types import DocumentBlock, LoadedDocument, LoadError

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from bs4.element import PageElement

_UNSEEN = frozenset({
    "head", "script", "style", "noscript", "template", "svg", "iframe", "object", "canvas",
    "audio", "video", "datalist", "button", "input", "select", "textarea",
})  # fmt: skip
_PARAGRAPHS = frozenset({
    "address", "article", "aside", "blockquote", "details", "dl", "fieldset", "figure", "footer",
    "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol", "p", "pre",
    "section", "table", "ul",
})  # fmt: skip
_LINES = frozenset({
    "body", "br", "caption", "dd", "div", "dt", "figcaption", "legend", "li", "summary", "tr",
})  # fmt: skip
_SPACE = re.compile(r"[ \t\n\r\f\xa0]+")
_CELL_END = " | "
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_AS_BROWSERS_DO = {
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-1": "cp1252",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
}
_STATED = {
    "author": "author", "article:author": "author", "dc.creator": "author",
    "article:published_time": "date", "date": "date", "dc.date": "date",
}  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_NOT_DISPLAYED = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def load_html(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a web page: its visible text, blocks ending in line ends.

    Raises LoadError.
    """
    from bs4 import BeautifulSoup

    markup = web_page(source, source.read(source.limits.html_bytes))
    if markup.count("<") > source.limits.html_tags:
        raise LoadError(
            f"{source.name} has more than {source.limits.html_tags} tags; split it, or save it "
            "as .txt."
        )
    # lxml, because the parser of the standard library takes quadratic time on broken comments. A
    # file object, because BeautifulSoup warns of a short string that looks like a file's name.
    page = BeautifulSoup(io.StringIO(markup), "lxml")
    content = Content(page)
    part = _laid_out(source, content.element, content) or _laid_out(source, page)
    if not part:
        raise source.empty()
    yield source.document(titles_of_page(page), (part,), _metadata(page))


def web_page(source: SourceFile, data: bytes) -> str:
    """The markup that ``data`` is, decoded as browsers do. Raises LoadError."""
    from bs4.dammit import EncodingDetector

    declared = EncodingDetector.find_declared_encoding(data[:4096], is_html=True) or ""
    encoding = detect(io.BytesIO(data), source.name, _AS_BROWSERS_DO.get(declared, declared))
    # BeautifulSoup warns of pages that begin as XML, though their text is the same.
    return _DECLARATION.sub("", data.decode(encoding.codec))


def page_part(source: SourceFile, data: bytes) -> tuple[BeautifulSoup, DocumentBlock]:
    """A page that is all content, as a chapter of a book is, and its text with its sections."""
    from bs4 import BeautifulSoup

    page = BeautifulSoup(io.StringIO(web_page(source, data)), "lxml")
    return page, _laid_out(source, page)


def _laid_out(source: SourceFile, element: Tag, content: Content | None = None) -> DocumentBlock:
    layout = _TextLayout(source, content)
    layout.add(element)
    return layout.part()


def _metadata(page: BeautifulSoup) -> Metadata:
    stated: dict[str, str] = {}
    for tag in page.find_all("meta", limit=200):
        name = str(tag.get("name") or tag.get("property") or "").lower()
        stated.setdefault(_STATED.get(name, ""), str(tag.get("content") or "").strip())
    root = page.find("html")
    language = str(root.get("lang") or root.get("xml:lang") or "") if root else ""
    keys = ("author", "date")
    return fitting({key: stated.get(key) for key in keys} | {"language": language})


def titles_of_page(page: BeautifulSoup) -> list[str]:
    """The title of a page and its first heading of the highest level, as far as it has them."""
    found = (page.find(name) for name in ("title", *_HEADINGS))
    title, *headings = (clean(" ".join(tag.get_text().split())) if tag else "" for tag in found)
    heading = next(filter(None, headings), "")
    return [each for each in (title, plain_heading(heading)) if each]


class _TextLayout:
    """Text laid out in lines as a browser does, with a blank line around paragraphs.

    Of ``content`` what is around it is left out, and cells have the header of their column.
    """

    def __init__(self, source: SourceFile, content: Content | None = None) -> None:
        self._source = source
        self._content = content
        self._pieces: list[str] = []
        self._breaks = 2
        # The level of each heading, the first of its pieces, and the first after it.
        self._headings: list[list[int]] = []
        self._open: list[int] = []

    def part(self) -> DocumentBlock:
        """The text with its sections, without space at its ends."""
        starts = [start for _, start, _ in self._headings]
        texts = [
            clean("".join(self._pieces[start:end]))
            for start, end in pairwise([0, *starts, len(self._pieces)])
        ]
        text = "".join(texts)
        place, outline, changes = len(text.lstrip()) - len(text), Outline(), []
        for (level, start, end), before in zip(self._headings, texts, strict=False):
            place += len(before)
            if heading := clean("".join(self._pieces[start:end])).strip():
                changes.append((max(0, place), outline.enter(level, heading)))
        return DocumentBlock(text.strip(), {}, changes)

    def add(self, page: Tag) -> None:
        # A list of what is left instead of recursion: pages nest thousands of elements deep.
        left: list[tuple[PageElement, bool] | str] = [(page, False)]
        while left:
            step = left.pop()
            if isinstance(step, str):
                if step in _HEADINGS:
                    self._headings[self._open.pop()][2] = len(self._pieces)
                self._end(step)
            else:
                self._visit(*step, left)

    def _visit(
        self, element: PageElement, verbatim: bool, left: list[tuple[PageElement, bool] | str]
    ) -> None:
        from bs4.element import CData, NavigableString, Tag

        if isinstance(element, Tag):
            if not _is_seen(element) or (self._content and self._content.leaves_out(element)):
                return
            self._end(element.name)
            if element.name in _HEADINGS:
                self._open.append(len(self._headings))
                self._headings.append([_HEADINGS[element.name], len(self._pieces), 0])
            if self._content and (label := self._content.label_of(element)):
                self._write(f"{label}: ", verbatim)
            left.append(element.name)
            verbatim = verbatim or element.name == "pre"
            left.extend((child, verbatim) for child in reversed(element.contents))
        elif type(element) in (NavigableString, CData):
            self._write(str(element), verbatim)

    def _write(self, text: str, verbatim: bool) -> None:
        if not verbatim:
            text = _SPACE.sub(" ", text)
            if self._breaks or self._pieces[-1].endswith(" "):
                text = text.lstrip(" ")
        if text:
            self._pieces.append(self._source.made(text))
            self._breaks = len(text) - len(text.rstrip("\n"))

    def _end(self, name: str) -> None:
        """The line or paragraph ends that an element called ``name`` has before and after it."""
        if name in ("td", "th"):
            if not self._breaks and self._pieces[-1] != _CELL_END:
                self._pieces.append(_CELL_END)
            return
        wanted = 2 if name in _PARAGRAPHS else 1 if name in _LINES else 0
        if wanted > self._breaks:
            if self._pieces[-1] == _CELL_END:
                self._pieces.pop()
            self._pieces[-1] = self._pieces[-1].rstrip(" ")
            self._pieces.append("\n" * (wanted - self._breaks))
            self._breaks = wanted


def _is_seen(element: Tag) -> bool:
    return not (
        element.name in _UNSEEN
        or element.has_attr("hidden")
        or _NOT_DISPLAYED.search(str(element.get("style", "")))
    )
