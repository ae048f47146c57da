"""Files of arrays by their difference from others, which a machine has already."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST = 1 << 28  # bytes of a file, which is in memory as a whole

_BYTES, _STEPS, _ROWS = b"b", b"s", b"r"
_LEVEL = 3
_COUNT = np.dtype("<i8")


def patch(before: Path, file: Path) -> bytes:
    """A patch by which ``patched`` makes the content of ``file`` from that of ``before``."""
    import zstandard

    content, known = file.read_bytes(), before.read_bytes() if before.exists() else b""
    kind = _kind(content, known)
    if kind == _ROWS:
        return kind + zstandard.compress(_new_rows(content, known), _LEVEL)
    known, content = _spread(known, kind), _spread(content, kind)
    window = max(len(known) + len(content), 1 << 10).bit_length()
    table = min(window, 24)
    parameters = zstandard.ZstdCompressionParameters.from_level(
        _LEVEL, window_log=window, hash_log=table, chain_log=table
    )
    dictionary = zstandard.ZstdCompressionDict(known, zstandard.DICT_TYPE_RAWCONTENT)
    compressor = zstandard.ZstdCompressor(dict_data=dictionary, compression_params=parameters)
    return kind + compressor.compress(content)


def patched(before: Path, difference: bytes) -> bytes:
    """The content of the file of which ``difference`` is the patch."""
    import zstandard

    kind, difference = difference[:1], difference[1:]
    known = before.read_bytes() if before.exists() else b""
    if kind == _ROWS:
        return _with_rows(zstandard.decompress(difference), known)
    dictionary = zstandard.ZstdCompressionDict(_spread(known, kind), zstandard.DICT_TYPE_RAWCONTENT)
    decompressor = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=1 << 31)
    return _joined(decompressor.decompress(difference), kind)


def _kind(content: bytes, known: bytes) -> bytes:
    """How an array is told: by its rows, by the steps from number to number, or by its bytes.

    Where a number was put in, all that follow it are others, and the steps are not.
    """
    _, shape, dtype = _header(content)
    if len(shape) == 2 and known:
        _, before, of_before = _header(known)
        return _ROWS if (before[1:], of_before) == (shape[1:], dtype) else _BYTES
    return _STEPS if len(shape) == 1 and dtype.kind == "i" else _BYTES


def _spread(content: bytes, kind: bytes) -> bytes:
    """The header of an array and its numbers: the first bytes of all steps, then the second."""
    if kind == _BYTES or not content:
        return content
    header, _, dtype = _header(content)
    numbers = np.frombuffer(content, dtype, offset=header)
    steps = np.diff(numbers, prepend=numbers.dtype.type(0))
    return content[:header] + steps.view(np.uint8).reshape(-1, dtype.itemsize).T.tobytes()


def _joined(content: bytes, kind: bytes) -> bytes:
    if kind == _BYTES:
        return content
    header, _, dtype = _header(content)
    planes = np.frombuffer(content, np.uint8, offset=header).reshape(dtype.itemsize, -1)
    steps: NDArray[Any] = np.ascontiguousarray(planes.T).view(dtype).ravel()
    return content[:header] + np.cumsum(steps, dtype=dtype).tobytes()


def _new_rows(content: bytes, known: bytes) -> bytes:
    """The header of a table, the place of each row in the ``known`` one or −1, and the others.

    Of the places stand the steps from one to the next.
    """
    header, _, _ = _header(content)
    rows, before = _rows(content), _rows(known)
    weights = np.random.default_rng(0).integers(1, 1 << 62, rows.shape[1], dtype=np.uint64)
    codes, of_before = (each.astype(np.uint64) @ weights for each in (rows, before))
    order = np.argsort(of_before, kind="stable")
    at = np.append(order, -1)[np.searchsorted(of_before[order], codes)]
    at[(rows != before[at]).any(axis=1) if len(before) else slice(None)] = -1
    steps = np.diff(at, prepend=0).astype(_COUNT)
    parts = np.array([header, len(rows)], _COUNT), content[:header], steps, rows[at < 0]
    return b"".join(part if isinstance(part, bytes) else part.tobytes() for part in parts)


def _with_rows(difference: bytes, known: bytes) -> bytes:
    header, count = np.frombuffer(difference, _COUNT, 2).tolist()
    start = 2 * _COUNT.itemsize
    at = np.cumsum(np.frombuffer(difference, _COUNT, count, offset=start + header))
    before = _rows(known)
    rows = np.empty((count, before.shape[1]), before.dtype)
    rows[at >= 0] = before[at[at >= 0]]
    new = np.frombuffer(difference, before.dtype, offset=start + header + at.nbytes)
    rows[at < 0] = new.reshape(int((at < 0).sum()), before.shape[1])
    return difference[start : start + header] + rows.tobytes()


def _rows(content: bytes) -> NDArray[Any]:
    """The rows of a table as whole numbers."""
    header, shape, dtype = _header(content)
    width = shape[1] * dtype.itemsize
    word = np.dtype(np.uint64 if width % 8 == 0 else np.uint8)
    return np.frombuffer(content, word, offset=header).reshape(shape[0], width // word.itemsize)


def _header(content: bytes) -> tuple[int, tuple[int, ...], np.dtype[Any]]:
    """The length of the header of an array's file, its shape, and the type of its numbers."""
    stream = BytesIO(content[: 1 << 12])
    np.lib.format.read_magic(stream)
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    return stream.tell(), shape, dtype
