"""Arrays in a database: their files in chunks, written by one machine and copied by others.

Arrays that are almost as others were are patches to these, which the database keeps with them.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, delete, func, insert, select

from .array_patches import LARGEST, patch, patched
from .arrays import (
    ENDING,
    LIST,
    UNFINISHED,
    DamagedArraysError,
    delete_arrays,
    delete_arrays_but,
    load_arrays,
    unwritable,
)
from .tables import array_chunks

if TYPE_CHECKING:
    from filelock import FileLock
    from numpy.typing import NDArray

_CHUNK = 4 << 20  # bytes: a row of it is sent and held in memory as a whole
_BASE = "base"  # in the place of a file: the name of the arrays that these are patches to
_PATCH = ".patch"
_LARGEST_PATCH = 0.1  # of the arrays; from there on they are written as a whole


def has_chunks(engine: Engine, name: str) -> bool:
    """Whether the database has the arrays called ``name``. Blocks."""
    table = array_chunks.c
    query = select(table.number).where(table.arrays == name, table.file == LIST)
    with engine.connect() as connection:
        return connection.execute(query).first() is not None


def write_chunks(engine: Engine, name: str, folder: Path) -> None:
    """Puts the files of ``folder`` into the database, in place of all called ``name``. Blocks."""
    with engine.begin() as connection:
        connection.execute(delete(array_chunks).where(array_chunks.c.arrays == name))
        for file in sorted(folder.iterdir()):
            for number, data in enumerate(_blocks(file)):
                _put(connection, name, file.name, data, number)


def write_patches(engine: Engine, name: str, folder: Path, before: str) -> bool:
    """Puts patches by which the files of ``folder`` are made from those called ``before`` there.

    Where these are patches themselves, to the same base. Blocks. Writes nothing, and returns False,
    where the patches are not small, or the base is not whole.
    """
    base = base_of(engine, before) or before
    files = sorted(folder.glob("*.npy"))
    sizes = [file.stat().st_size for file in files]
    if max(sizes, default=0) > LARGEST:
        return False
    left, patches = _LARGEST_PATCH * sum(sizes), dict[str, bytes]()
    try:
        check_chunks(engine, base)
        fetch_chunks(engine, base, known := folder.parent.parent / f"{base}{ENDING}")
    except (FileNotFoundError, DamagedArraysError):
        return False
    for file in files:
        patches[file.name] = patch(known / file.name, file)
        left -= len(patches[file.name])
        if left < 0:
            return False
    with engine.begin() as connection:
        for file_name, data in patches.items():
            _put(connection, name, file_name + _PATCH, data)
        _put(connection, name, _BASE, base.encode())
        _put(connection, name, LIST, (folder / LIST).read_bytes())
    return True


def base_of(engine: Engine, name: str) -> str | None:
    """The name of the arrays that those called ``name`` are patches to, or None. Blocks."""
    with engine.connect() as connection:
        return b"".join(_chunks(connection, name, _BASE)).decode() or None


def _put(connection: Connection, name: str, file: str, data: bytes, number: int = 0) -> None:
    row = {"arrays": name, "file": file, "number": number, "data": data}
    connection.execute(insert(array_chunks), row)


def fetching(folder: Path) -> FileLock:
    """The lock on this machine's copies of arrays in ``folder``, which one process changes."""
    from filelock import FileLock  # slow to import, and needed for shared indexes alone

    return FileLock(folder / "fetching.lock")


def fetch_chunks(engine: Engine, name: str, folder: Path) -> dict[str, NDArray[Any]]:
    """The arrays called ``name``, copied to ``folder`` where they are not whole there.

    Of several processes one copies, and the others wait for it. Copies of arrays that the database
    has no more are deleted. Blocks. Raises FileNotFoundError where the database has none,
    DamagedArraysError where they are not as they were written, and RagraphsError where the folder
    cannot be written.
    """
    unfinished = folder.with_name(folder.name + UNFINISHED)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with fetching(folder.parent):
            if not _is_whole(folder):
                if base := base_of(engine, name):
                    _make_whole(engine, base, folder.with_name(base + ENDING))
                _make_whole(engine, name, folder)
                _delete_earlier(engine, folder)
            return load_arrays(folder)
    except FileNotFoundError:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    except OSError as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise unwritable(folder, error) from error


