"""Installing the package afresh, and typing commands there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from filelock import FileLock

# Read once: the other tests know no certificates, and no package comes without.
CERTIFICATES = {name: text for name, text in os.environ.items() if name.startswith("SSL_CERT_")}
REQUIRED = os.environ.get("RAGRAPHS_TEST_INSTALL") == "required"


def inherited() -> dict[str, str]:
    """The environment of whoever runs the tests, without the variables of these programs."""
    ours = ("PYTEST_", "RAGRAPHS_", "OPENAI_", "VIRTUAL_ENV", "MAKE", "SSL_CERT_")
    others = {name: text for name, text in os.environ.items() if not name.startswith(ours)}
    return {**others, **CERTIFICATES}


def typed(folder: Path, command: str, first: str = "", ends: int = 0, **environment: str) -> str:
    """Output and errors of the shell ``command`` in ``folder``, with no environment but ``first``.

    It must end with the exit code ``ends``.
    """
    path = [
        one
        for one in os.environ["PATH"].split(os.pathsep)
        if not (Path(one).parent / "pyvenv.cfg").exists()
    ]
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**inherited(), "PATH": os.pathsep.join(filter(None, [first, *path])), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    shown = done.stdout + done.stderr
    assert done.returncode == ends, f"{command}\n{shown[-6000:]}"
    return shown


def pythons() -> dict[str, str]:
    """The Pythons of this machine on which the package runs, by their versions."""
    found = {}
    for version in ("3.11", "3.12", "3.13"):
        managed = (Path.home() / ".pyenv/versions").glob(f"{version}.*/bin/python")
        for python in filter(None, [which(f"python{version}"), *map(str, managed)]):
            if not subprocess.run([python, "-m", "venv", "-h"], capture_output=True).returncode:
                found[version] = python
    return found


def need(command: list[str], folder: Path) -> None:
    """Runs a command that fetches packages; where there are none to be had, the test is skipped."""
    done = subprocess.run(command, cwd=folder, env=inherited(), capture_output=True, text=True)
    if done.returncode and not REQUIRED:
        pytest.skip("There are no packages to be had.")
    assert not done.returncode, done.stderr


def uv(folder: Path) -> str:
    """The program uv, which is installed into ``folder`` once where the machine has none."""
    if found := which("uv"):
        return found
    program = folder / "uv/bin/uv"
    with FileLock(folder / "uv.lock"):
        if not program.exists():
            add = [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder / "uv")]
            need([*add, "uv"], folder)
    return str(program)
