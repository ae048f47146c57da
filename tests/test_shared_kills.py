"""Shared stores lose nothing by ``kill -9``: of a run, of PostgreSQL or of Chroma, at any moment.

PostgreSQL has the vectors too, but where Chroma is killed.

While a run writes to them, servers of ours answer.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from chroma_server import ChromaServer, serving_chroma
from postgres_server import PostgresServer, serving_postgres
from ragraphs.index.location import Location
from ragraphs.index.opening import open_index
from ragraphs.settings import settings
from ragraphs.views.status import export_lines
from shared_stores import SharedStores
from stub_openai import KEY, OpenAIStub, serving_openai
from tool_server import serving_questions

from lab.benchmarks.stub_replies import stub_reply

pytestmark = pytest.mark.slow

CONCURRENCY = 4
DOCUMENTS = 24
LAYERS = "hops,entities,communities"
NAMES = "Ann Bell,Bob Carr,Cid Dorn,Dee Elm,Eve Fox,Gus Hill,Ivy Jones,Kim Lee,Max Noor".split(",")
PLACES = "Rome,Paris,London,Leeds,Turin,Oslo,Vienna,Ghent".split(",")
PAUSE = 0.3  # seconds between questions of all clients: else these take the processor
CLIENTS = 20
NEW = "Zora Quill built the Larch Lighthouse in 1877."


@dataclass
class Site:
    """Servers, a model that notes the requests it answered, and a folder of documents.

    ``stores`` are those in use; ``export`` and ``seconds`` are of a run that nobody disturbed.
    """

    home: Path
    postgres: PostgresServer
    chroma: ChromaServer
    model: OpenAIStub
    stores: SharedStores
    answered: list[str] = field(default_factory=list)
    export: list[str] = field(default_factory=list)
    seconds: float = 0

    @property
    def environment(self) -> dict[str, str]:
        chroma = self.stores.chroma
        return ({} if chroma is None else {"RAGRAPHS_CHROMA_URL": chroma}) | {
            "RAGRAPHS_DATABASE": self.postgres.url,
            "RAGRAPHS_CACHE": str(self.home / "cache"),
            "OPENAI_BASE_URL": self.model.base_url,
            "OPENAI_API_KEY": KEY,
        }

    def start(self, index: str, source: str = "docs", model: str = "openai:stub") -> Run:
        """A run of all layers in another process."""
        command = [str(Path(sys.executable).with_name("ragraphs")), "index", source]
        command += ["--index", index, "--model", model, "--layers", LAYERS, "--json"]
        command += ["--embeddings", "lexical", "--concurrency", str(CONCURRENCY)]
        self.answered.clear()
        return subprocess.Popen(
            command,
            cwd=self.home,
            env=os.environ | self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def begin(self, index: str) -> Run:
        """A run that has begun to write."""
        run = self.start(index)
        while not Location(index, in_database=True).holds_index(settings()):
            assert run.poll() is None, run.communicate()
            time.sleep(0.01)
        return run

    def complete(self, index: str) -> list[str]:
        """The export of the index after one more run, which must come to its end."""
        ended(self.start(index), allowed={0})
        return list(export_lines(open_index(index)))


Run = subprocess.Popen[str]


def ended(run: Run, allowed: set[int]) -> str:
    """The sentence with which the run ended; none where it ended well."""
    _, said = run.communicate(timeout=180)
    assert run.returncode in allowed, said
    assert "Traceback" not in said, said
    assert run.returncode == 0 or said.startswith("ragraphs: "), said
    return said if run.returncode else ""


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home = tmp_path_factory.mktemp("site")
    write_documents(home / "docs")
    with (
        serving_postgres(durable=True) as postgres,
        serving_chroma(tmp_path_factory.mktemp("chroma")) as chroma,
        serving_openai() as model,
    ):
        site = Site(home, postgres, chroma, model, SharedStores(postgres.url))

        def answer(body: Any) -> Any:
            time.sleep(0.1)
            site.answered.append(json.dumps(body["messages"]))
            kind = body["response_format"]["json_schema"]["name"]
            return stub_reply(kind, body["messages"][1]["content"])

        model.answer = answer
        yield site


@pytest.fixture
def site(
    servers: Site, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Site]:
    """The servers, which the settings of this process name too; indexes are deleted at the end."""
    victim = getattr(request.node, "callspec", None) and request.node.callspec.params.get("victim")
    chroma = servers.chroma.url if victim == "chroma" else None
    servers.stores = stores = SharedStores(servers.postgres.url, chroma)
    stores.name_in(monkeypatch, servers.home / "cache")
    if not servers.export:
        run, began = servers.begin("undisturbed"), time.monotonic()
        ended(run, allowed={0})
        servers.seconds = time.monotonic() - began
        servers.export = list(export_lines(open_index("undisturbed")))
        assert servers.answered
    yield servers
    stores.empty()


def write_documents(folder: Path) -> None:
    """Documents of invented facts."""
    folder.mkdir()
    for n in range(DOCUMENTS):
        chance = random.Random(n)
        facts = []
        for _ in range(6):
            one, other = chance.sample(NAMES, 2)
            year = chance.randint(1810, 1899)
            facts.append(f"{one} met {other} in {chance.choice(PLACES)} in {year}.")
        (folder / f"{n}.txt").write_text(" ".join(facts))


def tenths(usual: int) -> Any:
    """Marks a test that is done at each tenth of a run; all but one are thorough."""
    moments = [
        pytest.param(tenth, marks=() if tenth == usual else pytest.mark.thorough)
        for tenth in range(10)
    ]
    return pytest.mark.parametrize("moment", moments)


def wait(site: Site, moment: int, victim: str) -> None:
    """Waits for a moment of the run, the same one in each test of that name."""
    time.sleep(random.Random(f"{victim} {moment}").random() * site.seconds)


@tenths(usual=7)
def test_a_run_that_is_killed_is_completed_by_the_next_and_pays_nothing_twice(moment, site):
    run = site.begin("notes")
    wait(site, moment, "run")
    run.kill()
    run.communicate()
    before = Counter(site.answered)
    assert site.complete("notes") == site.export
    twice = (before & Counter(site.answered)).total()
    print(f"FIGURES run {moment}: {before.total()} answered, {twice} twice")
    # Requests on their way, and replies that wait for the transaction before theirs.
    assert twice <= 2 * CONCURRENCY and max(before.values(), default=0) <= 1


@tenths(usual=3)
@pytest.mark.parametrize("victim", ["postgres", "chroma"])
def test_a_server_that_is_killed_and_started_again_loses_nothing(victim, moment, site):
    server = getattr(site, victim)
    run = site.begin("notes")
    wait(site, moment, victim)
    server.kill()
    server.start()
    said = ended(run, allowed={0, 1})
    before = Counter(site.answered)
    assert site.complete("notes") == site.export
    twice = (before & Counter(site.answered)).total()
    print(f"FIGURES {victim} {moment}: {before.total()} answered, {twice} twice; {said}")
    assert twice <= 2 * CONCURRENCY and max(before.values(), default=0) <= 1


def test_two_servers_answer_while_a_run_writes_and_know_the_new_document_after_it(site):
    more = site.home / "more"
    more.mkdir()
    (more / "new.txt").write_text(NEW)
    for file in (site.home / "docs").iterdir():
        (more / file.name).write_text(file.read_text().replace(" met ", " wrote to "))
    ended(site.start("notes", model="offline"), allowed={0})
    folders = [site.home / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    environment = site.environment | {"RAGRAPHS_MODEL": "offline", "RAGRAPHS_QUESTIONS": "100"}
    with (
        serving_questions(folders[0], "--index", "notes", **environment) as one,
        serving_questions(folders[1], "--index", "notes", **environment) as two,
        ThreadPoolExecutor(CLIENTS) as clients,
    ):
        run = site.start("notes", source="more", model="offline")
        answered = 0
        while run.poll() is None or not answered:
            asked = [ask([one, two][n % 2], NAMES[n % len(NAMES)], clients) for n in range(CLIENTS)]
            for reply in asked:
                assert reply.result().status_code == 200, reply.result().text
                assert reply.result().json()["evidence"]
            answered += len(asked)
            time.sleep(PAUSE)
        ended(run, allowed={0})
        print(f"FIGURES servers: {answered} questions")
        for url in (one, two):
            found = ask(url, "the Larch Lighthouse", clients).result().json()["evidence"]
            assert NEW in [passage["text"] for passage in found]


def ask(url: str, thing: str, clients: ThreadPoolExecutor) -> Any:
    given = {"question": f"Who met or built {thing}?", "method": "basic"}
    return clients.submit(httpx.post, f"{url}/ask", json=given, timeout=120)
