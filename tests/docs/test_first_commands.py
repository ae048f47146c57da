"""The first commands of the README set everything up in a fresh clone."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from doc_pages import PAGES, READMES, ROOT, Block, blocks_of, commands_of, text_of
from installing import REQUIRED, inherited, typed, uv

SMALL = "tests/algorithms/test_claims.py"  # of all tests, since the clone would test itself again
_RELEASED = re.compile(r".*pip install ragraphs\b.*")


def first_block(page: str) -> Block:
    return next(block for block in blocks_of(page) if block.language == "sh")


@pytest.mark.parametrize("readme", READMES)
def test_a_readme_begins_with_the_commands_of_a_clone(readme):
    assert commands_of(first_block(readme)) == [["make", "demo"], ["make", "test"]]


@pytest.mark.parametrize("page", [*READMES, *PAGES])
def test_the_released_name_stands_only_where_it_is_marked_as_coming(page):
    for line in _RELEASED.findall(text_of(page)):
        assert "coming" in line or "준비 중" in line, line


@pytest.fixture(scope="module")
def clone() -> Iterator[Path]:
    """A fresh clone of this repository, where packages can be had; in no memory, for its size."""
    if not (ROOT / ".git").exists():
        pytest.skip("This is no clone.")
    with TemporaryDirectory() as above:
        folder = Path(above) / "ragraphs"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
        fetched = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "setuptools>=77"]
        tried = subprocess.run(
            [*fetched, "-d", above], env=inherited(), capture_output=True, check=False
        )
        if tried.returncode and not REQUIRED:
            pytest.skip("There are no packages to be had.")
        yield folder


@pytest.fixture(scope="module")
def programs(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with uv alone, which `make` uses where it finds it; CI itself has none."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "bin").mkdir()
    (folder / "bin/uv").symlink_to(uv(shared_folder))
    return str(folder / "bin")


def has(clone: Path, package: str) -> bool:
    python = str(clone / ".venv/bin/python")
    asked = (
        f"from importlib.util import find_spec; raise SystemExit(find_spec({package!r}) is None)"
    )
    return not subprocess.run([python, "-c", asked], check=False).returncode


@pytest.mark.slow
def test_the_first_commands_set_a_fresh_clone_up_and_what_they_print_next_works(clone, programs):
    demo, test = (shlex.join(words) for words in commands_of(first_block("README.md")))
    shown = typed(clone, demo, programs)
    assert "John Fowler and Benjamin Baker" in shown
    assert not has(clone, "pytest") and not has(clone, "ray")
    following = re.findall(r"^\$ (.+)$", shown, re.MULTILINE)
    folder, asked = following[following.index("cd .venv/bridges") :][:2]
    assert "4,600" in typed(clone, f"{folder} && {asked}", programs)

    alone = "JOBS=0"  # else each worker would compile all that it imports
    tested = typed(clone, test, programs, PYTEST_ADDOPTS=SMALL, MAKEFLAGS=alone)
    assert " passed" in tested and "failed" not in tested and has(clone, "pytest")
    for again in (demo, test):
        assert "install" not in typed(clone, f"{again} --dry-run", programs)
