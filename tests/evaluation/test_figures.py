"""``--record`` and ``ragraphs evaluate recompute``: figures that anybody can count again."""

from __future__ import annotations

import gzip
import json
import shlex
from pathlib import Path

import pytest
from question_set import write_set
from ragraphs.evaluation.figures import Manifest, manifest_of, read_figures, recompute, record

ASKED = ("set", "--embeddings", "lexical", "--index", "idx", "--record", "f.jsonl.gz")
OTHERS = "Documents of the index that are not of set: 1 (notes.md)"
MANIFEST = Manifest(command="ragraphs x", commit="1", set="s", sha256="0", machine="m", made="now")


def answered(id, gold, answer, sufficient=True, **more):
    return {"method": "basic", "id": id, "gold": gold, "answer": answer,
            "sufficient": sufficient, "calls": 2, "tokens": 100, **more}  # fmt: skip


@pytest.fixture
def file(tmp_path) -> Path:
    """A file of figures: one answer of two is the gold one, and one of two is refused."""
    rows = [
        answered("1", ["Berlin"], "Berlin"),
        answered("2", ["Ada Lovelace", "Lovelace"], "Countess Lovelace"),
        answered("3", [], "Paris"),
        answered("4", [], "", sufficient=False),
    ]
    record(tmp_path / "f.jsonl.gz", MANIFEST, rows)
    return tmp_path / "f.jsonl.gz"


def altered(file: Path, change) -> None:
    lines = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    change(lines)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    file.write_bytes(gzip.compress(text.encode()))


def test_answers_are_counted_from_what_was_said_and_expected(file):
    [one] = recompute(file)["measurements"]
    values = {name: found["value"] for name, found in one["measures"]["basic"].items()}
    assert values == {
        "em": 0.5,
        "f1": round((1 + 2 / 3) / 2, 4),
        "containment": 1.0,
        "sufficient": 1.0,
        "refused": 0.5,
        "calls": 2.0,
        "tokens": 100.0,
    }


@pytest.mark.slow
def test_a_figure_that_its_outputs_do_not_give_is_told(file, run):
    assert run("evaluate", "recompute", str(file)).code == 0
    altered(file, lambda lines: lines[1].update(answer="Bonn"))
    ended = run("evaluate", "recompute", str(file))
    assert ended.code == 1 and "basic, em: 0.5 is told, 0.0 counted" in ended.err


@pytest.mark.slow
def test_a_later_run_has_to_be_within_the_intervals(file, run, tmp_path):
    new = tmp_path / "new.jsonl.gz"
    rows = [answered(str(n), ["Berlin"], "Berlin") for n in range(4)]
    record(new, MANIFEST, rows)
    assert run("evaluate", "recompute", str(file), "--against", str(new)).code == 0
    record(new, MANIFEST, [{**row, "answer": "x", "sufficient": False} for row in rows])
    ended = run("evaluate", "recompute", str(file), "--against", str(new))
    assert ended.code == 1 and "basic, containment: 0.0, not" in ended.err


def test_the_same_command_takes_the_place_of_its_earlier_measurement(file):
    record(file, MANIFEST, [answered("1", ["Berlin"], "Berlin")])
    record(file, MANIFEST.model_copy(update={"command": "ragraphs y"}), [])
    assert [(one.manifest.command, len(one.outputs)) for one in read_figures(file)] == [
        ("ragraphs x", 1),
        ("ragraphs y", 0),
    ]


@pytest.mark.parametrize(
    "content", [b"", b"text", gzip.compress(b'{"method": "basic"}\n', mtime=0)]
)
def test_a_file_of_something_else_is_refused_in_a_sentence(run, tmp_path, content):
    (tmp_path / "f.gz").write_bytes(content)
    ended = run("evaluate", "recompute", str(tmp_path / "f.gz"))
    assert ended.code == 1 and "holds no outputs that --record wrote" in ended.err


