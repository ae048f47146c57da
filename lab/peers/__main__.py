"""Other systems beside ours: the same passages, questions, model and embeddings.

``python -m lab.peers SET --venvs FOLDER --out FOLDER --embeddings E`` installs each system in a
virtual environment of its own below the first folder, and writes into the second one a file for
each: requests, tokens, seconds and answers. Without ``--url`` the model is a stub, whose answers
say nothing of the systems; with it an OpenAI-compatible server.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from ragraphs.evaluation.datasets import Dataset, LabelledQuestion, load_dataset, supported
from ragraphs.evaluation.figures import check_record, manifest_of, record
from ragraphs.evaluation.metrics import containment
from ragraphs.state.errors import RagraphsError

from ..command import run
from .server import EMBEDDINGS, MODEL, PeerServer, Voice, peer_server

PEERS = {
    "ragraphs": "",  # this one, as it is
    "lightrag": "lightrag-hku==1.5.7",
    "nano_graphrag": "nano-graphrag==0.0.8.2",
    "graphrag": "graphrag==3.3.0",
    "graphrag_whole": "graphrag==3.3.0",  # with communities of all, not of the largest component
}
_ROOT = Path(__file__).parents[2]


def main(
    dataset: Annotated[str, typer.Argument(help="Folder of passages.jsonl and questions.jsonl.")],
    venvs: Annotated[Path, typer.Option(help="Folder for a virtual environment of each peer.")],
    out: Annotated[Path, typer.Option(help="Folder for a file of each peer.")],
    peer: Annotated[list[str] | None, typer.Option(help=f"{', '.join(PEERS)}.")] = None,
    questions: Annotated[int, typer.Option(min=1, help="Questions drawn from the set.")] = 8,
    passages: Annotated[int, typer.Option(help="Passages, with all that support.")] = 30,
    seed: int = 0,
    embeddings: str = "lexical",
    milliseconds: Annotated[int, typer.Option(help="Time of a reply of the stub.")] = 200,
    url: Annotated[str, typer.Option(help="Server to be asked in the stub's place.")] = "",
    model: str = "",
    kept: Annotated[Path | None, typer.Option("--record", help="File of figures.")] = None,
) -> None:
    """Indexes and asks with each peer, and prints a line for each."""
    check_record(kept)
    names = peer or list(PEERS)
    if unknown := [name for name in names if name not in PEERS]:
        raise RagraphsError(f"{unknown[0]} is no peer; choose from {', '.join(PEERS)}.")
    given = load_dataset(dataset)
    asked, documents = drawn(given, questions, passages, seed)
    pythons = {name: installed(name, venvs) for name in names}
    rows: list[dict[str, Any]] = []
    for name, python in pythons.items():
        with peer_server(Voice(milliseconds / 1000, url, model), embeddings) as server:
            found = measured(name, python, server, documents, asked)
        out.mkdir(parents=True, exist_ok=True)
        text = json.dumps(found, ensure_ascii=False, indent=1)
        (out / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        print(json.dumps({name: value for name, value in found.items() if name != "answers"}))
        rows += rows_of(found)
    if kept is not None:
        files = [given.passages, given.passages.with_name("questions.jsonl")]
        record(kept, manifest_of(given.name, files, program="python -m lab.peers"), rows)


def drawn(
    given: Dataset, questions: int, passages: int, seed: int
) -> tuple[list[LabelledQuestion], list[dict[str, str]]]:
    """``questions`` by chance, their supporting passages, and others up to ``passages`` in all."""
    chance = random.Random(seed)
    asked = chance.sample(supported(given), questions)
    rows = [json.loads(line) for line in given.passages.read_text("utf-8").splitlines() if line]
    chance.shuffle(rows)
    wanted = frozenset().union(*(one.supporting for one in asked))
    rows.sort(key=lambda row: str(row["id"]) not in wanted)
    kept = rows[: max(passages, len(wanted))]
    chance.shuffle(kept)
    return asked, [{"title": row["title"], "text": row["text"]} for row in kept]


def installed(name: str, venvs: Path) -> Path:
    """The Python of ``name``, which is installed below ``venvs`` where it is not there yet."""
    if not PEERS[name]:
        return Path(sys.executable)
    folder = (venvs / PEERS[name].partition("==")[0]).resolve()
    python, done = folder / "bin" / "python", folder / "installed"
    if not done.exists():
        venv.create(folder, with_pip=True)
        command = [str(python), "-m", "pip", "install", "--quiet", PEERS[name]]
        if subprocess.run(command).returncode:
            raise RagraphsError(f"{PEERS[name]} could not be installed into {folder}.")
        done.touch()
    return python


def measured(
    name: str,
    python: Path,
    server: PeerServer,
    documents: Sequence[dict[str, str]],
    asked: Sequence[LabelledQuestion],
) -> dict[str, Any]:
    """Requests, tokens and seconds of ``name`` for the index and for each question, and answers."""
    task = {
        "url": server.url,
        "model": MODEL,
        "embeddings": EMBEDDINGS,
        "dimension": server.dimension,
        "documents": list(documents),
        "questions": [one.question for one in asked],
    }
    with tempfile.TemporaryDirectory(prefix=f"peer-{name}-") as place:
        file = Path(place, "task.json")
        file.write_text(json.dumps(task), encoding="utf-8")
        index, answers = (_phase(name, python, phase, file) for phase in ("index", "ask"))
    rows = [
        {
            "id": one.id,
            "question": one.question,
            "gold": list(one.answers),
            "right": is_right(row["answer"], one),
            **row,
        }
        for one, row in zip(asked, answers.pop("answers"), strict=True)
    ]
    return {
        "peer": name,
        "passages": len(documents),
        "questions": len(rows),
        "index": index,
        "ask": answers,
        "right": sum(row["right"] for row in rows),
        "answers": rows,
    }


def is_right(answer: str, question: LabelledQuestion) -> float:
    """1 where ``answer`` holds a gold one, hyphens aside, and else 0."""
    return containment(
        answer.replace("-", " "), [one.replace("-", " ") for one in question.answers]
    )


def rows_of(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows for a file of figures: one for the index, and one for each question."""
    name, index = found["peer"], found["index"]
    first = {"method": f"{name}, index", "id": "index", **_cost(index)}
    return [
        first,
        *(
            {
                "method": name,
                "id": row["id"],
                "question": row["question"],
                "reference": row["gold"],
                "answer": row["answer"],
                "scores": {"right": row["right"]},
                **_cost(row),
            }
            for row in found["answers"]
        ),
    ]


def _cost(row: dict[str, Any]) -> dict[str, Any]:
    sent, received = row["tokens_in"], row["tokens_out"]
    return {"calls": row["calls"], "tokens": sent + received, "tokens_out": received}


def _phase(name: str, python: Path, phase: str, file: Path) -> dict[str, Any]:
    log = file.with_name(f"{phase}.log")
    command = [str(python), "-m", f"lab.peers.drivers.{name}", phase, str(file)]
    with log.open("w") as to:
        code = subprocess.run(command, cwd=_ROOT, stdout=to, stderr=to).returncode
    if code:
        raise RagraphsError(f"{name} failed while it had to {phase}: {log.read_text()[-2000:]}")
    found: dict[str, Any] = json.loads(file.with_name(f"{phase}.json").read_text("utf-8"))
    return found


if __name__ == "__main__":
    run(main)
