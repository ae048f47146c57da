"""Metadata of documents and passages: its limits, and where in a passage it holds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from ..state.errors import RagraphsError
from ..state.records import Metadata, MetadataValue, Passage

LONGEST_KEY = 64
LARGEST = 8 * 1024  # bytes of JSON: each passage carries them
MOST_KEYS = 50
MOST_TEXTS = 100  # of a list: Chroma keeps a row for each
_LARGEST_NUMBER = 2**53  # beyond it JSON readers round
_FIELDS = frozenset({"title", "document"})  # fields of a passage
# What SQLite's paths of JSON or Chroma would take for something else.
_NO_KEY = re.compile(r"[$_#]|chroma:|.*[\x00-\x1f\x7f\"\\]", re.DOTALL)
_KEYS = (
    f"keys have 1 to {LONGEST_KEY} characters, without quotation marks and backslashes, and begin "
    "with none of $, _ and #"
)
_VALUES = f"values are texts, numbers, true, false, or lists of at most {MOST_TEXTS} texts"


def checked_metadata(given: object, of: str) -> Metadata:
    """The metadata ``given`` for the document ``of``; dates become ISO text, None is left out.

    Raises RagraphsError where it does not fit into an index.

    >>> checked_metadata({"author": "Ada", "date": date(1843, 9, 1), "page": None}, "notes")
    {'author': 'Ada', 'date': '1843-09-01'}
    """
    if not isinstance(given, Mapping):
        raise RagraphsError(
            f"The metadata of {of} must be a dictionary, such as {{'author': 'Ada'}}."
        )
    kept: Metadata = {}
    for key, value in given.items():
        if key in _FIELDS:
            raise RagraphsError(
                f"The metadata of {of} has the key {key!r}, the name of a field of every passage; "
                "use another."
            )
        if not is_key(key):
            raise RagraphsError(f"The metadata of {of} has the key {str(key)[:80]!r}; {_KEYS}.")
        fit = _fitting(value)
        if fit is not None:
            kept[key] = fit
        elif value is not None and value != []:
            raise RagraphsError(
                f"The metadata of {of} has under {key!r} the value {str(value)[:80]!r}; {_VALUES}."
            )
    if len(kept) > MOST_KEYS or size_of(kept) > LARGEST:
        raise RagraphsError(
            f"The metadata of {of} is too large; at most {MOST_KEYS} keys and {LARGEST // 1024} KB "
            "are kept."
        )
    return dict(sorted(kept.items()))


def combined(*parts: Mapping[str, Any]) -> Metadata:
    """One dictionary of ``parts``, of which the first that has a key decides; keys are in order.

    Entries that do not fit into an index are left out, and the last keys if all take over 8 KB.
    """
    kept: Metadata = {}
    size = size_of({})
    for part in parts:
        for key, value in part.items():
            if key in kept or key in _FIELDS or not is_key(key):
                continue
            fit = _fitting(value)
            more = 0 if fit is None else size_of({key: fit})
            if fit is not None and size + more <= LARGEST and len(kept) < MOST_KEYS:
                kept[key] = fit
                size += more
    return dict(sorted(kept.items()))


def is_key(key: object) -> bool:
    """Whether ``key`` may be a key of metadata."""
    if not isinstance(key, str) or not 0 < len(key) <= LONGEST_KEY:
        return False
    return not _NO_KEY.match(key) and storable(key) == key


def size_of(metadata: Mapping[str, Any]) -> int:
    """The bytes of ``metadata`` as JSON."""
    return len(json.dumps(metadata, ensure_ascii=False).encode())


def metadata_at(passage: Passage, start: int) -> Metadata:
    """The metadata of ``passage`` at the character ``start`` of its document.

    A passage may reach into the next section of its document.

    >>> metadata_at(passage, citation["start"])
    {'path': 'notes.md', 'section': 'Notes › Method'}
    """
    # A thread that an earlier version interrupted has evidence without metadata.
    metadata = passage.get("metadata", {})
    turns = [turn for turn in passage.get("turns", ()) if turn["start"] <= start]
    if not turns:
        return metadata
    changed = {**metadata, **turns[-1]["metadata"]}
    return {key: value for key, value in sorted(changed.items()) if value is not None}


def _fitting(value: object) -> MetadataValue | None:
    """``value`` normalised for storage, or None if it is not supported."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST_NUMBER else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, date):  # a datetime is one, too
        return value.isoformat()
    if isinstance(value, list | tuple) and 0 < len(value) <= MOST_TEXTS:
        texts = [storable(text) for text in value if isinstance(text, str)]
        return texts if len(texts) == len(value) else None
    return None


def storable(text: str) -> str:
    """``text`` with a mark for each character that no database can hold; its length is the same."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