@pytest.mark.slow
def test_rankings_and_answers_are_recorded_with_how_they_were_made(run):
    write_set()
    found = json.loads(run("evaluate", "retrieval", *ASKED, "--retriever", "lexical", "--json").out)
    run("evaluate", "answers", *ASKED, "--method", "basic")
    first, second = recompute(Path("f.jsonl.gz"))["measurements"]
    assert first["command"].startswith("ragraphs evaluate retrieval set --embeddings lexical")
    assert first["set"] == "set" and len(first["sha256"]) == 64 and first["notes"] == []
    assert first["sha256"] == second["sha256"] and "Python" in first["machine"]
    recalls = {k: first["measures"]["lexical"][f"recall@{k}"]["value"] for k in (2, 20)}
    assert recalls == {k: found["recall"][str(k)] for k in (2, 20)}
    assert second["measures"]["basic"]["em"]["n"] == 3


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("lab/data/f.jsonl.gz", "lab/data/f.jsonl.gz"),
        ("/home/me/my sets/musique", "musique"),
        ("/musique", "musique"),
        ("../../sets/musique/", "musique/"),
        ("~/sets/musique", "musique"),
        ("--record=/sets/f.gz", "--record=f.gz"),
        ("fastembed:some/MiniLM@/models/x", "fastembed:some/MiniLM@x"),
        ("openai:meta/llama", "openai:meta/llama"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
    ],
)  # fmt: skip
def test_the_command_tells_relative_paths_whole_and_no_folder_of_the_machine(
    monkeypatch, given, kept
):
    monkeypatch.setattr("sys.argv", ["ragraphs", "evaluate", given])
    assert shlex.split(manifest_of("set", []).command) == ["ragraphs", "evaluate", kept]


@pytest.mark.slow
def test_documents_of_an_index_that_are_not_of_the_set_are_named(run):
    write_set()
    Path("notes.md").write_text("Sheffield has a bridge as well.")
    run("index", "notes.md", "--index", "idx", "--embeddings", "lexical")
    shown = run("evaluate", "retrieval", *ASKED, "--retriever", "lexical")
    assert OTHERS in " ".join(shown.err.split())
    [one] = recompute(Path("f.jsonl.gz"))["measurements"]
    assert "notes.md" in one["notes"][0]
    varied = ("--method", "basic", "--vary", "top_k=1", "--index", "idx", "--retrieval")
    assert OTHERS in " ".join(run("evaluate", "curve", "set", *varied).err.split())


def test_an_unwritable_place_is_refused_before_anything_is_measured(run):
    write_set()
    ended = run("evaluate", "retrieval", "set", "--record", "no/f.jsonl.gz")
    assert ended.code == 1 and "name a file in a folder that exists" in ended.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "method", "told"),
    [
        (
            "answers_musique",
            "basic",
            "| always basic | {em} | {f1} | {calls:.1f} | {tokens:,.0f} |",
        ),
        (
            "answers_musique",
            "deeprag",
            "| always deeprag | {em} | {f1} | {calls:.1f} | {tokens:,.0f} |",
        ),
        (
            "answers_musique",
            "hoprag",
            "| always hoprag | {em} | {f1} | {calls:.1f} | {tokens:,.0f} |",
        ),
        ("answers_2wiki", "basic", "basic and the cascade have {em} EM"),
        ("retrieval_hotpotqa", "graph", "| HotpotQA | graph | {recall2} ("),
        ("retrieval_musique", "graph", "| MuSiQue | graph | {recall2} ("),
        ("retrieval_2wiki", "graph", "| 2WikiMultiHopQA | graph | {recall2} ("),
        ("graphrag_bench_medical", "router", "| all | 24 | {accuracy} (51–67) | {coverage} |"),
        (
            "graphrag_bench_medical_brief",
            "router",
            "| all | 48 | {accuracy} (67–78) | {coverage} (",
        ),
        (
            "graphrag_bench_medical_sentence",
            "router",
            "| all | 48 | {accuracy} (68–80) | {coverage} (",
        ),
        (
            "graphrag_bench_medical_short",
            "router",
            "| all | 45 | {accuracy} (71–83) | {coverage} (",
        ),
    ],
)
def test_figures_of_the_benchmarks_are_counted_again_from_their_outputs(name, method, told):
    root = Path(__file__).parents[2]
    result = recompute(root / "lab/data/figures" / f"{name}.jsonl.gz")
    assert result["differ"] == []
    [one] = [one for one in result["measurements"] if method in one["measures"]]
    found = {measure: value["value"] for measure, value in one["measures"][method].items()}
    shares = {name.replace("@", ""): f"{100 * (value or 0):.1f}" for name, value in found.items()}
    costs = {name: found[name] for name in ("calls", "tokens") if name in found}
    line = told.format(**{**shares, **costs})
    assert line in (root / "docs/benchmarks.md").read_text(encoding="utf-8")
