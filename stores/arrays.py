"""Arrays that were derived from the catalogue, in a file of the index folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..state.errors import RagraphsError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray


_UNFINISHED = ".new"
# The number of arrays, two bytes before the end of a zip file without a comment. Python's zipfile
# does not look at it, and misses an array where a damaged length hides its entry.
_COUNT = -12


class DamagedArraysError(RagraphsError):
    """A file of arrays cannot be read to its end, or holds something else."""

    def __init__(self, file: Path) -> None:
        super().__init__(f"{file.name} is damaged; ragraphs index makes it anew.")


def save_arrays(file: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes ``arrays`` to ``file`` atomically: a reader sees the old ones or the new ones.

    Raises RagraphsError where they cannot be written.
    """
    import numpy as np

    unfinished = file.with_name(file.name + _UNFINISHED)
    try:
        with unfinished.open("wb") as stream:
            np.savez(stream, **dict(arrays))  # type: ignore[arg-type]  # it knows no keywords
        os.replace(unfinished, file)
    except OSError as error:
        raise RagraphsError(
            f"{file} cannot be written ({error.strerror or error}); check the disk and its "
            "permissions, and run the same command again."
        ) from error


def load_arrays(file: Path) -> dict[str, NDArray[Any]]:
    """The arrays in ``file``. Raises DamagedArraysError where it is not as it was written."""
    import numpy as np

    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
            stream.seek(_COUNT, os.SEEK_END)
            count = int.from_bytes(stream.read(2), "little")
    except FileNotFoundError:
        raise
    except Exception as error:  # zip and npy have an error of their own for every byte
        raise DamagedArraysError(file) from error
    if len(arrays) != count:
        raise DamagedArraysError(file)
    return arrays


def delete_arrays_but(folder: Path, kept: Collection[Path | None]) -> None:
    """Deletes the files of arrays in ``folder``, finished or not, that are not among ``kept``."""
    for file in [*folder.glob("*.npz"), *folder.glob(f"*.npz{_UNFINISHED}")]:
        if file not in kept:
            file.unlink(missing_ok=True)
