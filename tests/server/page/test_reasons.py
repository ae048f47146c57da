"""The reasons why uploaded files wait, as a process keeps them."""

from __future__ import annotations

import pytest
from ragraphs.server.page import pending


@pytest.mark.slow
def test_paths_that_clients_make_up_are_kept_in_a_bounded_number() -> None:
    made_up = [f"up/ix/{number}.md" for number in range(3000)]
    pending.note_reason([*made_up, "up/ix/" + "x" * 100_000], "There is no such file.")
    try:
        assert len(pending._reasons) <= 1000
        assert max(map(len, pending._reasons)) < 100
        assert made_up[-1] in pending._reasons
    finally:
        pending.note_reason(made_up, "")
