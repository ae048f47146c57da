"""The content of a web page: the part that is about its subject, and the headers of its tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from ...language.analyser import shortened

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_AROUND = frozenset({"nav", "dialog"})
_AROUND_ROLES = frozenset({
    "navigation", "search", "dialog", "alertdialog", "menu", "menubar", "tablist", "tooltip",
})  # fmt: skip
# Around a page; within its content they belong to it.
_EDGES = frozenset({"header", "footer", "aside", "banner", "contentinfo", "complementary"})
_CONTENT = frozenset({"main", "article", "section", "blockquote", "figure"})
_NAMED = frozenset({"a", "div", "li", "ol", "p", "section", "span", "table", "td", "ul"})
_NAMES = re.compile(
    r"(?<![a-z])(?:cookies?|consent|gdpr|skip|jump|headerlink|editsection|newsletter|adverts?"
    r"|advertisements?|popup|footer)(?![a-z])"
)
_NAMES_OF_LINKS = re.compile(
    r"(?<![a-z])(?:breadcrumbs?|crumbs|menu|nav|navbar|navbox|gnb|lnb|pager|pagination|prev|share"
    r"|sharing|sidebar|social|toc)(?![a-z])"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LISTS = frozenset({"div", "ol", "section", "table", "td", "ul"})
_PROSE = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "dl", "pre", "blockquote"})
_SUBJECTS = frozenset({"h1", "h2", "table", "article"})  # which no form for input has
_FEW_LINKS = 3
_MOSTLY = 0.6
_MAIN_SHARE = 0.25  # of the text outside of links
LONGEST_COLUMN = 80  # of the header that each cell has before it


class _Measured(NamedTuple):
    """Characters of an element, and of its links; their number.

    ``has_prose`` tells of its children, ``has_subject`` of all within it.
    """

    length: int
    linked: int
    links: int
    has_prose: bool
    has_subject: bool


class Content:
    """The main part of a page, without menus, banners, forms and what is hidden.

    Nothing that has more than half of the page's text is left out.

    >>> content = Content(BeautifulSoup(markup, "lxml"))
    >>> content.element.name
    'main'
    """

    def __init__(self, page: BeautifulSoup) -> None:
        tags = page.find_all(True)
        self._measured: dict[int, _Measured] = {}
        for tag in chain(reversed(tags), [page]):  # the inner before the outer
            self._measured[id(tag)] = self._measure(tag)
        self._inside = {id(page): False}
        for tag in tags:
            parent = tag.parent
            self._inside[id(tag)] = parent is not None and (
                self._inside[id(parent)] or parent.name in _CONTENT or _is_main(parent)
            )
        self.element = self._main(page, tags)
        self._labels: dict[int, str] = {}
        self._headers: set[int] = set()
        for table in page.find_all("table"):
            self._read_header(table)

    def _measure(self, tag: Tag) -> _Measured:
        from bs4 import Tag as Element
        from bs4.element import CData, NavigableString

        length = linked = links = 0
        has_prose = has_subject = False
        for child in tag.contents:
            if isinstance(child, Element):
                inner = self._measured[id(child)]
                length += inner.length
                linked += inner.linked
                links += inner.links
                has_prose |= child.name in _PROSE
                has_subject |= inner.has_subject or child.name in _SUBJECTS
            elif type(child) in (NavigableString, CData):
                length += len(str(child).strip())
        if tag.name == "a":
            linked, links = length, 1
        return _Measured(length, linked, links, has_prose, has_subject)

    def _main(self, page: BeautifulSoup, tags: list[Tag]) -> Tag:
        """The part that the page calls its main one, or its only article; else the page."""
        mains = list(filter(_is_main, tags))
        articles = [tag for tag in tags if tag.name == "article"]
        found = mains or (articles if len(articles) == 1 else [])
        best = max(found, key=self._prose, default=page)
        return best if self._prose(best) >= self._prose(page) * _MAIN_SHARE else page

    def _prose(self, tag: Tag) -> int:
        measured = self._measured[id(tag)]
        return measured.length - measured.linked

    def leaves_out(self, tag: Tag) -> bool:
        """Whether ``tag`` is around the content, or a row of headers, which the cells repeat."""
        if id(tag) in self._headers:
            return True
        length, linked, links, _, has_subject = self._measured[id(tag)]
        if tag is self.element or 2 * length > self._measured[id(self.element)].length:
            return False
        role, name = str(tag.get("role", "")), tag.name
        if name == "form" and not has_subject:
            return True
        if name in _AROUND or role in _AROUND_ROLES or tag.get("aria-hidden") == "true":
            return True
        if name in _EDGES or role in _EDGES:
            return not self._inside[id(tag)]
        is_linked = linked >= _MOSTLY * length
        if name in _NAMED and any(
            _NAMES.search(given) or (is_linked and _NAMES_OF_LINKS.search(given))
            for given in _names_of(tag)
        ):
            return True
        # A menu stands among blocks, a list of links that is content among paragraphs.
        among = tag.parent is not None and self._measured[id(tag.parent)].has_prose
        return is_linked and links >= _FEW_LINKS and name in _LISTS and not among

    def label_of(self, tag: Tag) -> str:
        """The header of the column of a cell that is not empty, where its table has headers."""
        return self._labels.get(id(tag), "")

    def _read_header(self, table: Tag) -> None:
        rows = [_cells(row) for row in _rows(table)]
        header = rows[0] if len(rows) > 1 else []
        plain = all(cell.name == "th" and not cell.has_attr("colspan") for cell in header)
        if len(header) < 2 or not plain:
            return
        labels = [shortened(" ".join(cell.get_text().split()), LONGEST_COLUMN) for cell in header]
        self._headers.update(map(id, header))
        for cells in rows[1:]:
            if len(cells) == len(labels):
                pairs = zip(cells, labels, strict=True)
                filled = {
                    id(cell): label for cell, label in pairs if self._measured[id(cell)].length
                }
                self._labels.update(filled)


def _is_main(tag: Tag) -> bool:
    return tag.name == "main" or tag.get("role") == "main"


def _names_of(tag: Tag) -> Iterator[str]:
    """The id and the classes of ``tag``, in lower case, with hyphens between words."""
    for given in (tag.get("id"), *(tag.get_attribute_list("class"))):
        if given:
            yield _CAMEL.sub("-", str(given)).lower()


def _rows(table: Tag) -> Iterator[Tag]:
    """The rows of ``table`` itself, not of tables within it."""
    for part in table.find_all(("thead", "tbody", "tfoot", "tr"), recursive=False):
        yield from [part] if part.name == "tr" else part.find_all("tr", recursive=False)


def _cells(row: Tag) -> list[Tag]:
    return row.find_all(("td", "th"), recursive=False)
