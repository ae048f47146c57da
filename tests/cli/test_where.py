"""Filters on the command line."""

from __future__ import annotations

import json

import pytest
from command_line import Run

DOCUMENTS = [
    {"id": "forth", "title": "Forth Bridge", "text": "It was designed by John Fowler."},
    {"id": "tay", "title": "Tay Bridge", "text": "It was designed by Thomas Bouch."},
]


def indexed(run: Run) -> None:
    rows = [{**row, "year": year} for row, year in zip(DOCUMENTS, (1890, 1878), strict=True)]
    with open("bridges.jsonl", "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    assert run("index", "bridges.jsonl").code == 0


@pytest.mark.slow
def test_every_condition_must_hold(run: Run) -> None:
    indexed(run)
    flags = ["--where", "year>=1800", "--where", "year<1890", "--where", "title=Tay Bridge,Other"]
    ended = run("ask", "Who designed the bridge?", *flags, "--json")
    answer = json.loads(ended.out)
    assert [one["document"] for one in answer["evidence"]] == ["bridges.jsonl#tay"]
    assert answer["evidence"][0]["metadata"]["year"] == 1878


def test_a_condition_that_cannot_be_read_is_wrong_usage(run: Run) -> None:
    ended = run("ask", "Who?", "--where", "year")
    assert ended.code == 2
    assert "--where 'year' is no condition; write for example author=Ada" in ended.err


def test_where_no_passage_meets_the_conditions_that_is_told_once_and_first(run: Run) -> None:
    indexed(run)
    told = run("ask", "Who designed the bridge?", "--where", "yaer>=1800")
    assert told.out.startswith("No passage of the index has the key 'yaer' of the filter;")
    assert "year" in told.out and "speaks of it" not in told.out and "Note:" not in told.err
    flags = ("--where", "year<1800", "--verify")
    told = run("ask", "John Fowler designed it.", *flags)
    assert told.out.startswith("No passage of the index meets the filter.") and not told.err
