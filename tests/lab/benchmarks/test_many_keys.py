"""Many keys on a running server, as the command puts them, and what it would tell of faults."""

from __future__ import annotations

import json
import random

import httpx
import pytest

from lab.benchmarks.many_keys import Crowd, KeyHolder, KeyRequest, main


@pytest.mark.slow
def test_the_ways_of_all_holders_are_counted_and_their_quotas_kept(capsys):
    main(keys=5, requests=40)
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["statuses"]["ask"]["200"] > 1 and told["leaks"] == {}
    assert set(told["quotas"]) == {"requests", "calls", "tokens", "cost"}
    assert told["quotas"]["calls"]["taken"][0] > 0


def test_a_text_of_another_and_a_quota_that_is_passed_are_faults():
    one, other = KeyHolder("key0", "tokens", most=100), KeyHolder("key1", "none", most=0)
    crowd = Crowd("", [one, other], random.Random(0))
    with httpx.Client() as client:
        request = KeyRequest(crowd, client, 0, "ask", one, other)  # type: ignore[arg-type]
        crowd.look(request, httpx.Response(200, text=f"{one.word} {other.word}"), {})
        crowd.look(request, httpx.Response(422, text=f"no {other.word}"), {"index": other.word})
    one.takes(90, f"A prompt with {other.word}.")
    one.most_under_way = 1
    assert one.keeps
    for _ in range(2):
        one.takes(200, "Another prompt.")
    assert not one.keeps
    told = crowd.told()
    assert told["leaks"] == {"ask: a text of another index": 1, "prompts": 1}
    assert told["statuses"] == {"ask": {"200": 1, "422": 1}}
