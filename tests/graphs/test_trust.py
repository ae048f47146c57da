"""Whatever is done to an index, and wherever a run is cut off, it ends as a fresh build would."""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from faults import counted_writes, reopen
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from ragraphs.context import IndexContext, LayerName
from ragraphs.graphs import graph_of
from ragraphs.graphs.index import graph
from ragraphs.graphs.methods import METHODS
from ragraphs.index import rebuilding
from ragraphs.index.copying import copy_index
from ragraphs.index.opening import Index, open_index
from ragraphs.state.errors import RagraphsError, UnexpectedError
from same_index import assert_same
from snapshots import Snapshots

pytestmark = pytest.mark.in_folder("a kill is played by the stores of a folder")
ALL: list[LayerName] = ["sentences", "hops", "entities"]
LAYERS = st.sampled_from([ALL, *([layer] for layer in ALL)])
ASKED = ["basic", "hoprag", "tog2"]
NAMES = st.sampled_from(["a.txt", "b.md", "c.txt", "below/d.txt"])
ALL_NAMES = NAMES | st.just("first.txt")  # which is always there
TEXTS = [
    "Ada Quill designed Arlen Tower in 1901. It was opened by Ben Rook.",
    "Ben Rook, who was born in Corin, met Ada Quill at Arlen Tower.",
    "The Brass Gate was built by Cora Vane. Ada Quill wrote to her.",
    "이순신은 한강에서 김하늘을 만났다. 김하늘은 서울에서 태어났다.",
    "It was built of stone.",
]
CUT = st.none() | st.integers(1, 150)  # the write at which a run ends; None: at none


def folder_of_tests() -> TemporaryDirectory[str]:
    """A folder in memory, if the tests have theirs there: a disk waits for each of many writes."""
    place = os.environ.get("PYTEST_DEBUG_TEMPROOT")
    return TemporaryDirectory(prefix="ragraphs-trust-", dir=place, ignore_cleanup_errors=True)


@cache
def beginnings() -> tuple[Snapshots, TemporaryDirectory[str]]:
    """The indexes that lives begin with, and their folder, which is there as long as they are."""
    folder = folder_of_tests()
    return Snapshots(Path(folder.name)), folder


class Built:
    """Folders of documents and an index of them with ``layers``, in a folder of their own."""

    def __init__(self, layers: list[LayerName] = ALL) -> None:
        self.layers, self._place = layers, folder_of_tests()
        self.folder = Path(self._place.name)
        self.docs, self.name, self.fresh = self.folder / "docs", "index", dict[str, str]()
        self.docs.mkdir()

    def write(self, name: str, text: str) -> None:
        file = self.docs / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    def context(self, name: str = "", **fields: Any) -> IndexContext:
        where = str(self.folder / (name or self.name))
        return IndexContext(index=where, embeddings="lexical", layers=self.layers, **fields)

    def run(self, cut: int | None = None, given: Any = None, **fields: Any) -> bool:
        """Brings the index up to date; from the write ``cut`` on nothing is written.

        Returns whether there was such a write.
        """
        given = {"sources": [str(self.docs)]} if given is None else given
        with counted_writes(cut) as writes:
            try:
                graph.invoke(given, context=self.context(**fields))
            except (RagraphsError, OSError):
                assert writes.has_struck
        if writes.has_struck:
            reopen()
        return writes.has_struck

    def begin(self) -> None:
        """Makes the index, and closes it."""
        self.run()
        reopen()

    @property
    def index(self) -> Index:
        return open_index(self.context())

    def like_fresh(self) -> Index:
        """A fresh build of the files as they are; kept for the next time."""
        files = sorted(file for file in self.docs.rglob("*") if file.is_file())
        held = repr([(str(file), file.read_text()) for file in files])
        if held not in self.fresh:
            self.fresh[held] = f"fresh{len(self.fresh)}"
            context = self.context(self.fresh[held])
            graph.invoke({"sources": [str(self.docs)]}, context=context)
        return open_index(self.context(self.fresh[held]))

    def end(self) -> None:
        reopen()
        self._place.cleanup()


