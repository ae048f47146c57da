"""Indexing on a real cluster of Ray on this machine, with a real Chroma server."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import pytest
from chroma_server import serving_chroma
from command_line import Run
from langchain_core.language_models import FakeListChatModel
from postgres_server import serving_postgres
from ragraphs import build
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph
from ragraphs.index.opening import open_index
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError
from ragraphs.views.status import export_lines
from server_process import free_port
from shared_stores import SharedStores

from lab.benchmarks.stub_replies import stub_reply
from lab.benchmarks.synthetic import made_up

pytestmark = pytest.mark.slow
LAYERS = ["sentences", "hops", "entities", "communities"]
SECONDS = 300  # for what takes a few on a machine without other work


class Gate:
    """Replies of a scripted model; after ``most`` of them, requests wait until it is opened."""

    def __init__(self, most: int | None = None) -> None:
        self.finished: Counter[str] = Counter()
        self.waiting: Counter[str] = Counter()
        self._left = most
        self._lock = threading.Lock()
        self._open = threading.Event()

    def answer(self, body: Any) -> Any:
        prompt = str(body["messages"])
        with self._lock:
            waits = self._left == 0 and not self._open.is_set()
            self._left = None if self._left is None else max(0, self._left - 1)
            (self.waiting if waits else self.finished)[prompt] += 1
        if waits:
            self._open.wait(SECONDS)
        return stub_reply(
            body["response_format"]["json_schema"]["name"], body["messages"][-1]["content"]
        )

    def until_closed(self, docs: Path) -> None:
        """Waits until a request is held, and the replies before it are stored."""
        until(lambda: bool(self.waiting))
        replies = open_index(str(docs.parent / "shared")).replies
        until(lambda: replies.count() == self.finished.total())

    def open(self) -> None:
        self._open.set()


def until(so: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not so():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture(scope="module")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_chroma(tmp_path_factory.mktemp("chroma")) as server:
        yield server.url


@pytest.fixture(scope="module")
def two_workers() -> Iterator[None]:
    """A cluster that this program has started before; runs use it and leave it alone."""
    ray = pytest.importorskip("ray")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number, document in enumerate(made_up(16)):
        (folder / f"{number}.txt").write_text(document["text"])
    return folder


@pytest.fixture(autouse=True)
def stores(
    request: pytest.FixtureRequest,
    shared_stores: SharedStores | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A Chroma server, where the tests have none already."""
    if shared_stores is None:
        monkeypatch.setenv("RAGRAPHS_CHROMA_URL", request.getfixturevalue("chroma"))
        settings.cache_clear()


