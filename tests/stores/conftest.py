"""Files that the tests of stores write."""

from __future__ import annotations

from pathlib import Path

import pytest
from loading_support import Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: str | bytes, encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write