class AnyLife(RuleBasedStateMachine):
    """Anything that people, programs and power cuts do to an index, in any order."""

    @initialize(text=st.sampled_from(TEXTS), layers=LAYERS)
    def begin(self, text: str, layers: list[LayerName]) -> None:
        self.built, self.copies = Built(layers), 0
        self.built.write("first.txt", text)
        where = str(self.built.folder / self.built.name)
        snapshots, _ = beginnings()
        snapshots.fill(where, self.built.begin, f"{TEXTS.index(text)}-{'-'.join(layers)}")

    @rule(name=ALL_NAMES, text=st.sampled_from(TEXTS))
    def add_or_change(self, name: str, text: str) -> None:
        self.built.write(name, text)

    @rule(name=NAMES, new=ALL_NAMES)
    def rename(self, name: str, new: str) -> None:
        if (file := self.built.docs / name).exists():
            (self.built.docs / new).parent.mkdir(exist_ok=True)
            os.replace(file, self.built.docs / new)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        (self.built.docs / name).unlink(missing_ok=True)

    @rule(name=ALL_NAMES, cut=CUT)
    def remove(self, name: str, cut: int | None) -> None:
        known = [row["path"] for row in self.built.index.catalogue.documents()]
        if f"docs/{name}" in known:
            self.built.run(cut, {"remove": [f"docs/{name}"]})

    @rule(cut=CUT)
    def bring_up_to_date(self, cut: int | None) -> None:
        self.built.run(cut)

    @rule(cut=CUT, how=st.sampled_from(["repair", "purge"]))
    def make_anew(self, cut: int | None, how: str) -> None:
        self.built.run(cut, **{how: True})

    @rule()
    def reopen(self) -> None:
        reopen()

    @precondition(lambda self: self.copies < 2)
    @rule(cut=CUT)
    def copy(self, cut: int | None) -> None:
        """A copy that was cut off is begun anew, and takes the place of the index.

        It leaves out the vectors of removed passages, which the next run would have deleted.
        """
        self.copies += 1
        before = self.built.name
        places = [str(self.built.folder / one) for one in (before, f"copy{self.copies}")]
        with counted_writes(cut) as writes:
            try:
                copy_index(*places)
            except (RagraphsError, OSError):
                assert writes.has_struck
        if writes.has_struck:
            reopen()
            try:
                copy_index(*places)
            except RagraphsError as error:  # the write that was cut off came after the last row
                assert "already" in str(error)
        self.built.name = f"copy{self.copies}"
        copied = open_index(self.built.context(before))
        gone = copied.vectors.ids("passages") - copied.catalogue.passage_ids()
        copied.vectors.remove("passages", sorted(gone))
        assert_same(self.built.index, copied)

    @rule(question=st.sampled_from(["Who designed Arlen Tower?", "Who met Ada Quill?"]))
    def ask(self, question: str) -> None:
        """A question is answered at any time, from documents that the index has."""
        known = {row["id"] for row in self.built.index.catalogue.documents()}
        where = str(self.built.folder / self.built.name)
        for method in ASKED:
            if set(METHODS[method].layers) <= set(self.built.layers):
                asked, context = graph_of(method)
                result = asked.invoke(
                    {"question": question}, context=context(index=where, model="offline")
                )
                assert {one["document"] for one in result["evidence"]} <= known

    def teardown(self) -> None:
        if hasattr(self, "built"):
            try:
                self.built.run()
                assert_same(self.built.index, self.built.like_fresh())
            finally:
                self.built.end()


_QUIET = [*HealthCheck]
_PROFILE = settings.get_current_profile_name()


@pytest.mark.slow
class TestManyLives(AnyLife.TestCase):  # type: ignore[name-defined,misc]
    """A few lives; ``--hypothesis-profile=trust`` has 2,000."""

    settings = settings(
        max_examples=2000 if _PROFILE == "trust" else 10,
        stateful_step_count=12,
        deadline=None,
        suppress_health_check=_QUIET,
    )


@pytest.mark.slow
def test_a_copy_of_an_index_whose_repair_was_cut_off_is_whole_after_its_next_run(monkeypatch):
    built = Built(["sentences"])
    try:
        built.write("a.txt", TEXTS[0])
        built.begin()
        built.write("a.txt", TEXTS[2])
        with monkeypatch.context() as patch, pytest.raises(UnexpectedError):
            patch.setattr(rebuilding, "finish", lambda index: 1 / 0)
            given = {"sources": [str(built.docs)]}
            graph.invoke(given, context=built.context(repair=True))
        assert built.index.vectors.ids("passages") - built.index.catalogue.passage_ids()
        copy_index(str(built.folder / built.name), str(built.folder / "copy"))
        built.name = "copy"
        assert built.index.vectors.ids("passages") <= built.index.catalogue.passage_ids()
        built.run()
        assert_same(built.index, built.like_fresh())
    finally:
        built.end()


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", [pytest.param(n, marks=pytest.mark.thorough if n else ()) for n in range(32)]
)
def test_a_fault_at_any_write_of_an_update_loses_nothing(part):
    """Every thirty-second write from the ``part``-th on, until a run has no such write any more."""
    built = Built()
    try:
        for name, text in zip(("a.txt", "b.txt", "c.txt"), TEXTS, strict=False):
            built.write(name, text)
        built.run()
        reopen()
        before = shutil.copytree(built.folder / built.name, built.folder / "before")
        built.write("b.txt", TEXTS[3])
        (built.docs / "a.txt").rename(built.docs / "e.txt")
        at, struck = part + 1, True
        while struck:
            struck = built.run(at)
            built.run()
            assert_same(built.index, built.like_fresh())
            reopen()
            shutil.rmtree(built.folder / built.name)
            shutil.copytree(before, built.folder / built.name)
            at += 32
    finally:
        built.end()
