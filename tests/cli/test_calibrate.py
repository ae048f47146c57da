"""``ragraphs calibrate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.mark.slow
def test_a_grader_is_fitted_and_shown(run):
    Path("docs").mkdir()
    for n, name in enumerate("Ada Bert Carl Dora Emil Fritz Gerda Hanna".split()):
        text = f"{name} Lind was born in {1850 + n}. {name} Lind built the {name} Bridge in Ulm."
        Path(f"docs/{n}.txt").write_text(text)
    assert run("index", "docs", "--layers", "hops", "--embeddings", "lexical", "-y")[0] == 0
    code, out, err = run("calibrate", "--json")
    assert (code, err) == (0, "")
    fitted = json.loads(out)
    assert fitted["questions"] >= 20 and fitted["embeddings"] == "lexical"
    code, out, _ = run("calibrate")
    assert code == 0 and "with the passage  correct" in out
    assert run("ask", "Who built the Ada Bridge?", "--method", "crag")[0] == 0


def test_without_hops_the_layer_to_build_is_named(run):
    Path("a.txt").write_text("Ada Lind was born in 1850.")
    run("index", "a.txt", "--embeddings", "lexical", "--layers", "passages")
    code, _, err = run("calibrate")
    assert code == 1 and "ragraphs index --layers hops" in err
