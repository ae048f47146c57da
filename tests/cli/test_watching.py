"""`ragraphs index --watch` keeps an index what a fresh one of its folders would be."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import psutil
import pytest
from command_line import assert_one_sentence
from ragraphs.cli import watching
from ragraphs.cli.watching import Changes, bring_up_to_date
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph
from ragraphs.index.opening import open_index
from ragraphs.state.errors import RagraphsError
from tool_server import serving_questions

from lab.living.documents import LivingFolder
from lab.living.watching import live_while_followed


def brought(docs: Path, index: Path, **settings: Any) -> Any:
    """One run of the index graph over ``docs``."""
    context = IndexContext(index=str(index), embeddings="lexical", **settings)
    return graph.invoke({"sources": [str(docs)]}, context=context)


class Watched:
    """Folders that are followed in this thread, and an index that is brought up to date."""

    def __init__(self, docs: Path, index: Path) -> None:
        self.docs, self.index, self.runs, self.idle_since = docs, index, 0, float("inf")
        self.changes = Changes([docs], index)

    def run(self) -> None:
        self.idle_since = float("inf")
        brought(self.docs, self.index)
        self.runs += 1
        self.idle_since = time.monotonic()

    def while_it_lasts(self, work: Any) -> None:
        """Follows the folders while another thread does ``work``, and until all is quiet."""

        def until_quiet() -> None:
            try:
                work()
                while time.monotonic() - self.idle_since < 1.2:
                    time.sleep(0.05)
            finally:
                self.changes.stop()

        with self.changes.followed():
            self.run()
            worker = Thread(target=until_quiet)
            worker.start()
            bring_up_to_date(self.changes, self.changes, self.run)
            worker.join()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "0.txt").write_text("Ada Quill met Ben Rook in 1901.")
    return folder


@pytest.mark.slow
def test_after_changes_at_random_the_index_is_that_of_a_fresh_build(docs, tmp_path):
    watched, chance = Watched(docs, docs / "notes"), random.Random(7)
    folder = LivingFolder(docs, chance, 12)

    def work() -> None:
        until = time.monotonic() + 2
        while time.monotonic() < until:
            folder.change()
            time.sleep(chance.choice([0, 0, 0.02, 0.4]))

    watched.while_it_lasts(work)
    assert 1 < watched.runs < 12
    brought(docs, tmp_path / "fresh")
    # Paths are relative to the folder of the index, which are two.
    assert texts_in(docs / "notes") == texts_in(tmp_path / "fresh")


def texts_in(index: Path) -> list[tuple[str, str]]:
    passages = open_index(str(index)).catalogue.all_passages()
    return sorted((Path(one["document"]).name, one["text"]) for one in passages)


@pytest.mark.slow
def test_what_the_index_itself_writes_and_hidden_files_are_no_changes(docs, monkeypatch):
    monkeypatch.chdir(docs)
    watched = Watched(docs, Path("notes"))

    def work() -> None:
        time.sleep(2)
        (docs / ".hidden.txt").write_text("Not for others.")
        time.sleep(1)

    watched.while_it_lasts(work)
    assert watched.runs <= 2


@pytest.mark.slow
def test_a_change_during_a_run_starts_another_one(docs, monkeypatch):
    watched, run = Watched(docs, docs / "notes"), Watched.run

    def slow(self: Watched) -> None:
        run(self)
        if self.runs == 1:
            (docs / "late.txt").write_text("It came late.")
            time.sleep(1)

    monkeypatch.setattr(Watched, "run", slow)
    watched.while_it_lasts(lambda: None)
    assert "It came late." in [text for _, text in texts_in(docs / "notes")]


@pytest.mark.slow
def test_a_folder_that_is_made_anew_is_followed_again(docs):
    watched = Watched(docs, docs.parent / "notes")

    def work() -> None:
        os.rename(docs, docs.parent / "before")
        time.sleep(1)
        docs.mkdir()
        (docs / "new.txt").write_text("It is new.")

    watched.while_it_lasts(work)
    assert [text for _, text in texts_in(watched.index)] == ["It is new."]


@pytest.mark.slow
def test_a_run_that_failed_is_tried_again(docs, monkeypatch, capsys):
    monkeypatch.setattr(watching, "_PAUSES", (0.1, 0.1, 0.1))
    tries: list[int] = []
    changes = Changes([docs], docs / "notes")

    def run() -> None:
        tries.append(1)
        if len(tries) < 3:
            raise RagraphsError("The embeddings cannot be reached.")
        changes.stop()

    with changes.followed():
        (docs / "a.txt").write_text("One.")
        bring_up_to_date(changes, changes, run)
    assert len(tries) == 3 and "tried again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["docs/0.txt"], "--watch follows folders, and 'docs/0.txt' is none"),
        ([], "--watch follows folders; name one or more"),
        (["docs", "--json"], "--watch goes on until Ctrl-C; leave --json"),
        (["docs", "--repair"], "--watch goes on until Ctrl-C; leave --json"),
    ],
)
def test_what_cannot_be_followed_is_told_in_a_sentence(run, docs, given, sentence, monkeypatch):
    monkeypatch.chdir(docs.parent)
    assert_one_sentence(run("index", *given, "--watch", "--embeddings", "lexical"), 2, sentence)
    assert not Path(".ragraphs").exists()


@pytest.mark.slow
def test_files_change_at_random_while_the_command_follows_them(tmp_path):
    result = live_while_followed(tmp_path, files=60, seconds=6, seed=3, quiet=3)
    assert result["problems"] == [] and result["other_edges"] == 0
    assert result["changes"] > result["runs"] > 1


@pytest.mark.slow
def test_a_server_follows_folders_while_it_serves(tmp_path):
    docs = tmp_path / "documents"
    docs.mkdir()
    (docs / "a.txt").write_text("The Forth Bridge was designed by John Fowler.")
    brought(docs, tmp_path / "notes")
    with serving_questions(tmp_path, "--index", "notes", "--watch", str(docs)) as url:
        (docs / "b.txt").write_text("The Tay Bridge fell in 1879.")
        (docs / "a.txt").unlink()
        until = time.monotonic() + 60
        listed: list[str] = []
        while listed != ["documents/b.txt"] and time.monotonic() < until:
            found = httpx.get(f"{url}/page/documents", timeout=60).json()["documents"]
            listed = [one["path"] for one in found]
            time.sleep(0.2)
    assert listed == ["documents/b.txt"]
    assert not [one for one in psutil.process_iter(["cmdline"]) if str(docs) in told(one)]


def told(process: psutil.Process) -> str:
    return " ".join(process.info["cmdline"] or ())
