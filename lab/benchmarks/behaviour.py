"""Everything that the package does with some corpora, to compare one commit with another.

``python -m lab.benchmarks.behaviour record FILE CORPUS...`` indexes every corpus
without a model, exports it, asks each method the same questions, and then indexes the first
passages of each corpus and asks again with a stub in the model's place, keeping the prompts that
it is sent. ``... compare BEFORE AFTER`` names what differs between two such files.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from ragraphs.context import IndexContext, LayerName, QuestionContext, RouterContext
from ragraphs.evaluation.datasets import load_dataset
from ragraphs.graphs import graph_of
from ragraphs.graphs.index import graph as index_graph
from ragraphs.graphs.methods import METHODS
from ragraphs.graphs.router import graph as router
from ragraphs.index.opening import open_index
from ragraphs.views.status import export_lines

from .stub_model import MODEL, stub_model
from .stub_replies import stub_reply

app = typer.Typer(add_completion=False)

_LAYERS = list(get_args(LayerName))
_VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((method, {}) for method in METHODS),
    ("deeprag", {"mode": "tree"}),
    ("graphrag", {"search": "local"}),
    ("graphrag", {"search": "drift"}),
    ("graphrag", {"search": "text"}),
    ("graphrag", {"search": "basic"}),
    ("hoprag", {"retriever": "hybrid"}),
    ("router", {}),
)
_PROMPTS = "RAGRAPHS_BEHAVIOUR_PROMPTS"
_STUB_PASSAGES = 60
_STUB_QUESTIONS = 5


@app.command()
def record(
    file: Path,
    corpora: list[str],
    embeddings: str = "lexical",
    questions: int = 30,
    stub: Annotated[bool, typer.Option(help="Also record the prompts sent to a stub.")] = True,
) -> None:
    """Writes what is exported, answered and asked for each of ``corpora`` as JSON lines."""
    with file.resolve().open("w", encoding="utf-8") as written:
        for corpus in corpora:
            path = Path(corpus).resolve()
            for key, value in _recorded(path, embeddings, questions, stub):
                line = {"key": f"{path.stem} {key}", "value": value}
                written.write(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")
                written.flush()


@app.command()
def compare(
    before: Path,
    after: Path,
    again: Annotated[
        list[Path] | None,
        typer.Option(help="BEFORE recorded once more: what differs is left out; may be repeated."),
    ] = None,
    shown: int = 10,
) -> None:
    """Prints the first ``shown`` differences in the corpora of ``after``; exit code 1 for any.

    Chroma breaks ties by chance, so that a question near to no entity is not answered the same
    way twice.
    """
    known, found, others = _read(before), _read(after), [_read(file) for file in again or ()]
    corpora = {key.split()[0] for key in found}
    chance = {key for one in others for key in one.keys() & known if one[key] != known[key]}
    keys = sorted({k for k in known if k.split()[0] in corpora}.union(found) - chance)
    different = [key for key in keys if known.get(key) != found.get(key)]
    for key in different[:shown]:
        old, new = (json.dumps(each.get(key), ensure_ascii=False) for each in (known, found))
        place = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
        start = max(0, place - 80)
        print(f"{key}\n  - {old[start : place + 160]}\n  + {new[start : place + 160]}")
    print(f"{len(keys)} records, {len(different)} differ; {len(chance)} left out")
    raise typer.Exit(bool(different))


def _read(file: Path) -> dict[str, Any]:
    # The last digits of a sum depend on where its numbers lie in memory.
    read = json.JSONDecoder(parse_float=lambda digits: float(f"{float(digits):.4g}")).decode
    rows = (read(line) for line in file.read_text(encoding="utf-8").split("\n") if line)
    return {row["key"]: row["value"] for row in rows}


def _recorded(
    corpus: Path, embeddings: str, questions: int, stub: bool
) -> Iterator[tuple[str, Any]]:
    # Documents are named by their path from the folder that the index lies in.
    with tempfile.TemporaryDirectory(prefix="ragraphs-behaviour-") as folder, chdir(folder):
        source = _copied(corpus, Path(folder))
        context = IndexContext(
            index="index", model="offline", embeddings=embeddings, layers=_LAYERS
        )
        index_graph.invoke({"sources": [source]}, context=context)
        exported = list(export_lines(open_index(context)))
        yield from _by_kind(exported)
        asked = _questions(corpus, exported, questions)
        for method, settings in _VARIANTS:
            yield from _answers(method, settings, asked, "index", "offline")
        if stub:
            yield from _with_stub(_short(source), asked[:_STUB_QUESTIONS], embeddings)


def _copied(corpus: Path, folder: Path) -> str:
    if corpus.is_dir():
        shutil.copytree(corpus, folder / corpus.name)
    else:
        shutil.copy(corpus, folder)
    passages = f"{corpus.name}/passages.jsonl"
    return passages if (folder / passages).exists() else corpus.name


def _by_kind(exported: list[str]) -> Iterator[tuple[str, Any]]:
    kinds: dict[str, list[str]] = {}
    for line in exported:
        kinds.setdefault(json.loads(line)["kind"], []).append(line)
    yield "export", hashlib.sha256("\n".join(exported).encode()).hexdigest()
    for kind, lines in kinds.items():
        yield f"export {kind}", lines


def _questions(corpus: Path, exported: list[str], most: int) -> list[str]:
    """The questions of a set, or of a corpus without any those that its own passages answer."""
    if (corpus / "questions.jsonl").exists():
        return [each.question for each in load_dataset(corpus, most).questions]
    rows = (json.loads(line) for line in exported)
    own = sorted({q for row in rows if row["kind"] == "questions" for q in row["incoming"]})
    return random.Random(0).sample(own, min(most, len(own)))


def _answers(
    method: str, settings: dict[str, Any], asked: list[str], index: str, model: str
) -> Iterator[tuple[str, Any]]:
    graph: Any = router
    context_type: type[QuestionContext] = RouterContext
    if method != "router":
        graph, context_type = graph_of(method)
    context = context_type(index=index, model=model, **settings)
    name = " ".join([model, method, *map(str, settings.values())])
    for question in asked:
        result = graph.invoke({"question": question}, context=context)
        result.pop("messages", None)  # the answer once more, under an id made by chance
        yield f"{name}: {question}", result


def _short(source: str) -> str:
    """The first passages of ``source``, in a file or folder beside it."""
    path = Path(source)
    if path.suffix == ".jsonl":
        lines = path.read_text(encoding="utf-8").split("\n")[:_STUB_PASSAGES]
        path.write_text("\n".join(lines), encoding="utf-8")
    elif path.is_file():
        path.write_text(path.read_text(encoding="utf-8")[: 1500 * _STUB_PASSAGES], encoding="utf-8")
    return source


def _with_stub(source: str, asked: list[str], embeddings: str) -> Iterator[tuple[str, Any]]:
    """The prompts sent to a stub in the model's place, and what its replies lead to."""
    prompts = Path("prompts.jsonl")
    prompts.touch()
    os.environ[_PROMPTS] = str(prompts.resolve())
    with stub_model(0, _reply):
        context = IndexContext(index="stub", model=MODEL, embeddings=embeddings, layers=_LAYERS)
        index_graph.invoke({"sources": [source]}, context=context)
        yield "stub export", list(export_lines(open_index(context)))
        yield "stub prompts of indexing", sorted(prompts.read_text(encoding="utf-8").split("\n"))
        for method, settings in _VARIANTS:
            prompts.write_text("", encoding="utf-8")
            yield from _answers(method, settings, asked, "stub", MODEL)
            sent = sorted(prompts.read_text(encoding="utf-8").split("\n"))
            yield f"stub prompts of {method} {settings}", sent


def _reply(kind: str, human: str) -> Any:
    with open(os.environ[_PROMPTS], "a", encoding="utf-8") as file:
        file.write(json.dumps([kind, human], ensure_ascii=False) + "\n")
    return stub_reply(kind, human)


if __name__ == "__main__":
    app()
