"""Many clients at once on a running server, as the command puts them."""

from __future__ import annotations

import json

import pytest

from lab.benchmarks.load import main
from lab.benchmarks.synthetic import main as write_set


@pytest.mark.slow
def test_questions_health_and_notes_are_timed_and_refusals_counted(tmp_path, capsys):
    write_set(tmp_path / "set", passages=20, questions=10)
    main(str(tmp_path / "set"), clients=6, seconds=5, questions_at_once=1)
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["ask"]["200"] > 1 and told["ask"]["503"] > 0 and told["ask"]["p99"] > 0
    assert told["health"]["200"] > 1 and told["note"]["200"] > 0
