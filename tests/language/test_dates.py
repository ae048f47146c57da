"""Dates in texts and names, and the times that questions ask for."""

from __future__ import annotations

import pytest
from ragraphs.language.dates import as_date, date_of_name
from ragraphs.language.times import time_asked


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("minutes-2024-01-04", "2024-01-04"),
        ("IMG_20240104_1200", "2024-01-04"),
        ("Board meeting, September 9, 2021", "2021-09-09"),
        ("13-Apr-2021", "2021-04-13"),
        ("04.01.2024", "2024-01-04"),
        ("3/14/2024", "2024-03-14"),
        ("03/04/2024", "2024"),
        ("2021-02-council-update", "2021-02"),
        ("2024년 1월 4일 회의록", "2024-01-04"),
        ("report-2023", "2023"),
        ("The 2038 problem", ""),
        ("2024-13-45", ""),
        ("1234567", ""),
    ],
)
def test_names_tell_a_date_only_where_it_is_sure(name: str, date: str) -> None:
    assert date_of_name([name]) == date


def test_a_title_may_be_more_exact_than_the_files_name() -> None:
    assert date_of_name(["2024-01-board", "Meeting of January 11, 2024"]) == "2024-01-11"
    assert date_of_name(["2024-01-board", "Meeting of March 11, 2023"]) == "2024-01"


def test_fields_hold_dates_in_many_forms_or_none() -> None:
    assert as_date("2024-01-04T10:00:00") == "2024-01-04T10:00:00"
    assert as_date("Thu, 04 Jan 2024 10:00:00 +0000") == "2024-01-04"
    assert (as_date(2024), as_date("soon"), as_date(None)) == ("2024", "", "")


@pytest.mark.parametrize(
    ("question", "ranges", "order"),
    [
        ("What was decided in January 2024?", [("2024-01", "2024-01")], ""),
        ("Who came on the 9th of July?", [("2025-07-09", "2025-07-09")], ""),
        ("What was the balance in March?", [("2026-03", "2026-03")], ""),
        ("Who was new between March and May 2021?", [("2021-03", "2021-05")], ""),
        ("Which grants came since March 2023?", [("2023-03", "")], ""),
        ("Which grants came before 2020?", [("", "2019-12-31")], ""),
        ("What happened in Q3 2023?", [("2023-07", "2023-09")], ""),
        ("What was planned last year?", [("2025", "2025")], ""),
        ("Who led the last meeting of 2022?", [("2022", "2022")], "newest"),
        ("When was the trademark first discussed?", [], "oldest"),
        ("2024년 1월 회의에서 무엇을 결정했나?", [("2024-01", "2024-01")], ""),
        ("2021년 1월부터 3월까지의 결정은?", [("2021-01", "2021-03")], ""),
        ("2023년 3월 이후의 보조금은?", [("2023-03", "")], ""),
        ("최근 회의에 누가 참석했나?", [], "newest"),
        ("지난 회의의 안건은?", [], "newest"),
        ("첫 회의는 누가 이끌었나?", [], "oldest"),
    ],
)
def test_questions_name_times_from_the_newest_document_on(
    question: str, ranges: list[tuple[str, str]], order: str
) -> None:
    asked = time_asked(question, "2026-03-12")
    assert asked is not None
    assert (asked.ranges, asked.order) == (ranges, order)


@pytest.mark.parametrize(
    "question",
    [
        "How do I get the last element of a list?",
        "What does the first argument mean?",
        "How is the most recently used item evicted?",
        "May I march on?",
        "Who organises PyCon Europe 2025?",
        "사용자는 누구인가?",
    ],
)
def test_other_questions_name_no_time(question: str) -> None:
    assert time_asked(question) is None
