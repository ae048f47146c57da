"""Builds the package as it would be released, installs it afresh, weighs and tries it.

    python -m lab.release.wheel [--python PYTHON]

Needs the package index, so it is no test. Ends with exit code 1 where anything is missing or the
installation is too heavy.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_MEGABYTES = 735
MOST_PACKAGES = 130
NOT_RELEASED = (".ci/", ".github/", ".gitignore", ".dockerignore")
NOT_INSTALLED = ("docs/", "examples/", "lab/", "tests/")
_BROUGHT_BY_VENV = {"pip", "setuptools"}
_TRIED = """
import importlib.resources, json, ragraphs
for name in ragraphs.__all__:
    getattr(ragraphs, name)
json.loads((importlib.resources.files("ragraphs") / "langgraph.json").read_text())
"""


def main() -> None:
    """Prints what was found, a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="Python to install for.")
    python = parser.parse_args().python
    with tempfile.TemporaryDirectory(prefix="ragraphs-wheel-") as name:
        folder = Path(name)
        built = build(folder / "dist")
        problems = [f"The source distribution lacks {file}." for file in missing_files(*built)]
        problems += [f"The wheel holds {file}." for file in stray_files(folder / "dist")]
        environment = install(python, folder / "environment", folder / "dist")
        megabytes, packages = weigh(environment)
        print(f"{megabytes} MB in {packages} packages")
        if megabytes > MOST_MEGABYTES or packages > MOST_PACKAGES:
            problems.append(f"At most {MOST_MEGABYTES} MB in {MOST_PACKAGES} packages are allowed.")
        try_out(environment, folder)
    print("\n".join(problems) or "The wheel installs and works.")
    sys.exit(bool(problems))


def build(folder: Path) -> tuple[set[str], set[str]]:
    """The files of the repository to release, and the files of the source distribution.

    Builds from a copy of the last commit, the wheel out of the source distribution, into
    ``folder``.
    """
    copy = folder.parent / "repository"
    run("git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(copy))
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(copy))
    listed = run("git", "-C", str(copy), "-c", "core.quotepath=off", "ls-files", "-z").split("\0")
    wanted = {file for file in listed if file and not file.startswith(NOT_RELEASED)}
    [archive] = folder.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        held = {name.partition("/")[2] for name in opened.getnames()}
    return wanted, held


def missing_files(wanted: set[str], held: set[str]) -> list[str]:
    """The ``wanted`` files that are not ``held``, in order."""
    return sorted(wanted - held)


def stray_files(dist: Path) -> list[str]:
    """The files of the one wheel in ``dist`` that belong to the repository alone, in order."""
    [wheel] = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        held = opened.namelist()
    return sorted(file for file in held if file.removeprefix("ragraphs/").startswith(NOT_INSTALLED))


def install(python: str, environment: Path, dist: Path) -> Path:
    """The folder ``environment``, into which the one wheel in ``dist`` was installed."""
    [wheel] = dist.glob("*.whl")
    run(python, "-m", "venv", str(environment))
    run(str(environment / "bin" / "pip"), "install", "--quiet", str(wheel))
    return environment


def weigh(environment: Path) -> tuple[int, int]:
    """Megabytes and number of the installed packages, without the packages that venv brings."""
    listed = json.loads(run(str(environment / "bin" / "pip"), "list", "--format=json"))
    names = {package["name"] for package in listed} - _BROUGHT_BY_VENV
    [folder] = (environment / "lib").glob("python*/site-packages")
    counted = [
        file
        for file in folder.rglob("*")
        if file.is_file() and file.relative_to(folder).parts[0] not in _BROUGHT_BY_VENV
    ]
    return round(sum(file.stat().st_size for file in counted) / 2**20), len(names)


def try_out(environment: Path, folder: Path) -> None:
    """Uses the installed package as a newcomer does. Raises CalledProcessError."""
    ragraphs, python = str(environment / "bin" / "ragraphs"), str(environment / "bin" / "python")
    print(run(ragraphs, "--version", cwd=folder).strip())
    run(python, "-c", _TRIED, cwd=folder)
    run(ragraphs, "demo", cwd=folder)
    run(ragraphs, "new", "project", cwd=folder)
    run(python, "-c", "import agent; print(agent.graph)", cwd=folder / "project")


def run(*command: str, cwd: Path | None = None) -> str:
    """The output of ``command``. Raises CalledProcessError."""
    done = subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


if __name__ == "__main__":
    main()
