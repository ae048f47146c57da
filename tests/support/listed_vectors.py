"""Embedded vectors whose catalogue lists their ids, as of a large index."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from ragraphs.stores import recent_vectors
from ragraphs.stores.recent_vectors import RecentVectors
from ragraphs.stores.schema import open_database
from ragraphs.stores.vectors import Collection


def listed_vectors(folder: Path, id: str) -> RecentVectors:
    """The vectors of an index in ``folder``, whose changes wait in its catalogue from the first."""
    vectors = RecentVectors(folder, id, open_database(folder, create=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recent_vectors, "_LISTED_FROM", 0)
        vectors._done("passages", lambda store: store.count(), writes=True)  # it makes the folder
        for collection in get_args(Collection):
            vectors.settle(collection)
    return vectors
