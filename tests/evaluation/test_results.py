"""Results of evaluations, kept with an index."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from datetime import UTC, datetime
from pathlib import Path

import pytest
from ragraphs.evaluation.drawing import draw
from ragraphs.evaluation.plots import bars
from ragraphs.evaluation.results import heads, keep, kept
from ragraphs.state.errors import RagraphsError

PLOT = bars("recall", {"hybrid": [{"name": "@5", "value": 0.5, "low": 0.4, "high": 0.7}]})
DAY = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


def texts_of(plots) -> set[str | None]:
    """The texts of a drawing."""
    draw(Path("drawn.svg"), plots)
    tag = "{http://www.w3.org/2000/svg}text"
    return {text.text for text in ElementTree.parse("drawn.svg").iter(tag)}


def test_a_result_is_listed_newest_first_and_read_again():
    first = keep(Path("an index"), "answers", {"em": 0.5}, [PLOT], DAY)
    second = keep(Path("an index"), "judge", [1], [], DAY.replace(hour=13))
    assert [head["name"] for head in heads(Path("an index"))] == [second, first]
    found = kept(Path("an index"), first)
    assert found is not None
    assert (found["result"], found["plots"], found["titles"]) == ({"em": 0.5}, [PLOT], ["recall"])


def test_other_files_and_names_out_of_the_folder_are_no_results():
    keep(Path("an index"), "answers", {}, [], DAY)
    Path("an index/evaluations/torn.json").write_text('{"name": ')
    Path("an index/evaluations/list.json").write_text("[]")
    Path("an index/secret.json").write_text(json.dumps({"name": "secret"}))
    assert len(heads(Path("an index"))) == 1
    assert kept(Path("an index"), "../secret") is None
    assert kept(Path("an index"), "torn") is None
    assert heads(Path("nowhere")) == []


def test_a_folder_that_cannot_be_written_is_one_sentence():
    Path("an index").write_text("a file")
    with pytest.raises(RagraphsError, match=r"cannot be kept .*; print it with --json"):
        keep(Path("an index"), "answers", {}, [], DAY)


@pytest.mark.slow
@pytest.mark.parametrize("experiment", ["retrieval", "answers"])
def test_a_command_with_an_index_keeps_its_result(run, question_set, experiment):
    asked = ("evaluate", experiment, "set", *(["--method", "basic"] * (experiment == "answers")))
    shown = json.loads(run(*asked, "--index", "own", "--json").out)
    [head] = heads(Path("own"))
    found = kept(Path("own"), head["name"])
    assert found is not None and found["result"] == shown
    assert head["experiment"] == experiment and head["titles"][0].startswith("set, ")
    assert run(*asked).code == 0 and len(heads(Path("own"))) == 1


@pytest.mark.slow
def test_every_kind_of_plot_can_be_drawn():
    curves = {"a & b": [{"x": 1, "y": 0.2}, {"x": 2, "y": 0.4, "low": 0.3, "high": 0.5}], "c": []}
    lines = {"kind": "curves", "title": "lines", "joined": True, "curves": curves, "x_label": "k",
             "y_label": "F1", "x_unit": "number", "y_unit": "share"}  # fmt: skip
    wins = {"kind": "matrix", "title": "wins", "unit": "share", "rows": ["r1", "r2"],
            "columns": ["c1", "c2"], "values": [[None, 0.75], [0.25, None]]}  # fmt: skip
    nothing = bars("nothing measured", {"none": [{"name": "x", "value": None}], "no bars": []})
    assert {
        "recall",
        "lines",
        "wins",
        "nothing measured",
        "a & b",
        "75%",
        "25%",
        "r1",
        "c2",
        "@5",
    } <= texts_of([PLOT, lines, wins, nothing])


@pytest.mark.slow
def test_a_drawing_has_the_names_of_groups_and_the_figure_of_each_bar():
    outside = {"name": "EM", "value": 0.4, "low": 0.45, "high": 0.6}  # as a bootstrap may find it
    groups = {"basic": [outside], "CRAG": [{"name": "EM", "value": None}]}
    texts = texts_of([bars("answers", groups), bars("", {"": []})])
    assert {"answers", "basic", "CRAG", "EM", "40%", "not measured"} <= texts


@pytest.mark.slow
@pytest.mark.parametrize(("tokens", "label"), [(29, "tokens"), (30, "tokens (logarithmic)")])
def test_values_far_apart_are_drawn_on_a_logarithmic_axis(tokens, label):
    curves = {"a": [{"x": 1, "y": 2}], "b": [{"x": tokens, "y": 0, "name": "a spot"}]}
    points = {"kind": "curves", "title": "costs", "joined": False, "curves": curves,
              "x_label": "tokens", "y_label": "cost", "x_unit": "number",
              "y_unit": "dollars"}  # fmt: skip
    assert {label, "cost", "a", "b", "$2"} <= texts_of([points])


def test_a_missing_library_is_one_sentence_before_anything_is_asked(
    run, question_set, openai, monkeypatch
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "ragraphs.evaluation.drawing")
    ended = run("evaluate", "closed-book", "set", "--model", "openai:stub", "--plot", "known.svg")
    assert (ended.code, openai.requests) == (1, [])
    assert ended.err.endswith("run: pip install 'ragraphs[evaluate]'\n")
