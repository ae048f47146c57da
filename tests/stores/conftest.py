"""Files that the tests of stores write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from loading_support import Write
from ragraphs.stores import schema
from sqlalchemy import Engine


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: str | bytes, encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """A new database."""
    engine = schema.open_database(tmp_path / "index", create=True)
    yield engine
    engine.dispose()
