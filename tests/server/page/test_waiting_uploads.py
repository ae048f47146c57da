"""Uploaded files that are not in the index yet: known, listed, and read at the next turn."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from filelock import FileLock
from page_server import Event, events_in, followed
from ragraphs import IndexContext, index_graph
from ragraphs.stores.schema import LOCK
from tool_server import serving_questions

ALLOWED = {
    "RAGRAPHS_UPLOADS": "uploads",
    "RAGRAPHS_MAX_PASSAGES": "50",
    "RAGRAPHS_INDEXES": "notes,later",
}
TAY = b"# Tay Bridge\n\nThe Tay Bridge was designed by Thomas Bouch."
FORTH = b"# Forth Bridge\n\nThe Forth Bridge was designed by John Fowler."
BROKEN = b"%PDF-1.4 nothing"


class Server:
    """A server over ``root``, whose index ``notes`` has one document, and what a client asks."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.url = ""
        self._running = ExitStack()

    def fill(self, id: str = "a") -> None:
        """Puts a document into the index."""
        context = IndexContext(index=str(self.root / "notes"), embeddings="lexical")
        index_graph.invoke({"documents": [{"id": id, "text": f"The {id}."}]}, context=context)

    def start(self) -> None:
        """Starts it, or starts it anew."""
        self._running.close()
        self.url = self._running.enter_context(
            serving_questions(self.root, "--index", "notes", **ALLOWED)
        )

    def stop(self) -> None:
        self._running.close()

    def upload(self, *files: tuple[str, bytes], index: str = "notes") -> list[str]:
        form = [("files", file) for file in files]
        url = f"{self.url}/page/upload?index={index}"
        paths: list[str] = httpx.post(url, files=form, timeout=60).json()["paths"]
        return paths

    def index(self, **wanted: Any) -> Any:
        """The last event of a run of the index."""
        name, value = followed(self.url, "/page/index", wanted)[-1]
        assert name == "done", value
        return value

    def listed(self, **params: Any) -> Any:
        return httpx.get(f"{self.url}/page/documents", params=params, timeout=60).json()

    def waiting(self, **params: Any) -> list[str]:
        return [one["path"] for one in self.listed(**params)["waiting"]]

    def titles(self, **params: Any) -> set[str]:
        return {one["title"] for one in self.listed(**params)["documents"]}

    def discard(self, *paths: str) -> httpx.Response:
        return httpx.post(f"{self.url}/page/discard", json={"paths": list(paths)}, timeout=60)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Another run writes to the index."""
        with FileLock(self.root / "notes" / LOCK, timeout=0):
            yield


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("root"))
    server.fill()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def server(running: Server) -> Iterator[Server]:
    """The server, with an index of one document and no uploads."""
    yield running
    for index in ("notes", "later"):
        for file in (running.root / "uploads" / index).glob("*"):
            file.unlink()
    known = {one["id"] for one in running.listed(most=500)["documents"]} - {"a"}
    known |= {one["path"] for one in running.listed()["failures"]}
    running.index(remove=sorted(known))


@pytest.mark.slow
def test_an_uploaded_file_waits_until_it_is_indexed(server):
    [path] = server.upload(("tay.md", TAY))
    assert server.waiting() == [path] and server.titles() == {"a"}
    server.index(paths=[path])
    assert server.waiting() == [] and server.titles() == {"a", "Tay Bridge"}


@pytest.mark.slow
def test_the_next_run_of_anybody_takes_along_what_waits(server):
    server.upload(("tay.md", TAY))
    [other] = server.upload(("forth.md", FORTH))
    assert server.index(paths=[other], dry_run=True)["plan"]["documents"] == 2
    assert len(server.waiting()) == 2
    assert server.index(paths=[other])["added"] == 2
    assert server.waiting() == [] and server.titles() == {"a", "Forth Bridge", "Tay Bridge"}


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [{}, {"layers": ["sentences"]}])
def test_a_run_for_something_else_takes_it_along_too(server, wanted):
    server.upload(("tay.md", TAY))
    assert server.index(**wanted)["added"] == 1 and server.waiting() == []


@pytest.mark.slow
def test_a_removal_which_shows_no_price_beforehand_reads_nothing(server):
    server.fill("b")
    [path] = server.upload(("tay.md", TAY))
    assert server.index(remove=["b"])["removed"] == 1
    assert server.waiting() == [path]


@pytest.mark.slow
def test_what_waits_is_still_known_when_the_server_was_started_anew(server):
    [path] = server.upload(("tay.md", TAY))
    server.start()
    assert server.waiting() == [path]
    assert server.index()["added"] == 1 and server.waiting() == []


@pytest.mark.slow
def test_files_of_an_index_that_is_not_there_yet_wait_too(server):
    [path] = server.upload(("tay.md", TAY), index="later")
    assert server.waiting(index="later") == [path] and server.waiting() == []
    assert server.index(index="later")["added"] == 1
    assert server.waiting(index="later") == []


@pytest.mark.slow
def test_a_file_whose_content_is_another_one_waits_again(server):
    [path] = server.upload(("tay.md", TAY))
    server.index(paths=[path])
    server.upload(("tay.md", TAY + b" It fell."))
    assert server.waiting() == [path] and server.titles() == {"a", "Tay Bridge"}
    assert server.index()["updated"] == 1 and server.waiting() == []


@pytest.mark.slow
def test_a_file_that_cannot_be_read_is_told_with_its_reason_and_not_read_again(server):
    [path] = server.upload(("bad.pdf", BROKEN))
    assert [one["path"] for one in server.index(paths=[path])["failures"]] == [path]
    assert server.waiting() == []
    [failure] = server.listed()["failures"]
    assert failure["path"] == path and failure["reason"]
    assert server.index()["failures"] == []
    assert server.listed()["failures"] == [failure]
    server.upload(("bad.pdf", BROKEN + b" more"))
    assert server.waiting() == [path]
    assert [one["path"] for one in server.index()["failures"]] == [path]
    assert server.waiting() == []


@pytest.mark.slow
def test_a_file_that_no_run_may_take_holds_up_no_other_and_is_told_with_its_reason(server):
    rows = "".join(f'{{"id": "{n}", "text": "Row {n}."}}\n' for n in range(60))
    [large] = server.upload(("rows.jsonl", rows.encode()))
    assert (
        "at most 50 passages"
        in followed(server.url, "/page/index", {"paths": [large]})[-1][1]["detail"]
    )
    [path] = server.upload(("tay.md", TAY))
    assert server.index(paths=[path], dry_run=True)["plan"]["documents"] == 1
    assert server.index(paths=[path])["added"] == 1
    [waiting] = server.listed()["waiting"]
    assert waiting["path"] == large and "at most 50 passages" in waiting["reason"]


@pytest.mark.slow
def test_a_run_waits_for_its_turn(server):
    [path] = server.upload(("tay.md", TAY))
    events: list[Event] = []
    waits = threading.Event()

    def follow() -> None:
        body = {"paths": [path]}
        with httpx.stream("POST", f"{server.url}/page/index", json=body, timeout=60) as answer:
            for event in events_in(answer.iter_lines()):
                events.append(event)
                if event[1].get("step") == "wait_for_turn":
                    waits.set()

    with server.busy():
        thread = threading.Thread(target=follow)
        thread.start()
        assert waits.wait(30)
        assert server.waiting() == [path]
    thread.join(60)
    assert events[-1][0] == "done" and events[-1][1]["added"] == 1
    assert server.waiting() == []


@pytest.mark.slow
def test_of_many_who_write_while_another_run_does_none_is_refused(server):
    paths = [server.upload((f"{n}.md", TAY + b"%d" % n))[0] for n in range(6)]
    ended: list[Event] = []

    def write(wanted: dict[str, Any]) -> None:
        ended.append(followed(server.url, "/page/index", wanted)[-1])

    with server.busy():
        threads = [threading.Thread(target=write, args=[{"paths": [path]}]) for path in paths]
        for thread in threads:
            thread.start()
        time.sleep(3)
        assert ended == [] and sorted(server.waiting()) == sorted(paths)
    for thread in threads:
        thread.join(60)
    assert [name for name, _ in ended] == ["done"] * 6
    assert sum(told["added"] for _, told in ended) == 6 and server.waiting() == []


@pytest.mark.slow
def test_files_of_a_client_that_leaves_while_it_waits_stay_listed(server):
    [path] = server.upload(("tay.md", TAY))
    with server.busy():
        body = {"paths": [path]}
        with httpx.stream("POST", f"{server.url}/page/index", json=body, timeout=60) as answer:
            assert next(events_in(answer.iter_lines()))[1]["step"] == "wait_for_turn"
        time.sleep(1)
    time.sleep(1)
    assert server.waiting() == [path] and server.titles() == {"a"}
    assert server.index()["added"] == 1 and server.waiting() == []


@pytest.mark.slow
def test_what_waits_can_be_discarded(server):
    [path] = server.upload(("tay.md", TAY))
    assert server.discard(path).status_code == 200
    assert server.waiting() == [] and not (server.root / path).exists()
    [path] = server.upload(("tay.md", TAY))
    server.index()
    told = server.discard(path)
    assert told.status_code == 422 and "remove the document" in told.json()["detail"]
    assert (server.root / path).exists()


@pytest.mark.parametrize("path", ["notes/catalogue.sqlite", "uploads/notes/../later/tay.md"])
def test_only_uploaded_files_can_be_discarded(server, path):
    server.upload(("tay.md", TAY), index="later")
    told = server.discard(path)
    assert told.status_code == 422 and "no uploaded file" in told.json()["detail"]
    assert (server.root / "uploads/later/tay.md").exists()


@pytest.mark.slow
def test_a_removed_row_of_a_file_does_not_come_back(server):
    rows = "".join(f'{{"id": "{n}", "text": "Row {n}."}}\n' for n in range(3))
    [path] = server.upload(("three.jsonl", rows.encode()))
    server.index()
    assert server.index(remove=[f"{path}#1"])["removed"] == 1
    assert server.waiting() == []
    assert server.index()["added"] == 0
    assert server.index(paths=[path])["added"] == 1


@pytest.mark.slow
def test_a_removed_document_whose_file_was_replaced_is_not_read_again(server):
    [path] = server.upload(("tay.md", TAY))
    server.index()
    server.upload(("tay.md", TAY + b" It fell."))
    [document] = [one for one in server.listed()["documents"] if one["path"] == path]
    removed = server.index(remove=[document["id"]], layers=["passages"])
    assert removed["removed"] == 1 and removed["added"] == 0
    assert server.titles() == {"a"} and not (server.root / path).exists()
