"""The arrays of an index: in its folder, or in a database with copies on each machine."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .array_chunks import (
    check_chunks,
    delete_chunks_but,
    fetch_chunks,
    has_chunks,
    write_chunks,
)
from .arrays import (
    ENDING,
    DamagedArraysError,
    Scratch,
    delete_arrays_but,
    load_arrays,
    save_arrays,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray
    from sqlalchemy import Engine


class ArrayStore:
    """The arrays of the layers of an index, in ``folder``. All methods block.

    With the ``engine`` of a database they are kept there, and the folder has this machine's copies,
    which all its processes use.

    >>> store = ArrayStore(folder)
    >>> store.save("hops-1f", lambda scratch: {"edges": np.arange(3)})
    >>> store.load("hops-1f")["edges"]
    """

    def __init__(self, folder: Path, engine: Engine | None = None) -> None:
        self._folder = folder
        self._engine = engine

    def path(self, name: str) -> Path:
        """The folder of the arrays called ``name``."""
        return self._folder / f"{name}{ENDING}"

    def has(self, name: str) -> bool:
        """Whether there are arrays called ``name``."""
        is_here = self.path(name).exists()
        return is_here or (self._engine is not None and has_chunks(self._engine, name))

    def save(self, name: str, make: Callable[[Scratch], Mapping[str, NDArray[Any]]]) -> None:
        """Keeps the arrays that ``make`` returns: a reader sees all or none.

        Raises RagraphsError where they cannot be written.
        """
        save_arrays(self.path(name), make)
        if self._engine is not None:
            write_chunks(self._engine, name, self.path(name))

    def load(self, name: str, *, thoroughly: bool = False) -> dict[str, NDArray[Any]]:
        """The arrays called ``name``, as ``load_arrays`` gives them.

        Copies that are missing here, or damaged, are fetched from the database.
        """
        if self._engine is None:
            return load_arrays(self.path(name), thoroughly=thoroughly)
        with suppress(FileNotFoundError, DamagedArraysError):
            return load_arrays(self.path(name), thoroughly=thoroughly)
        fetch_chunks(self._engine, name, self.path(name))
        return load_arrays(self.path(name))

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
        delete_arrays_but(self._folder, [self.path(name) for name in kept])
        if self._engine is not None:
            delete_chunks_but(self._engine, kept)
