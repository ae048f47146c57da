"""Trials run apart: whatever goes wrong in one is told, and the next one is made."""

from __future__ import annotations

import itertools
import random

import pytest
from attack_parts import PART

from lab.attack.table import faults, table
from lab.attack.trials import TrialRow, attacked

_EXPECTED = {0: [], 1: ["hang"], 2: ["crash"], 3: ["broken"]}


@pytest.fixture(scope="module")
def rows() -> list[TrialRow]:
    return sorted(attacked(PART, 0, itertools.count(), 8, 2), key=lambda row: row.number)


def test_a_hang_a_death_and_an_error_are_told_and_the_next_trial_is_made(rows):
    assert [row.number for row in rows[:8]] == list(range(8))
    wrong = set()
    for row in rows:
        drawn = int(4 * random.Random(f"0 {row.number}").random())
        assert [problem["sign"] for problem in row.problems] == _EXPECTED[drawn]
        wrong.add(drawn)
    assert wrong == set(_EXPECTED)


def test_one_trial_is_repeated_by_its_number(rows):
    sound = next(row for row in rows if not row.problems)
    [again] = attacked(PART, 0, [sound.number], 1, 1)
    assert again.figures == sound.figures
    assert again.repeat == f"drawn --seed 0 --only {sound.number}"


def test_the_table_counts_trials_with_a_problem_of_each_kind(rows):
    line = table(rows).splitlines()[-1]
    hangs = sum(problem["sign"] == "hang" for row in rows for problem in row.problems)
    assert line.startswith(f"| drawn | {len(rows)} |") and f"| {hangs} |" in line
    assert any("crash: the process died (3)" in fault for fault in faults(rows))
