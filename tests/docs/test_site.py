"""The site: MkDocs builds it without a warning, and its pages load nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import ROOT

_LOADED = re.compile(r"<(?:script|img|iframe|link rel=\"(?:stylesheet|preconnect|icon)\")[^>]*>")


@pytest.mark.slow
def test_the_site_is_built_strictly_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        loaded = _LOADED.findall(page.read_text("utf-8"))
        assert loaded and not [one for one in loaded if "//" in one], page
