"""The package alone, installed as it declares: with the lowest and with the newest versions."""

from __future__ import annotations

import re
import shlex
import shutil
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory

import pytest
from doc_pages import QUICKSTARTS, READMES, ROOT, blocks_of
from installing import inherited, need, pythons, typed, uv
from readme_folder import reply
from stub_openai import OpenAIStub

pytestmark = pytest.mark.slow
_LOCAL = "http://127.0.0.1:11434/v1"  # of the model server that a reader has
_OTHERS = re.compile(r"^(?:make|pip|ollama|export OPENAI_)\b.*$", re.MULTILINE)
_ADDRESS = re.compile(r"http://\S+?/(?=;)")
Install = Callable[[str, str, str], Path]
PAGES = [  # tests/test_readme.py shows that both languages tell to run the same
    pytest.param(page, marks=() if english else pytest.mark.thorough)
    for pair in (READMES, QUICKSTARTS)
    for page, english in zip(pair, (True, False), strict=True)
]


@pytest.fixture(scope="module")
def install(shared_folder: Path) -> Iterator[Install]:
    """Installs the wheel for a Python, with a way to choose versions and extras; its programs.

    Extras go into the environment that has none, if there is one.
    """
    with TemporaryDirectory() as above:
        folder = Path(above)
        program = uv(shared_folder)
        left = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__")
        source = shutil.copytree(ROOT, folder / "source", ignore=left)
        need([program, "build", "-q", "--wheel", "-o", str(folder / "dist"), str(source)], folder)
        (wheel,) = (folder / "dist").glob("*.whl")
        without_extras: dict[tuple[str, str], Path] = {}

        def installed(version: str, resolution: str, extras: str) -> Path:
            environment = without_extras.pop((version, resolution), None)
            if environment is None:
                environment = folder / f"{version}-{resolution}-{extras}"
                new = [program, "venv", "-q", "--python", pythons()[version], str(environment)]
                need(new, folder)
            if not extras:
                without_extras[version, resolution] = environment
            python = str(environment / "bin/python")
            add = [program, "pip", "install", "-q", "--python", python]
            named = [word for extra in extras.split() for word in ("--extra", extra)]
            declared = ["-r", str(ROOT / "pyproject.toml"), *named, "--resolution", resolution]
            need([*add, *declared], folder)
            need([*add, "--no-deps", str(wheel)], folder)
            return environment / "bin"

        yield installed


@pytest.fixture(scope="module")
def alone(install: Install) -> str:
    """The programs of an environment that has the package, and no extra yet."""
    return str(install(max(pythons()), "highest", ""))


@pytest.mark.parametrize("page", PAGES)
def test_a_first_page_is_executed_literally_in_an_empty_folder(
    alone: str, tmp_path: Path, openai: OpenAIStub, page: str
) -> None:
    openai.answer = reply
    script = ["set -e"]
    for block in blocks_of(page):
        run = f"python -c {shlex.quote(block.text)}"
        script.append(run if block.language == "python" else _OTHERS.sub("", block.text))
    keys = {"OPENAI_BASE_URL": openai.base_url, "OPENAI_API_KEY": "sk-none"}
    typing = "\n".join(script).replace(_LOCAL, openai.base_url)
    shown = typed(tmp_path, typing, alone, **keys)
    told = [line for line in shown.splitlines() if not line.startswith("layers ")]  # of status
    assert "Traceback" not in shown and "layer" not in "\n".join(told).lower()
    assert openai.chats


@pytest.mark.parametrize(
    ("version", "resolution"),
    [
        ("3.11", "lowest-direct"),
        ("3.13", "highest"),
        pytest.param("3.11", "highest", marks=pytest.mark.thorough),
        pytest.param("3.13", "lowest-direct", marks=pytest.mark.thorough),
    ],
)
def test_the_declared_versions_run_a_demo_an_error_a_page_and_a_server(
    install: Install, tmp_path: Path, version: str, resolution: str
) -> None:
    if version not in pythons():
        pytest.skip(f"There is no Python {version}.")
    programs = str(install(version, resolution, "serve"))
    shown = typed(tmp_path, "ragraphs demo", programs)
    assert "John Fowler and Benjamin Baker" in shown and "No passage speaks of" in shown
    assert "Traceback" not in shown and "Warning" not in shown
    wrong = typed(tmp_path, "ragraphs ask Who? --index nothing", programs, 1)
    assert wrong.startswith("ragraphs: There is no index") and len(wrong.splitlines()) == 1
    assert "--timeout" in typed(tmp_path, "ragraphs ask --help-all", programs)
    page = typed(tmp_path, "cd bridges && ragraphs export --format html", programs)
    assert "</html>" in page and len(page) > 100_000
    told = served(programs, tmp_path / "bridges")
    assert "<html" in told["/"] and "passages" in told["/page/state"]


def served(programs: str, folder: Path) -> dict[str, str]:
    """Pages that `ragraphs serve` answers with, by their paths."""
    environment = {**inherited(), "PATH": programs}
    command = ["ragraphs", "serve", "--port", "8571"]
    with Popen(
        [f"{programs}/{command[0]}", *command[1:]],
        cwd=folder,
        env=environment,
        stdout=PIPE,
        stderr=PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            (address,) = _ADDRESS.findall(server.stdout.readline())
            return {path: fetched(address.rstrip("/") + path) for path in ("/", "/page/state")}
        finally:
            server.terminate()


def fetched(address: str) -> str:
    """The body at an address, as soon as it answers."""
    latest = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(address, timeout=30) as response:
                return str(response.read().decode())
        except OSError:
            assert time.monotonic() < latest, address
            time.sleep(0.2)
