"""``ragraphs plan``."""

from __future__ import annotations

import json


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
