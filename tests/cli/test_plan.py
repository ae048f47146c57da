"""``ragraphs plan``."""

from __future__ import annotations

import json
import re

import pytest


def test_a_plan_says_stores_memory_disk_time_and_money(run):
    said = run("plan", "--passages", "1000000", "--model", "openai:gpt-4o-mini").out
    for name in ("stores", "memory", "disk", "time", "requests", "money"):
        assert f"\n{name} " in said
    assert "1,000,000 passages" in said and "PostgreSQL" in said
    assert "~" in said and "about $" in said


def test_a_plan_as_json_marks_what_goes_beyond_the_sizes_measured(run):
    found = json.loads(run("plan", "--passages", "100000000", "--json").out)
    assert found["stores"] == "engine"
    assert found["serving_memory"]["extrapolated"] is True
    assert found["money"]["dollars"] == 0


def test_a_price_that_is_not_known_is_told(run):
    said = run("plan", "--passages", "10", "--model", "openai:nobody-knows-it").out
    assert "price not known; name it with --prices" in " ".join(said.split())


@pytest.mark.slow
def test_what_is_said_of_a_part_adds_up_to_what_is_said_of_the_whole(run):
    asked = ["plan", "--passages", "3600", "--model", "openai:gpt-4o-mini"]
    said = " ".join(run(*asked).out.split())
    whole, *parts = re.search(
        r"requests ([\d,]+) \(([\d,]+) passages, ([\d,]+) names, ([\d,]+) summaries, "
        r"([\d,]+) reports\)", said
    ).groups()  # fmt: skip
    count = [int(one.replace(",", "")) for one in (whole, *parts)]
    assert count[0] == sum(count[1:]) and all(count)
    assert "the server of the vectors" not in said
    shared = " ".join(run("plan", "--passages", "1000000").out.split())
    assert "the server of the vectors" in shared
