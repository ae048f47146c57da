"""Results of evaluations over HTTP: the list, the plots of one, its figures as a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from ragraphs import IndexContext, index_graph
from ragraphs.evaluation.plots import bars
from ragraphs.evaluation.results import keep
from ragraphs.server.alone import app
from ragraphs.settings import settings
from snapshots import Snapshots
from starlette.testclient import TestClient

DAY = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
PLOT = bars("F1", {"methods": [{"name": "basic", "value": 0.5}, {"name": "CRAG", "value": None}]})


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshots: Snapshots) -> Path:
    """A folder with the index ``notes``, and another one that is not open."""
    monkeypatch.setenv("RAGRAPHS_ROOT", str(tmp_path))
    monkeypatch.setenv("RAGRAPHS_INDEX", "notes")
    monkeypatch.setenv("RAGRAPHS_INDEXES", "empty")
    settings.cache_clear()
    documents = [{"id": "a", "text": "The Forth Bridge was designed by John Fowler."}]
    context = IndexContext(index="notes", embeddings="lexical")
    given = {"documents": documents}
    snapshots.fill(str(tmp_path / "notes"), lambda: index_graph.invoke(given, context=context))
    keep(tmp_path / "secret", "answers", {}, [PLOT], DAY)
    return tmp_path


@pytest.fixture
def page(root: Path) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def test_the_list_has_the_newest_result_first_and_none_at_the_beginning(page, root):
    assert page.get("/page/evaluations").json() == {"evaluations": []}
    first = keep(root / "notes", "answers", {"em": 1}, [PLOT], DAY)
    second = keep(root / "notes", "judge", {}, [], DAY.replace(hour=13))
    listed = page.get("/page/evaluations").json()["evaluations"]
    assert [one["name"] for one in listed] == [second, first]
    assert listed[1] == {
        "name": first,
        "experiment": "answers",
        "made": "2026-11-23T12:00:00+00:00",
        "titles": ["F1"],
    }


def test_a_result_comes_with_its_plots_and_its_figures_as_a_file(page, root):
    name = keep(root / "notes", "answers", {"outcomes": [1, "경복궁"]}, [PLOT], DAY)
    found = page.get("/page/evaluation", params={"name": name}).json()
    assert found["plots"] == [PLOT] and found["titles"] == ["F1"] and "result" not in found
    figures = page.get("/page/evaluation/figures", params={"name": name})
    assert figures.json() == {"outcomes": [1, "경복궁"]}
    assert figures.headers["Content-Type"] == "application/json"
    assert figures.headers["Content-Disposition"] == f'attachment; filename="{name}.json"'


def test_folders_of_the_operator_are_not_named(page, root):
    name = keep(root / "notes", "answers", {"set": f"{root}/sets/own"}, [bars(f"{root}", {})], DAY)
    for path in ("evaluation", "evaluation/figures"):
        answer = page.get(f"/page/{path}", params={"name": name})
        assert answer.status_code == 200 and str(root) not in answer.text
    assert "sets/own" in answer.text


def test_what_is_no_number_counts_as_not_measured(page, root):
    plot = bars("F1", {"methods": [{"name": "basic", "value": float("nan")}]})
    name = keep(root / "notes", "answers", {}, [plot], DAY)
    found = page.get("/page/evaluation", params={"name": name}).json()
    assert found["plots"][0]["groups"] == {"methods": [{"name": "basic", "value": None}]}


@pytest.mark.parametrize("path", ["evaluation", "evaluation/figures"])
@pytest.mark.parametrize("name", ["", "none", "../../secret/evaluations/answers", 'a"\r\nb: c'])
def test_a_result_that_is_not_there_is_said_in_a_sentence(page, root, path, name):
    answer = page.get(f"/page/{path}", params={"name": name})
    assert answer.status_code == 422 and "There is no result" in answer.json()["detail"]
    assert str(root) not in answer.text


def test_results_of_an_index_that_is_not_open_are_not_shown(page):
    answer = page.get("/page/evaluations", params={"index": "secret"})
    assert answer.status_code == 422 and "not open" in json.dumps(answer.json())
    assert page.get("/page/evaluations", params={"index": "empty"}).status_code == 404
    assert page.get("/page/evaluations", headers={"Host": "evil.example.com"}).status_code == 421
