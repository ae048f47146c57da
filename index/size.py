"""Whether an index is so large that questions take bounded ways."""

from __future__ import annotations

from ..settings import settings
from .opening import CachedValue, Index, passages_stamp


def is_large(index: Index) -> bool:
    """Whether ``index`` has so many passages that a question compares only what is near. Blocks.

        most = 100 if is_large(index) else None

    The operator's setting ``flat_from`` says from how many on. A filter does not count.
    """
    return _count.of(index) >= settings().flat_from


_count = CachedValue(passages_stamp, lambda index: index.catalogue.count_passages())
