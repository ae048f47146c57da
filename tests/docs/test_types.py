"""The Python of the documentation passes mypy's strict checks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import PAGES, READMES, ROOT, blocks_of

# Large packages of which neither the pages nor what they call name a type.
UNREAD = (
    "IPython aiohttp chromadb cryptography fastembed huggingface_hub matplotlib prompt_toolkit "
    "psycopg pytest _pytest sqlalchemy tornado werkzeug"
)
GIVEN = 'SERVER = "http://127.0.0.1:11434/v1"'  # in the page on integration


@pytest.mark.slow
def test_the_python_of_every_page_is_typed(tmp_path: Path) -> None:
    (tmp_path / "typed").mkdir()
    (tmp_path / "typed" / "ragraphs").symlink_to(ROOT, target_is_directory=True)
    names = []
    for page in [*READMES, *PAGES]:
        blocks = [block.text for block in blocks_of(page) if block.language == "python"]
        if blocks:
            names.append(page.replace("/", "_").replace(".", "_") + ".py")
            (tmp_path / names[-1]).write_text("\n".join([GIVEN, *blocks]), encoding="utf-8")
    assert names
    unread = ",".join(f"{name}.*" for name in UNREAD.split())
    config = f"[mypy]\n[mypy-{unread}]\nfollow_imports = skip\n"
    (tmp_path / "mypy.ini").write_text(config, encoding="utf-8")
    options = ["--strict", "--follow-imports=silent", "--config-file=mypy.ini"]
    options.append("--disable-error-code=import-untyped")  # networkx has its types apart
    options.append(f"--cache-dir={ROOT / '.mypy_cache' / 'docs'}")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *names],
        cwd=tmp_path,
        env={"MYPYPATH": "typed", "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
