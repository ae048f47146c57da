"""The room that an index in a folder takes, by table and by file.

``python -m lab.benchmarks.room INDEX`` prints megabytes: of each table of the catalogue with its
indexes, of the tables of Chroma's database, and of the largest files.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

from ..command import run

_SHOWN = 0.005  # of the whole; what is smaller is told together
_OF_TABLES = (
    "SELECT coalesce(s.tbl_name, d.name), sum(d.pgsize) FROM dbstat d "
    "LEFT JOIN sqlite_schema s ON s.name = d.name GROUP BY 1"
)


def main(index: Path) -> None:
    """Prints megabytes by table and by file, the largest first."""
    rooms = room_of(index)
    whole = sum(rooms.values())
    for name, size in rooms.most_common():
        if size >= _SHOWN * whole:
            print(f"{size / 1e6:9.2f} {name}")
    rest = sum(size for size in rooms.values() if size < _SHOWN * whole)
    print(f"{rest / 1e6:9.2f} all else\n{whole / 1e6:9.2f} the whole")


def room_of(index: Path) -> Counter[str]:
    """Bytes by the paths of files in ``index``, and of databases by their tables."""
    rooms = Counter[str]()
    for file in filter(Path.is_file, index.rglob("*")):
        name = str(file.relative_to(index))
        if file.suffix in (".sqlite", ".sqlite3"):
            address = f"{file.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(address, uri=True)) as database:
                tables = database.execute(_OF_TABLES).fetchall()
            rooms.update({f"{name}: {table}": size for table, size in tables})
        else:
            rooms[name] += file.stat().st_size
    return rooms


if __name__ == "__main__":
    run(main)