def _make_whole(engine: Engine, name: str, folder: Path) -> None:
    if not _is_whole(folder):
        unfinished = folder.with_name(folder.name + UNFINISHED)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        with engine.connect() as connection:
            _fetch(connection, name, unfinished)
        delete_arrays([folder])
        os.replace(unfinished, folder)


def check_chunks(engine: Engine, name: str) -> None:
    """Raises DamagedArraysError where files of the arrays called ``name`` lack a part. Blocks."""
    table = array_chunks.c
    query = select(table.file, func.sum(func.length(table.data))).where(table.arrays == name)
    with engine.connect() as connection:
        # The list last: arrays that are deleted meanwhile have none, and lack nothing.
        sizes = {file: size for file, size in connection.execute(query.group_by(table.file))}
        content = b"".join(_chunks(connection, name, LIST))
    listed = json.loads(content) if content else {}
    if base := base_of(engine, name):
        check_chunks(engine, base)
        whole = all(f"{array}.npy{_PATCH}" in sizes for array in listed)
    else:
        whole = all(sizes.get(f"{array}.npy") == size for array, (size, _) in listed.items())
    if not whole:
        raise DamagedArraysError(Path(name + ENDING))


def delete_chunks_but(engine: Engine, names: Collection[str]) -> None:
    """Deletes the arrays of all other names but those that these are patches to. Blocks."""
    table = array_chunks.c
    bases = select(table.data).where(table.file == _BASE, table.arrays.in_(names))
    with engine.begin() as connection:
        kept = [*names, *(base.decode() for base in connection.scalars(bases))]
        connection.execute(delete(array_chunks).where(table.arrays.not_in(kept)))


def _fetch(connection: Connection, name: str, folder: Path) -> None:
    content = b"".join(_chunks(connection, name, LIST))
    if not content:
        raise FileNotFoundError(name)
    base = b"".join(_chunks(connection, name, _BASE)).decode()
    for array, (size, checksum) in json.loads(content).items():
        found = (0, 0)
        with (folder / f"{array}.npy").open("wb") as file:
            for data in _content(connection, name, array, folder.with_name(base + ENDING), base):
                file.write(data)
                found = found[0] + len(data), zlib.crc32(data, found[1])
        if found != (size, checksum):
            # Without its list it was deleted meanwhile, since others took its place.
            if not any(_chunks(connection, name, LIST)):
                raise FileNotFoundError(name)
            raise DamagedArraysError(folder.with_suffix(""))
    (folder / LIST).write_bytes(content)


def _content(
    connection: Connection, name: str, array: str, before: Path, base: str
) -> Iterator[bytes]:
    """The content of an array's file; of one that is a patch, by the files of ``before``."""
    if not base:
        yield from _chunks(connection, name, f"{array}.npy")
    elif difference := b"".join(_chunks(connection, name, f"{array}.npy{_PATCH}")):
        yield patched(before / f"{array}.npy", difference)


def _chunks(connection: Connection, name: str, file: str) -> Iterator[bytes]:
    """The chunks of a file, one at a time in memory."""
    table = array_chunks.c
    of_file = (table.arrays == name) & (table.file == file)
    last = connection.scalar(select(func.max(table.number)).where(of_file))
    for number in range(0 if last is None else last + 1):
        data = connection.scalar(select(table.data).where(of_file, table.number == number))
        yield data or b""


def _blocks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while block := stream.read(_CHUNK):
            yield block


def _is_whole(folder: Path) -> bool:
    try:
        load_arrays(folder, thoroughly=True)
    except (FileNotFoundError, DamagedArraysError):
        return False
    return True


def _delete_earlier(engine: Engine, folder: Path) -> None:
    """Deletes the copies beside ``folder`` whose arrays the database has no more."""
    with engine.connect() as connection:
        names = connection.scalars(select(array_chunks.c.arrays).distinct())
        kept = [folder.with_name(name + ENDING) for name in names]
    delete_arrays_but(folder.parent, kept)
