"""Public names of ``import ragraphs``, and the cost of importing it."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
import textwrap
from importlib.metadata import version
from pathlib import Path

import pytest
import ragraphs
from pydantic import BaseModel

GRAPHS = ("basic", "crag", "deeprag", "graphrag", "hoprag", "index", "router", "tog2")


@pytest.mark.parametrize("name", ragraphs.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(ragraphs, name) is not None
    assert name in dir(ragraphs)


def test_the_public_names_are_sorted_and_those_that_type_checkers_see() -> None:
    assert ragraphs.__all__ == sorted(ragraphs.__all__)
    tree = ast.parse(Path(ragraphs.__file__).read_text(encoding="utf-8"))
    (checked,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname or alias.name
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen | {"__version__"} == set(ragraphs.__all__)


def test_every_graph_of_the_server_is_public() -> None:
    named = json.loads(Path(ragraphs.__file__).with_name("langgraph.json").read_text())["graphs"]
    assert set(GRAPHS) <= set(named)
    for name in GRAPHS:
        assert getattr(ragraphs, f"{name}_graph").name == name


def test_every_context_of_a_graph_is_public() -> None:
    for name in GRAPHS:
        context = getattr(ragraphs, f"{name}_graph").context_schema
        assert issubclass(context, BaseModel)
        assert getattr(ragraphs, context.__name__) is context


def test_an_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = ragraphs.nothing


def test_the_version_is_that_of_the_package() -> None:
    assert ragraphs.__version__ == version("ragraphs")


def test_importing_the_package_imports_none_of_its_rooms() -> None:
    script = "import sys, ragraphs; print([m for m in sys.modules if m.startswith('ragraphs.')])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_an_index_is_opened_by_its_name() -> None:
    context = ragraphs.IndexContext(index="notes", embeddings="lexical")
    document = {"id": "a", "text": "Penguin Books was founded by Allen Lane."}
    ragraphs.index_graph.invoke({"documents": [document]}, context=context)
    assert ragraphs.open_index("notes").catalogue.count_documents() == 1
    with pytest.raises(ragraphs.IndexNotFoundError):
        ragraphs.open_index("others")


PUBLIC_CLASSES = [name for name in ragraphs.__all__ if inspect.isclass(getattr(ragraphs, name))]


@pytest.mark.parametrize("name", PUBLIC_CLASSES)
def test_a_public_class_shows_three_lines_of_use(name):
    paragraphs = (inspect.getdoc(getattr(ragraphs, name)) or "").split("\n\n")
    assert any(is_code(one) and one.count("\n") >= 2 for one in paragraphs)


def is_code(text: str) -> bool:
    try:
        return bool(ast.parse(textwrap.dedent(text)).body)
    except SyntaxError:
        return False
