"""The drawings in the README are those of the graphs."""

from pathlib import Path

import pytest
from ragraphs.graphs.__main__ import with_drawings

README = Path(__file__).parents[2] / "README.md"


def test_drawings_in_the_readme_are_up_to_date() -> None:
    text = README.read_text(encoding="utf-8")
    assert text.count("```mermaid") >= 2
    assert with_drawings(text) == text, "run: python -m ragraphs.graphs README.md"


@pytest.mark.parametrize("edge", ["grade -.-> refine;", "grade -.-> rewrite;", "refine --> merge;"])
def test_the_drawing_of_crag_shows_both_branches(edge: str) -> None:
    drawn = with_drawings("<!-- drawing: crag -->\n<!-- end -->")
    assert edge in drawn
