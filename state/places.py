"""Places: of an index, and of a passage under the title and the headings of its document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .records import Citation, Passage

INDEX = ".ragraphs"  # the folder of an index that nobody names
BELOW = " › "


def section_of(title: str, metadata: Mapping[str, Any]) -> str:
    """The headings in ``metadata`` above a passage, without one that only repeats its ``title``.

    >>> section_of("Notes", {"section": "Notes › Method › Samples"})
    'Method › Samples'
    """
    section = metadata.get("section")
    if not isinstance(section, str):
        return ""
    first, _, below = section.partition(BELOW)
    # The title of a part of a table has the table's header in brackets.
    return below if title == first or title.startswith(f"{first} (") else section


def place_of(passage: Citation | Passage) -> str:
    """Title and headings of ``passage``, or of a quotation, as in ``Notes › Method``."""
    section = section_of(passage["title"], passage.get("metadata", {}))
    return f"{passage['title']}{BELOW}{section}" if section else passage["title"]


def told_place(citation: Citation | Passage) -> str:
    """The place of a quotation in words: ``Title (notes.pdf, page 3, characters 10–52)``.

    Without a title, only what stands in the brackets.
    """
    metadata = citation.get("metadata", {})
    page, date = metadata.get("page"), str(metadata.get("date") or "")[:10]
    places = [
        citation["document"],
        *([date] if date and date not in f"{citation['title']} {citation['document']}" else []),
        *([] if page is None else [f"page {page}"]),
        f"characters {citation['start']}–{citation['end']}",
    ]
    where = ", ".join(places)
    return f"{citation['title']} ({where})" if citation["title"] else where
