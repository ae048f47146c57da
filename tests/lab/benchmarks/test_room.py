"""The room that an index takes is told by table and by file."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from lab.benchmarks.room import main, room_of


def test_tables_are_told_with_their_indexes_and_all_other_files(tmp_path, capsys):
    (tmp_path / "chroma").mkdir()
    (tmp_path / "chroma" / "data.bin").write_bytes(b"x" * 50_000)
    with closing(sqlite3.connect(tmp_path / "catalogue.sqlite")) as database:
        database.execute("CREATE TABLE names (id TEXT PRIMARY KEY, text TEXT)")
        database.execute("CREATE INDEX by_text ON names (text)")
        names = [(f"{n:064}", f"name {n}") for n in range(1000)]
        database.executemany("INSERT INTO names VALUES (?, ?)", names)
        database.commit()
    found = room_of(tmp_path)
    assert found["chroma/data.bin"] == 50_000
    assert found["catalogue.sqlite: names"] > 150_000  # ids stand in rows and in an index
    assert found.total() == sum(path.stat().st_size for path in tmp_path.rglob("*.*"))
    main(tmp_path)
    assert "0.05 chroma/data.bin" in capsys.readouterr().out
