"""Nothing heavy is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

CHROMA = "ragraphs.stores.chroma"
HEAVY = (CHROMA, "sqlalchemy", "chromadb", "numpy", "fastembed", "langchain_openai", "igraph")
OTHERS = ("openai", "langchain", "langchain_openai", "fastembed", "onnxruntime", "tiktoken")
POSTGRESQL = "sqlalchemy.dialects.postgresql"
UNUSED = (*OTHERS, "huggingface_hub", "tavily", "networkx", "pypdf", "typer", POSTGRESQL)

INDEXED = """
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph

graph.invoke(
    {"documents": [{"id": "a", "text": "Penguin Books was founded by Allen Lane in London."}]},
    context=IndexContext(
        index="index",
        model="offline",
        embeddings="lexical",
        layers=["sentences", "hops", "entities", "communities"],
    ),
)
"""


@pytest.mark.slow
def test_each_step_imports_only_what_it_needs():
    """In one process: to begin, a method, an index before it is opened, one without a model."""
    steps = [
        ("import ragraphs", HEAVY),
        ("import ragraphs.graphs.crag", HEAVY),
        ("import ragraphs.graphs.index", (CHROMA, "chromadb")),
        (INDEXED, UNUSED),
    ]
    assert loaded_by(*steps) == ["[]"] * len(steps)


@pytest.mark.slow
def test_the_version_is_told_without_a_graph_or_a_store_or_a_search_for_garbage_at_the_end():
    script = """
import atexit, gc, sys
from ragraphs.cli.entry import main

atexit.register(lambda: print(gc.get_freeze_count() > 1000, gc.get_threshold()[0] > 10_000))
sys.argv = ["ragraphs", "--version"]
try:
    main()
except SystemExit:
    pass
"""
    heavy = ("langgraph", "langchain", "langchain_core", "sqlalchemy", "numpy", "httpx")
    assert loaded_by((script, heavy))[-2:] == ["[]", "True True"]


@pytest.mark.slow
def test_a_question_on_the_command_line_imports_no_client_and_a_package_put_off_is_whole():
    asked = """
import sys
from ragraphs.cli.deferring import PACKAGES, defer

for package in PACKAGES:
    defer(package)
import ragraphs.graphs.router, ragraphs.offline.model, ragraphs.stores.array_store
from ragraphs.models import nearby

nearby._models_at(["http://127.0.0.1:9/v1"])
"""
    used = """
import langgraph_sdk, psutil
from langsmith.types import RunSelectField

print(langgraph_sdk.get_client.__module__, psutil.cpu_count() > 0, type(psutil).__name__)
"""
    client = ("langgraph_sdk.client", "httpx", "langsmith.types.agent", "psutil._common")
    slow = ("ragraphs.algorithms.doubts", "ragraphs.offline.extraction.extract", "filelock")
    assert loaded_by((asked, client + slow), (used, ())) == [
        "[]", "langgraph_sdk._async.client True module", "[]",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_question_on_the_command_line_builds_the_validators_that_it_uses():
    asked = """
import sys
from ragraphs.cli import entry

main = type(sys)("ragraphs.cli.main")
main.main = lambda commands: None  # no program: what it imports comes next
sys.modules[main.__name__] = main
sys.argv = ["ragraphs", "ask", "Who?"]
entry._run()
del sys.modules[main.__name__]
import ragraphs.cli.main, ragraphs.graphs.router
from pydantic import BaseModel

kinds = [BaseModel]
for kind in kinds:
    kinds += kind.__subclasses__()
built = [kind for kind in kinds if kind.__dict__.get("__pydantic_complete__")]
print(len(kinds) > 150, len(built) < 20)
print(ragraphs.graphs.router.RouterContext(index="notes").index)
"""
    others = ("ragraphs.cli.commands", "ragraphs.cli.indexing", "openai", "chromadb")
    assert loaded_by((asked, others)) == ["True True", "notes", "[]"]


def loaded_by(*steps: tuple[str, tuple[str, ...]]) -> list[str]:
    """Which names of each step are loaded when its script has run, in one process for all."""
    shown = "import sys; print([name for name in {!r} if name in sys.modules])"
    whole = "\n".join(f"{script}\n{shown.format(names)}" for script, names in steps)
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()
