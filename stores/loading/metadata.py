"""Metadata as documents state them, cut down to what an index keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...state.records import Metadata
from ..metadata import LARGEST, LONGEST_KEY, MOST_TEXTS, combined
from .file import clean

_SEPARATOR = " › "
_LONGEST_HEADING = 200
_LARGEST_FRONT = 16 * 1024  # characters
_LOWEST = 10  # level of a heading: each carries those above it
_NAMES = {"authors": "author", "lang": "language"}
_SHARED = frozenset({"author", "date", "language"})
# Of these the loaders and the index are the judges.
OWN = frozenset({"id", "title", "text", "document", "path", "page", "slide", "sheet", "section"})


def fitting(values: Mapping[Any, object], without: Iterable[str] = ()) -> Metadata:
    """The entries of ``values`` that fit into an index; ``without`` are keys that are left out.

    Common keys are written alike, texts have no white space around them, and lists hold texts.
    Empty values are left out, and entries that ``combined`` leaves out.

    >>> fitting({"Authors": "Ada", "year": date(1843, 9, 1), "more": {"a": 1}, "": 1})
    {'author': 'Ada', 'year': '1843-09-01'}
    """
    left_out = set(without)
    named = [(_name(key), value) for key, value in values.items() if isinstance(key, str)]
    return combined(*({key: _tidy(value)} for key, value in named if key not in left_out))


def _name(given: str) -> str:
    """The key for ``given``: names that everybody uses are written alike."""
    key = clean(given[: 2 * LONGEST_KEY]).strip()
    common = _NAMES.get(key.lower(), key.lower())
    return common if common in _SHARED else key


def _tidy(value: object) -> object:
    """``value`` as an index would have it, where it is text or a list; None for what is empty."""
    if isinstance(value, str):
        return _line(value) or None
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return _texts(value)
    return value


def _texts(values: Sequence[object]) -> list[str] | None:
    """``values`` as texts; None where there are none, or one is neither text nor a number."""
    if len(values) > MOST_TEXTS or not all(isinstance(one, str | int | float) for one in values):
        return None
    try:
        return list(dict.fromkeys(filter(None, (_line(str(one)) for one in values)))) or None
    except ValueError:  # a number of thousands of digits
        return None


def _line(text: str) -> str:
    return clean(text).strip() if len(text) <= LARGEST else ""


def front_metadata(front: str) -> Metadata:
    """The metadata that the front matter of a Markdown file states; none where it is no YAML."""
    if not front.strip() or len(front) > _LARGEST_FRONT:
        return {}
    from .front_matter import read_yaml  # importing YAML takes longer than reading most files

    try:
        stated = read_yaml(front)
    except Exception:  # A tag on the wrong value causes errors of any kind.
        return {}
    return fitting(stated, OWN) if isinstance(stated, Mapping) else {}


class Outline:
    """The headings above each place of a text, as its headings are passed in order.

    >>> outline = Outline()
    >>> outline.enter(1, "Method"), outline.enter(2, "Data")
    ({'section': 'Method'}, {'section': 'Method › Data'})
    """

    def __init__(self) -> None:
        self.metadata: Metadata = {}
        self._above: list[tuple[int, str]] = []

    def enter(self, level: int, heading: str) -> Metadata:
        """The metadata from a heading on, of which level 1 is the highest."""
        heading = " ".join(heading[: 2 * _LONGEST_HEADING].split())[:_LONGEST_HEADING]
        level = min(level, _LOWEST)
        if heading:
            while self._above and self._above[-1][0] >= level:
                self._above.pop()
            self._above.append((level, heading))
            # A new dictionary each: the metadata of earlier places stay as they are.
            self.metadata = {"section": _SEPARATOR.join(text for _, text in self._above)}
        return self.metadata
