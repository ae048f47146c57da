"""The drawings in the READMEs are those of the graphs."""

from pathlib import Path

import pytest
from ragraphs.graphs.__main__ import with_drawings

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("readme", ["README.md", "README.ko.md"])
def test_drawings_in_the_readme_are_up_to_date(readme: str) -> None:
    text = (ROOT / readme).read_text(encoding="utf-8")
    assert text.count("```mermaid") >= 2
    assert with_drawings(text) == text, f"run: python -m ragraphs.graphs {readme}"


def test_make_draws_into_both_readmes() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "-m ragraphs.graphs README.md README.ko.md\n" in makefile


@pytest.mark.parametrize("edge", ["grade -.-> refine;", "grade -.-> rewrite;", "refine --> merge;"])
def test_the_drawing_of_crag_shows_both_branches(edge: str) -> None:
    drawn = with_drawings("<!-- drawing: crag -->\n<!-- end -->")
    assert edge in drawn
