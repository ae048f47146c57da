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
    script.answers["CheckedClaims"] = lambda human: {
        "claims": [{"claim": one, "texts": [], "verdict": "not said"} for one in ("A.", "B b.")]
    }
    listed = experiment("lazy", "kept.json", "--recorded", "--claims", *asked[4:])
    assert listed.code == 0, listed.err
    assert script.counts["CheckedClaims"] == 3 * 2
    counted = json.loads(experiment("lazy", "kept.json", "--recorded", "--json").out)
    assert [one["claims"]["value"] for one in counted["conditions"]] == [2, 2]
    other = experiment(*asked, "--condition", "text", "--dry-run")
    assert json.loads(other.out)["conditions"] == ["text", "ss"]


def recorded(experiment, name):
    file = Path(__file__).parents[3] / "lab/data/podcasts" / f"{name}.json"
    return json.loads(experiment("lazy", str(file), "--recorded", "--json").out)


def in_benchmarks(row):
    """The cells of the first row of the benchmarks' tables that begins with ``row``."""
    told = (Path(__file__).parents[3] / "docs/benchmarks.md").read_text(encoding="utf-8")
    section = told.split("### Answers about the whole against vector search")[1]
    found = re.search(rf"^\| {row}.*$", section, re.MULTILINE)
    return [cell.strip() for cell in found[0].strip("|").split("|")[1:]]


def test_recorded_comparisons_are_whole_and_say_what_the_benchmarks_say(experiment):
    for place, name in enumerate(("global", "global_c2", "lazy", "lazy_passages")):
        found = recorded(experiment, name)
        assert (found["questions"], found["verdicts"]["given"]) == (12, 12 * 2 * 4)
        for one in found["comparisons"]:
            value, low, high = (f"{100 * one[key]:.1f}" for key in ("win_rate", "low", "high"))
            assert in_benchmarks(one["criterion"])[place] == f"{value} ({low}–{high})"
        if claims := found["conditions"][0].get("claims"):
            value, low, high = (f"{claims[key]:.1f}" for key in ("value", "low", "high"))
            assert in_benchmarks("claims an answer")[place] == f"{value} ({low}–{high})"


def test_lazy_answers_beat_vector_search_at_a_small_share_of_the_tokens(experiment):
    found = recorded(experiment, "lazy_passages")
    low = {one["criterion"]: one["low"] for one in found["comparisons"]}
    assert low["comprehensiveness"] >= 0.6 and low["diversity"] >= 0.6
    assert found["plan"]["share"] <= 0.1


def test_two_forms_of_an_answer_of_the_same_length_are_compared(experiment):
    found = recorded(experiment, "lazy_before")
    today, before = (one["words"] for one in found["conditions"])
    assert abs(today - before) < 1
    assert found["comparisons"][0]["win_rate"] == pytest.approx(2 / 3, abs=1e-4)


def test_a_file_that_was_not_kept_is_refused_in_a_sentence(experiment):
    Path("other.json").write_text("[]")
    ended = experiment("lazy", "other.json", "--recorded")
    assert ended.code == 1 and "is no comparison that was kept" in ended.err
