"""Indexes that several tests begin with, each made once and then copied."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from ragraphs.settings import settings


class Snapshots:
    """Copies of indexes that were made before, by what they hold.

    snapshots.fill("notes", lambda: run("index", "docs", "--index", "notes"))
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def fill(self, index: str, make: Callable[[], object], holds: str = "index") -> None:
        """Makes the index in the folder ``index`` by ``make``, or as a copy of what that made.

        Nothing but the folder is copied: no request to a model is made again.
        """
        kept = self._folder / holds
        if kept.exists():
            shutil.copytree(kept, index)
            return
        make()
        if settings().database is None:
            shutil.copytree(index, kept)
