"""Places: of an index, and of a passage under the title and the headings of its document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .records import Passage

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


def place_of(passage: Passage) -> str:
    """Title and headings of ``passage``, as in ``Notes › Method``."""
    section = section_of(passage["title"], passage.get("metadata", {}))
    return f"{passage['title']}{BELOW}{section}" if section else passage["title"]
