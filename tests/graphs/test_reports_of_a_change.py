"""Reports answer until the reports of a changed hierarchy are there and take their place."""

from __future__ import annotations

from typing import Any

import pytest
from communities_support import MODEL, Script, build, clustered
from ragraphs.context import GraphragContext
from ragraphs.graphs.graphrag import graph
from ragraphs.index import communities
from ragraphs.index.copying import copy_index
from ragraphs.index.hierarchy import is_begun
from ragraphs.state.errors import UnexpectedError
from ragraphs.stores import tables
from ragraphs.stores.communities_beside import BESIDE
from ragraphs.views.communities import listed
from ragraphs.views.status import describe, export_lines
from raw_sql import sql
from snapshots import Snapshots

from lab.living.comparing import rows_of

FEW = clustered(20)
ADDED = clustered(30)[20:]
BEFORE = "before the last change"


@pytest.fixture
def model(openai: Any) -> Script:
    return Script(openai)


@pytest.fixture
def built(indexing: Any, model: Script, snapshots: Snapshots) -> Any:
    snapshots.fill(indexing.name, lambda: build(indexing, FEW))
    return indexing


class KilledError(Exception):
    """Stands for the end of a process."""


def killed(indexing: Any, given: Any, **context: Any) -> None:
    """A run that ends before it has written a report."""

    def die(*_: Any) -> None:
        raise KilledError

    with pytest.MonkeyPatch.context() as patch, pytest.raises(UnexpectedError, match="KilledError"):
        patch.setattr(communities._Reporting, "__init__", die)
        build(indexing, given, **context)


def asked(indexing: Any, search: Any) -> Any:
    context = GraphragContext(index=indexing.name, model=MODEL, search=search, max_retries=0)
    return graph.invoke({"question": "Who knows whom?"}, context=context)


def told(indexing: Any) -> Any:
    """All that is told of the communities: listed, exported and answered."""
    lines = [line for line in export_lines(indexing.index) if '"community"' in line]
    found = asked(indexing, "global")
    return listed(indexing.index), lines, found["citations"], found["answer"]


def warned(indexing: Any, search: Any) -> list[str]:
    return [one for one in asked(indexing, search)["warnings"] if "eport" in one]


def beside(indexing: Any) -> int:
    return sum(len(rows_of(indexing.index, table)) for table in BESIDE)


@pytest.mark.slow
def test_reports_answer_until_those_of_an_interrupted_run_are_there(built, other):
    before = told(built)
    assert all(before) and asked(built, "drift")["citations"]
    killed(built, ADDED)
    built.index.kept.clear()  # as another process sees it
    assert told(built) == before and asked(built, "drift")["citations"]
    for search in ("global", "global", "drift", "local"):
        assert any(BEFORE in one for one in warned(built, search))
    (lack,) = [one for one in describe(built.index)["lacks"] if "Reports" in one["says"]]
    assert lack["mend"] == f"ragraphs index --index {built.name}"
    build(built)
    build(other, FEW)
    build(other, ADDED)
    assert built.export() == other.export()
    assert not is_begun(built.index) and not beside(built) and not warned(built, "global")
    assert told(built) != before and not describe(built.index)["lacks"]
    assert built.index.vectors.ids("reports") == other.index.vectors.ids("reports")


@pytest.mark.slow
def test_reports_answer_while_others_are_written(built, model):
    before, during = told(built), []
    write = model.communityreport

    def looked(human: str) -> Any:
        during.append((listed(built.index), is_begun(built.index)))
        return write(human)

    model.answers["CommunityReport"] = looked
    build(built, ADDED)
    assert during and all(seen == (before[0], True) for seen in during)
    assert listed(built.index) != before[0] and not is_begun(built.index)


def test_what_takes_the_place_has_its_vectors_already(built, monkeypatch):
    seen, put = [], communities.put_in_use

    def looked(*given: Any) -> None:
        put(*given)
        entries = filter(None, map(communities._entry, built.index.communities.all()))
        seen.append({one.id for one in entries} <= built.index.vectors.ids("reports"))

    monkeypatch.setattr(communities, "put_in_use", looked)
    build(built, ADDED)
    assert seen == [True]


@pytest.mark.slow
def test_a_change_that_is_taken_back_leaves_no_hierarchy_beside(built):
    before = built.export()
    killed(built, ADDED)
    assert beside(built)
    built.index.catalogue.remove_documents([one["id"] for one in ADDED])
    build(built)
    assert built.export() == before
    assert not is_begun(built.index) and not beside(built)


@pytest.mark.slow
def test_a_repair_that_is_interrupted_is_ended_by_the_next_run(built):
    before = told(built)
    killed(built, (), repair=True)
    assert is_begun(built.index) and told(built) == before
    build(built)
    assert not is_begun(built.index) and not beside(built)


@pytest.mark.slow
def test_nothing_of_a_removed_document_stays_in_reports(built):
    gone = FEW[0]["title"]
    built.index.catalogue.remove_documents([one["id"] for one in FEW if gone in one["text"]])
    killed(built, ())
    build(built)
    reports = [one.report for one in built.index.communities.all()]
    assert reports and not any(gone in str(report) for report in reports)
    assert not beside(built)


@pytest.mark.slow
@pytest.mark.in_folder("a folder is copied by its name")
def test_a_copy_goes_on_where_a_run_was_interrupted(built, tmp_path):
    killed(built, ADDED)
    copy_index(built.name, str(tmp_path / "copied"))
    copied = type(built)(built.folder, "copied")
    assert told(copied) == told(built)
    build(built)
    build(copied)
    assert copied.export() == built.export() and not is_begun(copied.index)


@pytest.mark.slow
@pytest.mark.in_folder("an earlier version kept its tables in a file")
def test_an_index_without_the_tables_answers_and_gets_them(built):
    before = told(built)
    with built.index.engine.begin() as connection:
        for table in (tables.communities_beside, tables.community_members_beside):
            sql(connection, f"DROP TABLE {table.name}")
    assert told(built) == before
    build(built, ADDED)
    assert told(built) != before and not beside(built)


@pytest.mark.slow
def test_communities_that_an_earlier_version_left_without_a_report_are_told_each_time(built):
    with built.index.engine.begin() as connection:
        sql(connection, "UPDATE communities SET title = NULL, summary = NULL, findings = NULL")
    built.index.kept.clear()
    built.index.catalogue.set_property("reported", "earlier")
    for search in ("global", "global", "drift"):
        assert any("have no report yet" in one for one in warned(built, search))
    says = [one["says"] for one in describe(built.index)["lacks"]]
    assert says == [f"Communities without a report: {built.index.communities.count()}."]
    build(built)
    assert not warned(built, "drift") and not describe(built.index)["lacks"]
