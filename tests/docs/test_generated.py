"""The parts of the documentation that scripts write are those that the scripts write."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from command_line import Run
from doc_pages import QUICKSTARTS, READMES, ROOT, text_of
from drawings import GRAPHS, graph_of, to_svg
from method_lists import with_graphs, with_routes, with_table
from outputs import with_outputs
from settings_page import settings_page


@pytest.mark.parametrize("name", GRAPHS)
def test_a_drawing_is_of_the_graph_as_it_is(name: str) -> None:
    drawn = (ROOT / "docs/images" / f"{name}.svg").read_text("utf-8")
    assert drawn == to_svg(graph_of(name), f"The graph {name}"), "run: make docs"


@pytest.mark.parametrize("edge", [("grade", "refine"), ("grade", "rewrite"), ("refine", "merge")])
def test_the_graph_of_crag_shows_both_branches(edge: tuple[str, str]) -> None:
    assert edge in {(one.source, one.target) for one in graph_of("crag").edges}


@pytest.mark.slow
def test_the_page_of_settings_is_of_the_settings_as_they_are() -> None:
    assert text_of("docs/settings.md") == settings_page(), "run: make docs"


@pytest.mark.parametrize(
    ("file", "written"),
    [
        ("langgraph.json", with_graphs),
        ("docs/methods/index.md", with_table),
        ("docs/methods/router.md", with_routes),
    ],
)
def test_the_lists_of_methods_are_of_the_records(file: str, written: Callable[[str], str]) -> None:
    assert text_of(file) == written(text_of(file)), "run: make docs"


@pytest.mark.slow
def test_the_outputs_that_pages_show_are_those_of_the_commands(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("demo")
    monkeypatch.chdir("bridges")
    for page in [*READMES, *QUICKSTARTS]:
        text = text_of(page)
        assert "$ ragraphs ask" in text
        assert with_outputs(text, lambda command: run(*command).out) == text, "run: make docs"
