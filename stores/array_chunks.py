"""Arrays in a database: their files in chunks, written by one machine and copied by others."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock
from sqlalchemy import Connection, Engine, delete, func, insert, select

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
    from numpy.typing import NDArray

_CHUNK = 4 << 20  # bytes: a row of it is sent and held in memory as a whole


def has_chunks(engine: Engine, name: str) -> bool:
    """Whether the database has the arrays called ``name``. Blocks."""
    table = array_chunks.c
    query = select(table.number).where(table.arrays == name, table.file == LIST)
    with engine.connect() as connection:
        return connection.execute(query).first() is not None


def write_chunks(engine: Engine, name: str, folder: Path) -> None:
    """Puts the files of ``folder`` into the database, under a new name. Blocks."""
    with engine.begin() as connection:
        for file in sorted(folder.iterdir()):
            for number, data in enumerate(_blocks(file)):
                row = {"arrays": name, "file": file.name, "number": number, "data": data}
                connection.execute(insert(array_chunks), row)


def fetching(folder: Path) -> FileLock:
    """The lock on this machine's copies of arrays in ``folder``, which one process changes."""
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
                shutil.rmtree(unfinished, ignore_errors=True)
                unfinished.mkdir()
                with engine.connect() as connection:
                    _fetch(connection, name, unfinished)
                delete_arrays([folder])
                os.replace(unfinished, folder)
                _delete_earlier(engine, folder)
            return load_arrays(folder)
    except FileNotFoundError:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    except OSError as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise unwritable(folder, error) from error


def check_chunks(engine: Engine, name: str) -> None:
    """Raises DamagedArraysError where files of the arrays called ``name`` lack a part. Blocks."""
    table = array_chunks.c
    query = select(table.file, func.sum(func.length(table.data))).where(table.arrays == name)
    with engine.connect() as connection:
        # The list last: arrays that are deleted meanwhile have none, and lack nothing.
        sizes = {file: size for file, size in connection.execute(query.group_by(table.file))}
        content = b"".join(_chunks(connection, name, LIST))
    listed = json.loads(content) if content else {}
    if any(sizes.get(f"{array}.npy") != size for array, (size, _) in listed.items()):
        raise DamagedArraysError(Path(name + ENDING))


def delete_chunks_but(engine: Engine, names: Collection[str]) -> None:
    """Deletes the arrays of all other names. Blocks."""
    with engine.begin() as connection:
        connection.execute(delete(array_chunks).where(array_chunks.c.arrays.not_in(names)))


def _fetch(connection: Connection, name: str, folder: Path) -> None:
    content = b"".join(_chunks(connection, name, LIST))
    if not content:
        raise FileNotFoundError(name)
    for array, (size, checksum) in json.loads(content).items():
        found = (0, 0)
        with (folder / f"{array}.npy").open("wb") as file:
            for data in _chunks(connection, name, f"{array}.npy"):
                file.write(data)
                found = found[0] + len(data), zlib.crc32(data, found[1])
        if found != (size, checksum):
            # Without its list it was deleted meanwhile, since others took its place.
            if not any(_chunks(connection, name, LIST)):
                raise FileNotFoundError(name)
            raise DamagedArraysError(folder.with_suffix(""))
    (folder / LIST).write_bytes(content)


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
