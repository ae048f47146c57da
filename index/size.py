"""Whether an index is so large that questions take bounded ways."""

from __future__ import annotations

from ..stores import large
from .opening import CachedValue, Index, passages_stamp


def is_large(index: Index) -> bool:
    """Whether ``index`` has so many passages that a question compares only what is near. Blocks.

        most = 100 if is_large(index) else None

    A filter does not count.
    """
    return passage_count(index) >= large.FLAT_FROM


def passage_count(index: Index) -> int:
    """The number of passages, of all of a narrowed index. Blocks."""
    return _count.of(index)


_count = CachedValue(passages_stamp, lambda index: index.catalogue.count_passages())
