"""The arrays of an index: in its folder, or in a database with copies on each machine."""

from __future__ import annotations

import os
import shutil
import uuid
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .array_chunks import (
    base_of,
    check_chunks,
    delete_chunks_but,
    fetch_chunks,
    fetching,
    has_chunks,
    write_chunks,
    write_patches,
)
from .arrays import ENDING, DamagedArraysError, Scratch, delete_arrays_but, load_arrays, save_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray
    from sqlalchemy import Engine


_MAKING = "making"


class ArrayStore:
    """The arrays of the layers of an index, in ``folder``. All methods block.

    With the ``engine`` of a database they are kept there, and the folder has this machine's copies,
    which all its processes use.

    >>> store = ArrayStore(folder)
    >>> name = store.save("hops", lambda scratch: {"edges": np.arange(3)})
    >>> store.load(name)["edges"]
    """

    def __init__(self, folder: Path, engine: Engine | None = None) -> None:
        self._folder = folder
        self._engine = engine

    def path(self, name: str) -> Path:
        """The folder of the arrays called ``name``."""
        return self._folder / f"{name}{ENDING}"

    def has(self, name: str) -> bool:
        """Whether there are arrays called ``name``."""
        is_here = self.path(name).is_dir()
        return is_here or (self._engine is not None and has_chunks(self._engine, name))

    def save(
        self,
        kind: str,
        make: Callable[[Scratch], Mapping[str, NDArray[Any]]],
        before: str | None = None,
        whole: bool = False,
    ) -> str:
        """Keeps the arrays that ``make`` returns under a new name of this ``kind``: the name.

        A database gets only their difference from those called ``before``, or from those that these
        differ from, where it is small; a folder has only the difference, too, where files can be
        shared, unless they are to be ``whole``. Arrays of other names stay for those who read them,
        until ``delete_all_but``. Raises RagraphsError where they cannot be written.
        """
        path = self.path(name := f"{kind}-{uuid.uuid4().hex[:16]}")
        if self._engine is None:
            save_arrays(path, make, whole)
            return name
        # Beside the copies, of which those are deleted that the database has not.
        made = self._folder / _MAKING / path.name
        save_arrays(made, make, whole)
        if not before or not write_patches(self._engine, name, made, before):
            write_chunks(self._engine, name, made)
        os.replace(made, path)
        return name

    def load(self, name: str, *, thoroughly: bool = False) -> dict[str, NDArray[Any]]:
        """The arrays called ``name``, as ``load_arrays`` gives them.

        Copies that are missing here, or damaged, are fetched from the database.
        """
        if self._engine is None:
            return load_arrays(self.path(name), thoroughly=thoroughly)
        with suppress(FileNotFoundError, DamagedArraysError):
            return load_arrays(self.path(name), thoroughly=thoroughly)
        return fetch_chunks(self._engine, name, self.path(name))

    def write_whole(self, name: str) -> None:
        """Has the database keep the arrays called ``name`` without those that they differ from."""
        if self._engine is not None and base_of(self._engine, name):
            self.load(name, thoroughly=True)
            write_chunks(self._engine, name, self.path(name))

    def check(self, name: str) -> None:
        """Raises DamagedArraysError where the database has only a part of the arrays."""
        if self._engine is not None:
            check_chunks(self._engine, name)

    def take(self, name: str, other: ArrayStore) -> None:
        """Copies the arrays called ``name`` from ``other``."""
        other.load(name, thoroughly=True)  # which fetches those that are only in a database
        if self._engine is None:
            shutil.copytree(other.path(name), self.path(name), dirs_exist_ok=True)
        else:
            write_chunks(self._engine, name, other.path(name))

    def delete_all_but(self, names: Iterable[str | None]) -> None:
        """Deletes all arrays, finished or not, but those called ``names``."""
        kept = [name for name in names if name is not None]
        paths = [self.path(name) for name in kept]
        if self._engine is None:
            delete_arrays_but(self._folder, paths)
            return
        delete_chunks_but(self._engine, kept)
        shutil.rmtree(self._folder / _MAKING, ignore_errors=True)
        with suppress(OSError), fetching(self._folder):
            delete_arrays_but(self._folder, paths)
