"""Long lives of an index: their documents, how two indexes are compared, and what is counted."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph
from ragraphs.index.opening import Index, open_index
from raw_sql import sql

from lab.living import crashes
from lab.living.changes import LivingDocuments, Plan, live_with_changes
from lab.living.comparing import Differences, compare
from lab.living.crashes import Account, live_with_crashes
from lab.living.documents import LivingFolder, editions

TEXTS = {
    "tower": "Ada Quill designed Arlen Tower. Ben Rook met Ada Quill at Arlen Tower.",
    "gate": "Dan Moor opened the Brass Gate. Eva Stone met Dan Moor at the Brass Gate.",
    "rook": "Ben Rook wrote to Dan Moor. Ben Rook opened Arlen Tower.",
}


def built(folder: Path, name: str, **texts: str) -> Index:
    context = IndexContext(
        index=str(folder / name), model="offline", embeddings="lexical", layers=["hops", "entities"]
    )
    documents = [{"id": id, "text": text} for id, text in (TEXTS | texts).items()]
    graph.invoke({"documents": documents}, context=context)
    return open_index(context)


@pytest.mark.slow
def test_indexes_of_the_same_documents_are_the_same_and_others_are_told(tmp_path):
    one, same = built(tmp_path, "one"), built(tmp_path, "same")
    found = compare(one, same)
    assert found == Differences([], found.edges, 0) and found.edges
    with same.engine.begin() as connection:
        sql(connection, "DELETE FROM mentions WHERE passage IN (SELECT passage FROM mentions)")
    [told] = compare(one, same).sentences
    assert told.startswith("mentions: ") and "rows more and 0 fewer" in told


@pytest.mark.slow
def test_edges_that_only_one_index_has_are_counted(tmp_path):
    one = built(tmp_path, "one")
    other = built(tmp_path, "other", gate="Dan Moor opened the gate of Corin.")
    found = compare(one, other)
    assert 0 < found.other_edges <= 2 * found.edges and found.share > 0


def test_a_folder_changes_the_same_way_for_the_same_seed_and_tells_its_editions(tmp_path):
    def life(place: Path) -> dict[str, str]:
        folder = LivingFolder(place, random.Random(5), 6)
        folder.fill()
        for _ in range(40):
            folder.change()
        return {str(file.relative_to(place)): file.read_text() for file in place.rglob("*.txt")}

    files = life(tmp_path / "one")
    assert files == life(tmp_path / "other")
    told = [editions(text) for text in files.values()]
    assert all(len(each) == 1 for each in told)
    assert len(set.union(*told)) == len(files)


def test_documents_that_change_at_random_are_told_as_a_run_is_given_them():
    documents: Any = [{"id": id, "title": id, "text": text} for id, text in TEXTS.items()]
    living = LivingDocuments(documents, 2, random.Random(2))
    held = dict(living.now)
    for _ in range(30):
        given = living.change(3)
        held = {id: one for id, one in held.items() if id not in given["remove"]}
        held |= {one["id"]: one for one in given["documents"]}
        assert held == living.now
    assert set(living.kinds) == {"add", "change", "remove", "rename"}


@pytest.mark.slow
def test_an_index_that_lived_is_compared_with_fresh_ones(tmp_path):
    for id, text in TEXTS.items():
        (tmp_path / f"{id}.txt").write_text(text)
    context = IndexContext(embeddings="lexical")
    plan = Plan(changes=8, together=4, documents=3, comparisons=2, seed=1)
    result = live_with_changes(tmp_path, tmp_path / "work", context, plan, lambda words: None)
    assert result["problems"] == [] and result["compared"] == 2
    assert sum(result["changes"].values()) == 8


class Paying:
    """Runs that ask the model, which is only in the account of them."""

    def __init__(self) -> None:
        self.server: Any = SimpleNamespace(url="http://model", asked=[])
        self.account = Account(self.server)

    def run(self, *asked: str, ends: bool = False) -> None:
        self.ask(self.account.begin(), *asked)
        if ends:
            self.account.end()

    def ask(self, url: str, *asked: str) -> None:
        path = url.removeprefix(self.server.url) + "/chat/completions"
        self.server.asked += [SimpleNamespace(path=path, body=text) for text in asked]

    def paid_twice(self) -> tuple[int, int, int]:
        """In all, at most after one kill, and of runs that came to their end."""
        paid = self.account.paid()
        names = ("paid_twice", "paid_twice_after_one_kill", "paid_twice_without_a_kill")
        one, most, without = (paid[name] for name in names)
        return one, most, without


def test_a_request_paid_twice_counts_for_the_kill_that_lost_its_reply():
    paying = Paying()
    paying.run("one", "two", "three")
    paying.run("four", "five", "one")
    assert paying.paid_twice() == (1, 1, 0)
    paying.run("two", "three", "four", "five")
    assert paying.paid_twice() == (5, 3, 0)
    assert paying.account.paid()["requests_answered"] == 10


def test_requests_that_reach_the_model_late_count_for_the_run_that_sent_them():
    paying = Paying()
    killed = paying.account.begin()
    paying.run("one")
    paying.ask(killed, "one")
    assert paying.paid_twice() == (1, 1, 0)


def test_replies_that_a_later_run_forgot_at_its_end_are_counted_apart():
    paying = Paying()
    paying.run("one", ends=True)
    paying.run("other", ends=True)
    paying.run("one", ends=True)
    assert paying.paid_twice() == (0, 0, 0)
    assert paying.account.paid()["asked_again_once_forgotten"] == 1
    paying.run("one")
    assert paying.paid_twice() == (0, 0, 1)


def test_indexes_that_are_only_compared_are_not_in_the_account():
    paying = Paying()
    paying.run("one", ends=True)
    paying.ask(paying.account.elsewhere, "one", "one")
    assert paying.paid_twice() == (0, 0, 0)


def test_an_answer_with_two_editions_of_a_document_is_a_problem():
    def answer(*texts: str, document: str = "a") -> Any:
        return lambda: {"evidence": [{"document": document, "text": text} for text in texts]}

    old, new = "In edition 1, Ann met Bob.", "In edition 2, Ann met Cid."
    assert crashes._problem(answer(old, old)) == ""
    assert crashes._problem(answer(old, new)) == "two editions of a document"
    assert crashes._problem(answer()) == "no evidence"
    assert crashes._problem(lambda: 1 / 0).startswith("ZeroDivisionError")


@pytest.mark.slow
@pytest.mark.thorough
def test_an_index_lives_on_while_its_runs_are_killed(tmp_path):
    result = live_with_crashes(tmp_path, 10, 0, lambda words: None)
    assert result["problems"] == [] and result["questions_with_a_problem"] == {}
    assert result["compared"] and result["questions"]
    assert result["paid_twice_after_one_kill"] <= result["at_once"]
