"""A person who waits at the terminal is told how long."""

from __future__ import annotations

import re
import time

from ragraphs.cli.running import ElapsedTime


def test_the_seconds_of_a_wait_are_told_where_they_are_many() -> None:
    began = time.monotonic()
    assert ElapsedTime("asking", began + 60).__rich__() == "asking"
    assert re.fullmatch(r"asking, for 3\d s", ElapsedTime("asking", began - 31).__rich__())
