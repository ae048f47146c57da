"""Whether *hybrid* and *graph* find less than the better of *lexical* and *vector*.

``python -m lab.benchmarks.better_part SET... --pages FOLDER --embeddings E... --indexes FOLDER``.
A set is a folder in the form of ``tests/data/natural``, or a file of ``lab/data/documentation``
whose pages are in the folder of its name below ``--pages``; none: all sets of the repository for
which the documents are there. ``--indexes`` keeps an index for each set and embeddings.

Each cell has how many questions *lexical*, *vector*, *hybrid* and *graph* find something that
answers for, among the first k passages, or distinct pages of ten passages. One is *below* where
it finds two questions fewer than the better part, and more; p is the chance that of the questions
which only one of the two finds so many are lost, if it were even for each (exact sign test). Where
p is above 0.05 the cell says little alone: of many cells some are below by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import comb
from os.path import relpath
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from ragraphs.context import IndexContext, RetrieverName
from ragraphs.evaluation.datasets import QUESTIONS
from ragraphs.evaluation.figures import check_record, manifest_of, record
from ragraphs.evaluation.retrieval import indexed
from ragraphs.index.opening import Index
from ragraphs.index.retrieval import search
from ragraphs.language.analyser import one_line
from ragraphs.state.errors import RagraphsError
from ragraphs.state.records import Evidence

from ..command import run
from ..experiments.documentation import page_questions
from ..experiments.natural import natural_questions, stands_in

CUTOFFS = (1, 3, 5, 10)
PARTS: tuple[RetrieverName, ...] = ("lexical", "vector")
WHOLES: tuple[RetrieverName, ...] = ("hybrid", "graph")
_ROOT = Path(__file__).parents[2]
_LANGUAGES = {"en": "English", "ko": "Korean"}
_MORE_THAN = 1  # question, of which the answer is a matter of chance


class RetrievalCase(NamedTuple):
    """A question, the group it belongs to, and whether each of some results answers it."""

    question: str
    group: str
    answers: Callable[[Sequence[Evidence], Path], Sequence[bool]]


class CaseSet(NamedTuple):
    """Questions on the documents in a folder, and the files that they were read from."""

    name: str
    documents: Path
    cases: Sequence[RetrievalCase]
    file: Path


class Ranked(NamedTuple):
    """A case, and for each way the place of the first result that answers, from 1 on."""

    case: RetrievalCase
    ranks: dict[str, int | None]

    def finds(self, way: str, first: int) -> bool:
        """Whether one of the ``first`` results of ``way`` answers."""
        return (self.ranks[way] or first + 1) <= first


class Cell(NamedTuple):
    """The questions that ``way`` and its better ``part`` find, and those that only one finds."""

    way: str
    part: str
    found: int
    by_part: int
    lost: int
    won: int

    @property
    def is_below(self) -> bool:
        """Whether ``way`` finds less than its better part by more than one question."""
        return self.by_part - self.found > _MORE_THAN

    @property
    def chance(self) -> float:
        """The chance that so many or more are lost of those that only one finds, by a coin."""
        n = self.lost + self.won
        return sum(comb(n, lost) for lost in range(self.lost, n + 1)) / (1 << n)


def main(
    sets: Annotated[list[str] | None, typer.Argument(metavar="SET")] = None,
    pages: Annotated[Path | None, typer.Option(help="Of documentations; none: left out.")] = None,
    embeddings: Annotated[list[str] | None, typer.Option(help="Also twice; lexical.")] = None,
    indexes: Annotated[Path | None, typer.Option(help="None: temporary ones.")] = None,
    kept: Annotated[Path | None, typer.Option("--record")] = None,
) -> None:
    """The questions each retriever finds, as a Markdown table, and the cells that are below."""
    check_record(kept)
    read = [_read(one, pages) for one in sets or _at_hand(pages)]
    rows, below = list[dict[str, Any]](), list[str]()
    print(f"| set | n |{''.join(f' @{k} |' for k in CUTOFFS)}\n|---|---:|{'---|' * len(CUTOFFS)}")
    for embedder in embeddings or ["lexical"]:
        short = embedder.rpartition("/")[2].partition("@")[0]
        everything = list[Ranked]()
        for one in read:
            ranked = _ranked(one, embedder, indexes and indexes / f"{one.name}-{short}")
            rows += _rows(f"{one.name}, {short}", ranked)
            groups = dict.fromkeys(each.case.group for each in ranked)
            for group in groups:
                name = f"{one.name}, {group}" if len(groups) > 1 else one.name
                of_group = [each for each in ranked if each.case.group == group]
                below += _told(f"{name}, {short}", of_group)
            everything += ranked
        below += _told(f"all, {short}", everything)
    print("", *below or ["None is below."], sep="\n")
    if kept is not None:
        files = [file for one in read for file in (one.file, *sorted(_files(one.documents)))]
        manifest = manifest_of(
            " + ".join(one.name for one in read), files, (), "python -m lab.benchmarks.better_part"
        )
        record(kept, manifest, rows)


def cell(ranked: Sequence[Ranked], way: str, first: int) -> Cell:
    """``way`` against the better of *lexical* and *vector* among the ``first`` results."""
    found = {name: sum(one.finds(name, first) for one in ranked) for name in (*PARTS, way)}
    part = max(PARTS, key=lambda name: found[name])
    lost = sum(one.finds(part, first) and not one.finds(way, first) for one in ranked)
    won = lost - found[part] + found[way]
    return Cell(way, part, found[way], found[part], lost, won)


def _told(name: str, ranked: Sequence[Ranked]) -> Iterator[str]:
    """Prints the row of the table, and gives a line for each cell that is below."""
    columns = []
    for first in CUTOFFS:
        counts = [str(sum(one.finds(way, first) for one in ranked)) for way in PARTS]
        cells = [cell(ranked, way, first) for way in WHOLES]
        counts += [f"**{one.found}**" if one.is_below else str(one.found) for one in cells]
        columns.append(", ".join(counts))
        for one in filter(lambda one: one.is_below, cells):
            yield (
                f"- {name}, {one.way} @{first}: {one.found} of {len(ranked)}, {one.part} "
                f"{one.by_part} (lost {one.lost}, won {one.won}, p {one.chance:.2f})"
            )
    print(f"| {name} | {len(ranked)} | {' | '.join(columns)} |")


def _ranked(one: CaseSet, embeddings: str, folder: Path | None) -> list[Ranked]:
    context = IndexContext(embeddings=embeddings, layers=["passages", "sentences"])
    if folder is not None:
        context = context.model_copy(update={"index": str(folder)})
    with indexed({"sources": [str(one.documents)]}, context) as (index, _):
        return [Ranked(case, _ranks(case, index)) for case in one.cases]


def _ranks(case: RetrievalCase, index: Index) -> dict[str, int | None]:
    found = dict[str, int | None]()
    for way in (*PARTS, *WHOLES):
        marks = case.answers(search(index, case.question, way, CUTOFFS[-1]), index.home)
        found[way] = next((k for k, mark in enumerate(marks, 1) if mark), None)
    return found


def _rows(name: str, ranked: Sequence[Ranked]) -> Iterator[dict[str, Any]]:
    for one in ranked:
        for way in (*PARTS, *WHOLES):
            scores = {f"found@{k}": float(one.finds(way, k)) for k in CUTOFFS}
            about = {"method": f"{name}, {way}", "id": one.case.question, "kind": one.case.group}
            yield {**about, "scores": scores}


def _at_hand(pages: Path | None) -> Iterator[str]:
    """The sets of the repository whose documents are there."""
    yield from (str(_ROOT / "tests" / "data" / name) for name in ("natural", "everyday", "guides"))
    data = _ROOT / "lab" / "data"
    yield from (str(data / name) for name in ("novels", "unseen/one", "unseen/two", "unseen/three"))
    for file in sorted((data / "documentation").glob("*.jsonl")):
        if pages is not None and (pages / file.stem).is_dir():
            yield str(file)


def _read(given: str, pages: Path | None) -> CaseSet:
    path = Path(given).expanduser().resolve()
    if path.is_dir():
        return _natural(path)
    if pages is None:
        raise RagraphsError(f"{path.name} asks for pages; name their folder by --pages.")
    root = (pages / path.stem).resolve()
    asked = page_questions(path, root)
    cases = [RetrievalCase(one.question, "", _page_marks(one.pages, root)) for one in asked]
    return CaseSet(path.stem, root, cases, path)


def _natural(folder: Path) -> CaseSet:
    def case(question: str, language: str, quotes: Sequence[str]) -> RetrievalCase:
        def marks(found: Sequence[Evidence], home: Path) -> list[bool]:
            texts = [one_line(one["text"]) for one in found]
            return [any(stands_in(quote, text) for quote in quotes) for text in texts]

        return RetrievalCase(question, _LANGUAGES.get(language, language), marks)

    cases = [
        case(one.question, one.source.rpartition(" ")[2], one.quotes)
        for one in natural_questions(folder)
        if one.quotes
    ]
    return CaseSet(folder.name, folder / "documents", cases, folder / QUESTIONS)


def _page_marks(
    pages: frozenset[str], root: Path
) -> Callable[[Sequence[Evidence], Path], Sequence[bool]]:
    def marks(found: Sequence[Evidence], home: Path) -> list[bool]:
        files = (Path(relpath(home / one["document"], root)).as_posix() for one in found)
        return [file in pages for file in dict.fromkeys(files)]

    return marks


def _files(folder: Path) -> Iterator[Path]:
    return (one for one in folder.rglob("*") if one.is_file())


if __name__ == "__main__":
    run(main)
