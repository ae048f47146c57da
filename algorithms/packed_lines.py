"""Texts as an array of bytes, for a file of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def pack_lines(lines: Sequence[str]) -> NDArray[np.uint8]:
    """Texts of one line each, none of them empty, as UTF-8 bytes.

    An array of strings would give each text the room of the longest.
    """
    return np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)


def unpack_lines(packed: NDArray[np.uint8]) -> list[str]:
    """The texts that ``pack_lines`` packed."""
    return packed.tobytes().decode().split("\n") if len(packed) else []