@pytest.fixture
def on_ray(two_workers: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def begin() -> None:
        monkeypatch.setenv("RAGRAPHS_CLUSTER", "ray")
        settings.cache_clear()

    return begin


def indexed(docs: Path, name: str, model: str, **chosen: Any) -> tuple[list[str], Any]:
    """The export of an index of ``docs``, and the output of the run."""
    context = IndexContext(
        index=str(docs.parent / name), embeddings="lexical", model=model, layers=LAYERS, **chosen
    )
    result = graph.invoke({"sources": [str(docs)]}, context=context)
    return list(export_lines(open_index(context.index))), result


def test_an_index_without_a_model_is_the_same_on_ray(docs, on_ray):
    alone, usual = indexed(docs, "alone", "offline")
    on_ray()
    shared, result = indexed(docs, "shared", "offline")
    assert shared == alone
    assert result["added"] == 16
    assert result["usage"] == usual["usage"]
    _, again = indexed(docs, "shared", "offline")
    assert (again["added"], again["unchanged"]) == (0, 16)


def test_an_index_by_a_model_is_the_same_on_ray_and_its_limits_hold(docs, on_ray, openai):
    gate = Gate()
    openai.answer = gate.answer
    alone, usual = indexed(docs, "alone", "openai:stub", concurrency=3)
    asked, gate = gate.finished, Gate()
    openai.answer, openai.most_in_flight = gate.answer, 0
    on_ray()
    shared, result = indexed(docs, "shared", "openai:stub", concurrency=3)
    assert shared == alone
    assert gate.finished == asked
    assert set(asked.values()) == {1}
    assert result["usage"]["models"] == usual["usage"]["models"]
    assert openai.most_in_flight <= 3


def test_a_file_that_cannot_be_read_is_named_as_without_ray(docs, on_ray):
    (docs / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    _, usual = indexed(docs, "alone", "offline")
    on_ray()
    _, result = indexed(docs, "shared", "offline")
    assert result["failures"] == usual["failures"] != []


def test_a_worker_that_is_killed_loses_nothing(docs, on_ray, openai):
    openai.answer = Gate().answer
    alone, _ = indexed(docs, "alone", "openai:stub")
    gate = Gate(most=5)
    on_ray()
    result: list[Any] = []
    run = threading.Thread(
        target=lambda: result.append(indexed(docs, "shared", "openai:stub", concurrency=4))
    )
    openai.answer = gate.answer
    run.start()
    gate.until_closed(docs)
    workers = [one for one in psutil.Process().children(recursive=True) if is_busy(one)]
    assert workers
    workers[0].kill()
    time.sleep(1)
    waiting = gate.waiting.copy()
    gate.open()
    run.join(SECONDS)
    [(shared, _)] = result
    asked = gate.finished + gate.waiting
    assert {prompt for prompt, times in asked.items() if times > 1} <= set(waiting)
    assert shared == alone


class Started:
    """A run of the command line with a cluster of its own, whose processes carry a mark."""

    def __init__(self, docs: Path, workers: int) -> None:
        self._mark = f"RAGRAPHS_TEST_RUN={uuid.uuid4().hex}"
        name, _, value = self._mark.partition("=")
        command = [str(Path(sys.executable).with_name("ragraphs")), "index", str(docs), "--json"]
        command += ["--index", str(docs.parent / "shared"), "--embeddings", "lexical"]
        command += ["--model", "openai:stub", "--layers", ",".join(LAYERS), "--concurrency", "4"]
        command += ["--on", "ray", "--workers", str(workers)]
        self.process = subprocess.Popen(
            command,
            env={**os.environ, name: value},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def left(self) -> list[psutil.Process]:
        """The processes of the run that are there yet."""
        found: list[psutil.Process] = []
        for process in psutil.process_iter():
            try:
                environment = Path(f"/proc/{process.pid}/environ").read_bytes()
                if self._mark.encode() in environment and process.status() != "zombie":
                    found.append(process)
            except (OSError, psutil.Error):
                continue
        return found

    def listening(self) -> list[tuple[str, str, int]]:
        """The process, address and port of everything at which the run listens."""
        return [
            (process.name(), one.laddr.ip.removeprefix("::ffff:"), one.laddr.port)
            for process in self.left()
            for one in process.net_connections()
            if one.status == "LISTEN"
        ]


@pytest.mark.parametrize("workers", [2, pytest.param(4, marks=pytest.mark.thorough)])
def test_after_the_driver_is_killed_the_next_run_goes_on_and_nothing_is_left(workers, docs, openai):
    pytest.importorskip("ray")
    openai.answer = Gate().answer
    alone, _ = indexed(docs, "alone", "openai:stub")
    gate = Gate(most=6)
    openai.answer = gate.answer
    run = Started(docs, workers)
    gate.until_closed(docs)
    run.process.kill()
    run.process.communicate()
    until(lambda: not run.left())
    waiting = gate.waiting.copy()
    gate.open()
    shared, result = indexed(docs, "shared", "openai:stub")
    assert shared == alone
    assert result["unchanged"] == 16
    asked = gate.finished + gate.waiting
    assert {prompt for prompt, times in asked.items() if times > 1} <= set(waiting)


@contextmanager
def head_of_a_cluster(token: str) -> Iterator[str]:
    """The address, for Ray's client, of a cluster that somebody has started."""
    ray = str(Path(sys.executable).with_name("ray"))
    port, client = free_port(), free_port()
    command = [ray, "start", "--head", "--block", "--disable-usage-stats", "--num-cpus", "2"]
    command += ["--include-dashboard", "false", "--object-store-memory", "200000000"]
    command += ["--port", str(port), "--ray-client-server-port", str(client)]
    with TemporaryDirectory(prefix="ray") as logs:  # paths of sockets must be short
        known = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token, "RAY_TMPDIR": logs}
        # Else a client is refused after 30 seconds, which a busy machine may take.
        known["RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S"] = str(SECONDS)
        # Handlers of fork() beside gRPC's threads may end the process that a client is given.
        known["GRPC_ENABLE_FORK_SUPPORT"] = "0"
        head = subprocess.Popen(command, env={**os.environ, **known}, stdout=subprocess.DEVNULL)
        try:
            until(lambda: is_open(client))
            yield f"ray://127.0.0.1:{client}"
        finally:
            head.terminate()
            head.wait(SECONDS)


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_cluster_that_runs_is_used_by_its_address(docs, monkeypatch):
    pytest.importorskip("ray")
    token = uuid.uuid4().hex * 2
    with serving_postgres() as database, head_of_a_cluster(token) as address:
        monkeypatch.setenv("RAGRAPHS_DATABASE", database.url)
        settings.cache_clear()
        alone, _ = indexed(docs, "alone", "offline")
        command = [str(Path(sys.executable).with_name("ragraphs")), "index", str(docs)]
        command += ["--index", str(docs.parent / "shared"), "--embeddings", "lexical"]
        command += ["--model", "offline", "--layers", ",".join(LAYERS), "--on", address]
        for given in ("", token):
            known = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": given} if given else {}
            ended = subprocess.run(
                command, env={**os.environ, **known}, capture_output=True, text=True, check=False
            )
            assert ended.returncode == (0 if given else 1), ended.stderr
            assert ("see whether its address and the token are right" in ended.stderr) is not bool(
                given
            )
        assert list(export_lines(open_index(str(docs.parent / "shared")))) == alone


_STRANGER = "import ray, sys; ray.init(sys.argv[1], logging_level=50); print('connected')"


def test_the_cluster_of_a_run_is_closed_to_others_and_logs_no_key(
    docs, openai, monkeypatch, tmp_path
):
    pytest.importorskip("ray")
    key = f"sk-{uuid.uuid4().hex}"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")  # by somebody, for another cluster
    gate = Gate(most=6)
    openai.answer = gate.answer
    with TemporaryDirectory(prefix="ray") as logs:  # paths of sockets must be short
        monkeypatch.setenv("RAY_TMPDIR", logs)
        run = Started(docs, 2)
        gate.until_closed(docs)
        found = run.listening()
        assert {address for _, address, _ in found} == {"127.0.0.1"}
        [port] = [port for name, _, port in found if name == "gcs_server"]
        # Else Ray looks for it at another address of this machine, where nobody listens.
        loopback = {"PATH": os.environ["PATH"], "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
        for given in ({}, {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": 64 * "a"}):
            stranger = subprocess.run(
                [sys.executable, "-c", _STRANGER, f"127.0.0.1:{port}"],
                env={**loopback, "HOME": str(tmp_path), **given},
                capture_output=True,
                text=True,
                check=False,
            )
            assert "InvalidAuthToken" in stranger.stderr
            assert stranger.stdout == ""
        gate.open()
        run.process.communicate(timeout=SECONDS)
        assert run.process.returncode == 0
        written = [path for path in Path(logs).rglob("*") if path.is_file()]
        assert any("raylet" in path.name for path in written)
        assert [path for path in written if key.encode() in path.read_bytes()] == []


def test_ctrl_c_ends_the_run_and_its_cluster(docs, openai):
    pytest.importorskip("ray")
    gate = Gate(most=6)
    openai.answer = gate.answer
    run = Started(docs, 2)
    gate.until_closed(docs)
    run.process.send_signal(signal.SIGINT)
    time.sleep(1)
    gate.open()
    _, told = run.process.communicate(timeout=SECONDS)
    assert run.process.returncode == 130
    assert told == "ragraphs: interrupted; the same command goes on from here.\n"
    until(lambda: not run.left())


@pytest.mark.in_folder("it is about runs without servers")
def test_workers_need_stores_that_all_of_them_reach(docs, run: Run, monkeypatch):
    monkeypatch.delenv("RAGRAPHS_CHROMA_URL")
    ended = run("index", str(docs), "--on", "ray")
    assert ended.code == 1
    assert "set RAGRAPHS_DATABASE (for workers" in ended.err


@pytest.mark.in_folder("it is about runs without servers")
def test_a_cluster_elsewhere_needs_the_database_as_well(docs, run: Run):
    ended = run("index", str(docs), "--on", "ray://10.0.0.1:10001")
    assert ended.code == 1
    assert "set RAGRAPHS_DATABASE" in ended.err


def test_a_cluster_of_another_kind_is_refused(docs, run: Run):
    ended = run("index", str(docs), "--on", "dask")
    assert ended.code == 1
    assert "'dask' is not known; name ray" in ended.err


def test_without_the_package_a_sentence_says_how_to_get_it(docs, run: Run, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    ended = run("index", str(docs), "--on", "ray")
    assert ended.code == 1
    assert "pip install 'ragraphs[ray]'" in " ".join(ended.err.split())


async def test_objects_of_a_program_are_not_sent_to_a_cluster(docs, monkeypatch):
    monkeypatch.setenv("RAGRAPHS_CLUSTER", "ray")
    settings.cache_clear()
    bound = build("index", llm=FakeListChatModel(responses=["{}"]))
    with pytest.raises(RagraphsError, match="Objects of a program"):
        await bound.ainvoke({"sources": [str(docs)]})


def is_busy(process: psutil.Process) -> bool:
    return "ray::work_on" in " ".join(process.cmdline())
