"""The checks of a release."""

from __future__ import annotations

import re
import tomllib
import zipfile
from pathlib import Path

import pytest
import ragraphs

from lab.release.licences import dependencies, table
from lab.release.wheel import missing_files, stray_files, weigh

ROOT = Path(ragraphs.__file__).parent


def test_files_that_the_source_distribution_lacks_are_named():
    assert missing_files({"a.py", "tests/b.py"}, {"a.py", "PKG-INFO"}) == ["tests/b.py"]


def test_files_of_the_repository_that_a_wheel_holds_are_named(tmp_path):
    with zipfile.ZipFile(tmp_path / "ragraphs-1-py3-none-any.whl", "w") as wheel:
        for name in ("ragraphs/a.py", "ragraphs/lab/b.py", "lab/c.py", "ragraphs-1.dist-info/A"):
            wheel.writestr(name, "")
    assert stray_files(tmp_path) == ["lab/c.py", "ragraphs/lab/b.py"]


@pytest.mark.slow
def test_every_package_that_an_installation_needs_is_listed_with_its_licence():
    page = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    assert table(dependencies()) in page


@pytest.mark.slow
def test_packages_under_the_gpl_come_first():
    copyleft = [one.name for one in dependencies() if one.is_copyleft]
    assert {"igraph", "leidenalg"} <= set(copyleft)
    rows = table(dependencies()).splitlines()[2:]
    assert all(f"| {name} |" in rows[place] for place, name in enumerate(copyleft))


@pytest.mark.slow
def test_extras_hold_what_only_some_need():
    names = {one.name for one in dependencies()}
    assert not names & {"scipy", "scikit-learn", "matplotlib", "mcp", "openpyxl", "mkdocs"}


def test_an_environment_is_weighed_without_its_installer(tmp_path, monkeypatch):
    folder = tmp_path / "lib/python3.11/site-packages"
    for name, size in (("pip/a.py", 5 * 2**20), ("ragraphs/b.py", 2 * 2**20)):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(bytes(size))
    listed = '[{"name": "pip"}, {"name": "ragraphs"}]'
    monkeypatch.setattr("lab.release.wheel.run", lambda *_: listed)
    assert weigh(tmp_path) == (2, 1)


def test_the_version_stands_in_one_place():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    files = [file for file in ROOT.glob("*.py") if version in file.read_text(encoding="utf-8")]
    assert files == []


def test_the_version_has_a_date_in_the_changelog():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(project['version'])} — \d{{4}}-\d\d-\d\d$", changelog, re.M)
