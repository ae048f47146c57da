"""SIGTERM and Ctrl-C end `ragraphs serve` in time, whatever it does."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import httpx
import pytest
from page_server import events_in
from ragraphs import IndexContext, index_graph
from scripted_model import DOCUMENTS, MODEL, QUESTION
from server_process import free_port
from stub_openai import KEY, OpenAIStub, serving_openai
from tool_server import serve_process

pytestmark = pytest.mark.slow

LONGEST = 10.0
LOOP = "while True: pass"
IN_C = "import re; re.match('(a+)+$', 'a' * 60 + 'b')"  # which lets no other thread run
TWO = "--workers", "2"
HANGING = """
import pathlib, sys, threading, time

def hang():
    while not pathlib.Path("go").exists():
        time.sleep(0.05)
    exec({code!r})

alone = "serve" in sys.argv and "--workers" not in sys.argv
if alone or "--multiprocessing-fork" in sys.argv:
    threading.Thread(target=hang).start()
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    context = IndexContext(index=str(tmp_path / "notes"), embeddings="lexical")
    index_graph.invoke({"documents": DOCUMENTS}, context=context)
    return tmp_path


@pytest.fixture
def model() -> Iterator[OpenAIStub]:
    """A model that never replies."""
    over = Event()
    with serving_openai() as stub:
        stub.answer = lambda body: over.wait()
        yield stub
        over.set()


def ended(process: subprocess.Popen[bytes], number: int) -> float:
    """The seconds until ``process`` has ended after the signal ``number``."""
    began = time.monotonic()
    process.send_signal(number)
    process.wait(LONGEST + 20)
    return time.monotonic() - began


@contextmanager
def hanging(root: Path, code: str, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server of which a thread does nothing else than ``code`` for ever."""
    (root / "sitecustomize.py").write_text(HANGING.format(code=code))
    path = {"PYTHONPATH": f"{root}:{os.environ.get('PYTHONPATH', '')}"}
    with serve_process(root, str(free_port()), "--index", "notes", *options, **path) as process:
        (root / "go").touch()
        time.sleep(1)
        yield process


@pytest.mark.parametrize(
    ("code", "options"),
    [
        pytest.param(LOOP, (), id="loop-one process"),
        pytest.param(IN_C, TWO, id="C-two"),
        pytest.param(LOOP, TWO, id="loop-two", marks=pytest.mark.thorough),
        pytest.param(IN_C, (), id="C-one process", marks=pytest.mark.thorough),
    ],
)
def test_a_thread_that_never_ends_does_not_keep_the_server(root, code, options):
    with hanging(root, code, *options) as process:
        assert ended(process, signal.SIGTERM) < LONGEST
    assert not left_behind(root)


@pytest.mark.thorough
def test_processes_that_are_busy_for_some_seconds_are_not_killed(root):
    busy = "import ctypes; ctypes.PyDLL(None).usleep(6_500_000)"  # which lets no other thread run
    with hanging(root, busy, "--workers", "2") as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        before = children.read_text()
        time.sleep(7)  # uvicorn by itself would wait for five seconds
        assert len(before.split()) >= 2 and children.read_text() == before


def left_behind(root: Path) -> list[str]:
    """The command lines of the processes that work in ``root`` and do not end by themselves."""
    latest = time.monotonic() + 5
    while (found := children_of(root)) and time.monotonic() < latest:
        time.sleep(0.1)
    return found


def children_of(root: Path) -> list[str]:
    """The command lines of processes that still work in ``root``."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(place / "cwd") == str(root):
                found.append((place / "cmdline").read_text())
        except OSError:  # ended, or another's
            continue
    return found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_answers_that_are_under_way_do_not_keep_the_server(root, model, number):
    environment = {
        "OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": KEY, "RAGRAPHS_MODEL": MODEL
    }  # fmt: skip
    port = str(free_port())
    body = {"question": QUESTION, "method": "basic"}
    with (
        serve_process(root, port, "--index", "notes", **environment) as process,
        httpx.stream("POST", f"http://127.0.0.1:{port}/page/ask", json=body, timeout=60) as answer,
    ):
        next(events_in(answer.iter_lines()))
        assert ended(process, number) < LONGEST


def test_an_idle_server_ends_at_once_and_leaves_no_process(root):
    with serve_process(root, str(free_port()), "--index", "notes") as process:
        assert ended(process, signal.SIGTERM) < 4
    assert not left_behind(root)
