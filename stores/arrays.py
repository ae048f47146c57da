"""Arrays that were derived from the catalogue, in a file of the index folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


def save_arrays(file: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes ``arrays`` to ``file`` atomically: a reader sees the old ones or the new ones."""
    import numpy as np

    unfinished = file.with_name(file.name + ".new")
    with unfinished.open("wb") as stream:
        np.savez(stream, **dict(arrays))  # type: ignore[arg-type]  # the stub knows no keywords
    os.replace(unfinished, file)


def load_arrays(file: Path) -> dict[str, NDArray[Any]]:
    """The arrays in ``file``; empty where there is no file."""
    import numpy as np

    if not file.exists():
        return {}
    with np.load(file, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
