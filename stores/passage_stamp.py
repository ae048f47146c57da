"""The stamp of an index's passages: another one whenever a passage or its metadata changed."""

from __future__ import annotations

import uuid

PASSAGES = "passages"  # the property that holds it


def stamp_after(before: str | None, changes: int) -> str:
    """The stamp after so many documents were written or removed; it begins with all of them."""
    return f"{changes + changes_in(before or '')}:{uuid.uuid4().hex}"


def changes_in(stamp: str) -> int:
    """The number of changes that a stamp begins with; 0 in one of an earlier version."""
    number, counts, _ = stamp.partition(":")
    return int(number) if counts else 0
