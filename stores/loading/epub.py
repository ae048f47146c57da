"""Electronic books: the chapters in the order of reading."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from ...state.records import Metadata
from .file import SourceFile, clean, unreadable
from .html import page_part, titles_of_page
from .metadata import Outline, fitting
from .package import PackageKind, parsed, safe_parts
from .types import BoundError, DocumentBlock, LoadedDocument, LoadError, LoadFailure

_KIND = PackageKind(
    "EPUB", "download it again, or convert it to .html", pages=(".xhtml", ".html", ".htm")
)
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_PAGES = ("application/xhtml+xml", "text/html")


def load_epub(source: SourceFile) -> Iterator[LoadedDocument | LoadFailure]:
    """The one document of a book, in blocks for its chapters, after a failure for each broken one.

    Raises LoadError.
    """
    parts = safe_parts(source, _KIND)
    with unreadable(source, f"is no EPUB file that can be read; {_KIND.mending}."):
        container = parsed(parts["META-INF/container.xml"])
        place = next(container.iterfind("{*}rootfiles/{*}rootfile")).get("full-path")
        package = parsed(parts[place])
        names = _chapters(package, place)
        protected = _encrypted(parts)
    if protected.intersection(names):
        raise LoadError(f"{source.name} is copy-protected; get it without protection.")
    if sum(parts.get(name, b"").count(b"<") for name in names) > source.limits.html_tags:
        raise LoadError(f"{source.name} has more than {source.limits.html_tags} tags; split it.")
    title = _stated(package, "title")
    chapters: list[DocumentBlock] = []
    for name in names:
        try:
            chapters += _chapter(source, parts[name], title) if name in parts else []
        except BoundError:
            raise
        except LoadError as error:
            where = f"{source.name}, {posixpath.basename(name)}"
            yield LoadFailure(where, f"{where} was left out: {error}")
    if not chapters:
        raise source.empty()
    metadata = fitting({
        "author": _authors(package),
        "date": _stated(package, "date"),
        "language": _stated(package, "language"),
    })  # fmt: skip
    yield source.document([title], chapters, metadata)


def _chapters(package: Any, place: str) -> list[str]:
    """The names of the chapters in the book, each once; its table of contents is none."""
    items = {item.get("id"): item for item in package.iter(_OPF + "item")}
    spine = [items.get(ref.get("idref")) for ref in package.iter(_OPF + "itemref")]
    names = [
        posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(item.get("href"))))
        for item in spine
        if item is not None
        and item.get("media-type") in _PAGES
        and "nav" not in item.get("properties", "").split()
    ]
    return list(dict.fromkeys(names))


def _encrypted(parts: Mapping[str, bytes]) -> set[str]:
    told = parts.get("META-INF/encryption.xml")
    if told is None:
        return set()
    return {unquote(found.get("URI", "")) for found in parsed(told).iter("{*}CipherReference")}


def _chapter(source: SourceFile, data: bytes, book: str) -> list[DocumentBlock]:
    page, part = page_part(source, data)
    if not part.strip():
        return []
    before: Metadata = {}
    if not any(metadata for _, metadata in part.places):
        title = next(iter(titles_of_page(page)), "")
        before = Outline().enter(1, title) if title != book else {}
    return [DocumentBlock(f"{part}\n\n", part.metadata or before, part.changes)]


def _stated(package: Any, name: str) -> str:
    return clean(" ".join((package.findtext(f".//{_DC}{name}") or "").split()))


def _authors(package: Any) -> str | list[str]:
    names = [" ".join((found.text or "").split()) for found in package.iter(_DC + "creator")]
    return names if len(names) > 1 else "".join(names)
