"""`ragraphs doctor` names exactly the packages of an extra that are not installed."""

from __future__ import annotations

import shutil
import sys
from importlib.metadata import MetadataPathFinder, distribution, distributions, metadata
from pathlib import Path

import pytest
from ragraphs.views.doctor import _EXTRAS, _extra

# The packages that each extra needs beside ragraphs itself.
PACKAGES = {
    "formats": ["openpyxl", "python-pptx"],
    "serve": ["mcp", "python-multipart", "starlette", "uvicorn"],
    "otel": ["opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http"],
    "watch": ["watchfiles"],
    "postgres": ["psycopg", "psycopg-binary"],
    "ray": ["ray"],
    "evaluate": ["matplotlib", "scikit-learn", "scipy"],
    "community": ["langchain-community"],
}
FOR_DEVELOPERS = {"dev", "docs"}


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A folder with the metadata of all that is installed here, the only one that is looked at."""
    for one in distributions():
        if told := one.read_text("METADATA"):  # an install from a clone leaves others in it
            target = tmp_path / Path(str(one._path)).name  # type: ignore[attr-defined]
            target.mkdir(exist_ok=True)
            (target / "METADATA").write_text(told)
    for name in PACKAGES["community"]:
        install(tmp_path, name, "9.9")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path


def install(folder: Path, name: str, version: str) -> None:
    target = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    target.mkdir(exist_ok=True)
    (target / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    MetadataPathFinder().invalidate_caches()  # which tell changes by the time of the folder alone


def remove(folder: Path, name: str) -> None:
    shutil.rmtree(folder / Path(str(distribution(name)._path)).name)  # type: ignore[attr-defined]
    MetadataPathFinder().invalidate_caches()


def test_every_extra_for_users_is_looked_at():
    declared = set(metadata("ragraphs").get_all("Provides-Extra") or ())
    assert set(_EXTRAS) == set(PACKAGES) == declared - FOR_DEVELOPERS


@pytest.mark.parametrize("extra", PACKAGES)
def test_an_extra_whose_packages_are_all_there_is_installed(packages, extra):
    assert (_extra(extra)["state"], _extra(extra)["mend"]) == ("ok", "")


@pytest.mark.parametrize(
    ("extra", "package"), [(extra, one) for extra, all in PACKAGES.items() for one in all]
)
def test_each_package_that_is_missing_is_named_and_no_other(packages, extra, package):
    remove(packages, package)
    found = _extra(extra)
    assert found["state"] == "note" and found["mend"] == f"pip install 'ragraphs[{extra}]'"
    assert found["says"] == f"not installed: {package}, for {_EXTRAS[extra]}"


def test_a_package_that_is_too_old_counts_as_missing(packages):
    remove(packages, "psycopg")
    install(packages, "psycopg", "3.1")
    assert _extra("postgres")["says"].startswith("not installed: psycopg, for ")
