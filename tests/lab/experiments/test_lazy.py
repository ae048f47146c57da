"""``lab.experiments lazy``: lazy answers against vector search, kept and counted anew."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from communities_support import MODEL, Script, texts_of
from judging_support import by
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph as index_graph

TOWNS = {"Harlow": ("Ada Bell", "Carl Dorn"), "Selby": ("Eva Falk", "Guy Hahn")}
DOCUMENTS = [
    {
        "id": f"{town} {name}",
        "title": town,
        "text": f"{name} built the {town} Bridge with {other}. {name} and {other} lived in {town}.",
    }
    for town, pair in TOWNS.items()
    for name, other in (pair, pair[::-1])
]


@pytest.fixture
def script(openai):
    index_graph.invoke(
        {"documents": DOCUMENTS},
        context=IndexContext(index="idx", embeddings="lexical", layers=["communities"]),
    )
    lines = [f"What is built in the towns, {n}?" for n in range(6)]
    Path("asked.csv").write_text(
        "\ufeffquestion_text,question_id\n" + "".join(f'"{one}",{one}\n' for one in lines)
    )
    script = Script(openai)
    script.answers["Verdicts"] = by(len)
    script.answers["Points"] = lambda human: {
        "points": [
            {"point": text.split(" … ")[0], "score": 90, "evidence": [id]}
            for id, _, text in texts_of(human)
        ]
    }
    return script


@pytest.mark.slow
def test_questions_are_judged_in_both_orders_and_counted_anew_from_what_was_kept(
    experiment, script
):
    asked = ("lazy", "asked.csv", "--limit", "3", "--index", "idx", "--model", MODEL, "--json")
    ended = experiment(*asked, "--keep", "kept.json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert [one["question"][-2] for one in found["asked"]] == ["0", "2", "4"]
    assert {one["name"] for one in found["conditions"]} == {"graphrag:lazy", "ss"}
    assert script.counts["Verdicts"] == 3 * 2
    rates = {one["criterion"]: one["win_rate"] for one in found["comparisons"]}
    assert len(rates) == 4 and len(set(rates.values())) == 1
    plan = found["plan"]
    assert plan["passages"] == 4 and plan["indexing"] > plan["lazy_question"] > 0
    again = experiment("lazy", "kept.json", "--recorded", "--json")
    assert json.loads(again.out)["comparisons"] == found["comparisons"]
    before = sum(script.counts.values())
    assert experiment(*asked).code == 0 and sum(script.counts.values()) == before


def test_the_recorded_comparison_is_whole_and_says_what_the_benchmarks_say(experiment):
    file = Path(__file__).parents[3] / "lab/data/podcasts/lazy.json"
    found = json.loads(experiment("lazy", str(file), "--recorded", "--json").out)
    assert (found["questions"], found["verdicts"]["given"]) == (12, 12 * 2 * 4)
    rates = {one["criterion"]: one["win_rate"] for one in found["comparisons"]}
    assert rates["comprehensiveness"] >= 0.6 and rates["diversity"] >= 0.6
    assert found["plan"]["share"] <= 0.1
    told = (file.parents[3] / "docs/benchmarks.md").read_text(encoding="utf-8")
    for criterion, rate in rates.items():
        assert re.search(rf"^\| {criterion}.*\| {100 * rate:.1f} \(", told, re.MULTILINE)


def test_the_recorded_comparison_of_reports_says_what_the_benchmarks_say(experiment):
    file = Path(__file__).parents[3] / "lab/data/podcasts/global.json"
    assert "96 verdicts" in " ".join(experiment("lazy", str(file), "--recorded").out.split())
    found = json.loads(experiment("lazy", str(file), "--recorded", "--json").out)
    told = (file.parents[3] / "docs/benchmarks.md").read_text(encoding="utf-8")
    for one in found["comparisons"]:
        low, high = (f"{100 * one[bound]:.1f}" for bound in ("low", "high"))
        row = f"{100 * one['win_rate']:.1f} ({low}–{high})"
        assert re.search(rf"^\| {one['criterion']}.*\| {re.escape(row)} \|$", told, re.MULTILINE)


def test_a_file_that_was_not_kept_is_refused_in_a_sentence(experiment):
    Path("other.json").write_text("[]")
    ended = experiment("lazy", "other.json", "--recorded")
    assert ended.code == 1 and "is no comparison that was kept" in ended.err
