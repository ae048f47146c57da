"""Fixtures for all tests: a bare environment, and servers for what lies across the network."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import hypothesis
import pytest
from command_line import Run, runner
from ragraphs.cli.entry import COLLECTING
from ragraphs.context import QuestionContext
from ragraphs.index.language_model import open_language_model
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.models.protocol import LanguageModel
from ragraphs.offline.model import OfflineLanguageModel
from ragraphs.settings import settings
from ragraphs.stores.replies import ReplyStore
from ragraphs.stores.schema import open_database
from shared_stores import SharedStores, serving_stores
from snapshots import Snapshots
from stub_openai import OpenAIStub, serving_openai
from stub_tavily import KEY as TAVILY_KEY
from stub_tavily import TavilyStub, serving_tavily
from tiny_cross_encoder import write_cross_encoder

# No test asserts a time: machines differ.
hypothesis.settings.register_profile("fast", deadline=None, max_examples=15)
hypothesis.settings.register_profile("whole", deadline=None, max_examples=100)
hypothesis.settings.register_profile("trust", deadline=None, max_examples=2000)

MEMORY = Path("/dev/shm")
ENOUGH = 2 * 1024**3  # bytes of memory for the folders of all tests
LONGEST = [
    "index/cluster/test_ray.py",
    "docs/test_installed.py",
    "test_shared_kills.py",
    "docs/test_first_commands.py",
    "graphs/test_trust.py",
    "page/test_documents.py",
    "page/test_methods.py",
    "test_server.py",
    "page/test_evaluations.py",
    "page/test_exploring.py",
    "page/test_export.py",
    "test_server_router.py",
    "page/test_accessible.py",
    "page/test_large_map.py",
]
_PREFIXES = ("RAGRAPHS_", "OPENAI_", "TAVILY_", "LANGSMITH_", "LANGCHAIN_", "HF_")


OpenModel = Callable[..., Awaitable[LanguageModel]]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the choice of stores on which tests make their indexes."""
    parser.addoption(
        "--stores",
        choices=["folder", "shared"],
        default="folder",
        help="Where tests make indexes: in folders, or in a PostgreSQL database, which is started "
        "for them.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tries all examples where all tests run, once; has folders in memory if it is there.

    Garbage is looked for as seldom as by the command line.
    """
    gc.set_threshold(*COLLECTING)
    is_fast = config.getoption("markexpr") == "not slow" or config.getoption("stores") == "shared"
    chosen = config.getoption("--hypothesis-profile") or ("fast" if is_fast else "whole")
    hypothesis.settings.load_profile(chosen)
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_collection_finish() -> None:
    """Has no later collection of garbage go through all that the imports have made."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests with a PostgreSQL server are slow; on shared stores, no folder's files are tested.

    The files that take minutes come first, so that no worker is alone with one at the end.
    """
    names = {item.path: item.path.relative_to(config.rootpath / "tests") for item in items}
    longest = {Path(name): place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: longest.get(names[item.path], len(LONGEST)))
    for item in items:
        if item.get_closest_marker("thorough") or "postgres" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    if config.getoption("--stores") == "shared":
        for item in items:
            if mark := item.get_closest_marker("in_folder"):
                item.add_marker(pytest.mark.skip(reason=f"in a folder only: {mark.args[0]}"))


@pytest.fixture(scope="session")
def shared_stores(request: pytest.FixtureRequest) -> Iterator[SharedStores | None]:
    """The stores of all tests with ``--stores shared``, else none."""
    if request.config.getoption("--stores") == "folder":
        yield None
        return
    with serving_stores() as stores:
        yield stores


@pytest.fixture(scope="session", autouse=True)
def no_authorities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No certificates: no test asks a host of the network, and to read them takes clients long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SSL_CERT_FILE", raising=False)
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("certificates")))
        yield


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all processes of this run of the tests."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def work_folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all working folders: to number them, pytest would list all that there are."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture(autouse=True)
def isolated(
    work_folders: Path,
    tmp_path_factory: pytest.TempPathFactory,
    shared_stores: SharedStores | None,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """An empty working folder, and nothing of the person's own settings, keys and proxies."""
    monkeypatch.chdir(mkdtemp(dir=work_folders))
    before = set(os.environ)
    for name in list(os.environ):
        if name.startswith(_PREFIXES) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    if shared_stores is not None:
        shared_stores.name_in(monkeypatch, tmp_path_factory.mktemp("cache"))
    settings.cache_clear()
    yield
    for name in set(os.environ) - before:  # which the command line sets for its own process
        if name.startswith("RAGRAPHS_"):
            del os.environ[name]
    if shared_stores is not None:
        shared_stores.empty()
    settings.cache_clear()


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> Snapshots:
    """The indexes that the tests of a module begin with."""
    return Snapshots(tmp_path_factory.mktemp("snapshots"))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in this process, in the working folder of the test."""
    return runner(monkeypatch, capsys)


@pytest.fixture
def openai(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIStub]:
    """An OpenAI-compatible server, which the environment names."""
    with serving_openai() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.base_url)
        settings.cache_clear()
        yield stub


@pytest.fixture
def tavily(monkeypatch: pytest.MonkeyPatch) -> Iterator[TavilyStub]:
    """A Tavily-compatible server, which the environment names with a key."""
    with serving_tavily() as stub:
        monkeypatch.setenv("TAVILY_API_KEY", TAVILY_KEY)
        monkeypatch.setenv("RAGRAPHS_TAVILY_BASE_URL", stub.url)
        settings.cache_clear()
        yield stub


@pytest.fixture
def replies(tmp_path: Path) -> Iterator[ReplyStore]:
    """A reply table in a database of its own."""
    engine = open_database(tmp_path / "index", create=True)
    yield ReplyStore(engine)
    engine.dispose()


@pytest.fixture
def open_model(openai: Any, replies: ReplyStore) -> OpenModel:
    """Opens ``openai:stub`` by the product's own way, with settings of a context."""

    async def open_it(**chosen: Any) -> LanguageModel:
        context = QuestionContext(**{"model": "openai:stub", "max_retries": 0, **chosen})
        return await open_language_model(
            context, settings(), replies, lambda: OfflineLanguageModel(LexicalEmbedder())
        )

    return open_it


@pytest.fixture
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Writes a tiny cross-encoder that knows the words of texts, and gives its name."""

    def make(texts: Iterable[str], per_word: float = 1.0) -> str:
        return write_cross_encoder(tmp_path_factory.mktemp("cross-encoder"), texts, per_word)

    return make
