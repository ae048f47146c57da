"""Vectors as the database keeps them: the bytes of their numbers, without their shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..state.errors import IncompleteIndexError

_FLOAT = np.dtype("<f4")
NUMBER_SIZE = _FLOAT.itemsize


def to_blob(vectors: NDArray[np.float32]) -> bytes:
    """The bytes of ``vectors``, row by row."""
    return vectors.astype(_FLOAT, copy=False).tobytes()


def from_blob(blob: bytes, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """The vectors of which ``blob`` has the bytes; not to be written to.

    Raises IncompleteIndexError where they are not of this shape.
    """
    try:
        return np.frombuffer(blob, _FLOAT).reshape(shape)
    except ValueError as error:
        raise IncompleteIndexError from error
