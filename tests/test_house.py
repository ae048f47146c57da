"""The house keeps its order: who imports whom, what is packaged, what an import costs."""

from __future__ import annotations

import ast
import importlib
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import ragraphs
from ragraphs.graphs.methods import METHODS

ROOT = Path(ragraphs.__file__).parent
FLOORS = [
    {"cli", "server"},
    {"evaluation", "integrations", "front", "testing"},
    {"graphs"},
    {"nodes", "views"},
    {"index"},
    {"offline"},
    {"models"},
    {"prompts", "stores", "algorithms"},
    {"language"},
    {"state", "context", "settings"},
]
ONLY = {
    "algorithms": {"language", "state"},
    "language": {"state"},
    "prompts": {"language", "state"},
    "state": set(),
}
APART = {("nodes", "views"), ("views", "nodes"), ("server", "cli")}
PAPERS = {"crag", "deeprag", "hoprag", "tog2", "graphrag"}
OTHER_REPLIES = {"extraction", "judging", "statement", "question_set", "tuning"}
NO_ROOMS = {"tests", "build", "docs", "examples", "lab"}
OF_LAB = re.compile(r"\blab[./]\w|(^|\.)lab$")
SCRIPT_IMPORTED = re.compile(r'(?:\bfrom|\bimport|\bimport\()\s*"(\.[^"]+\.js)"')
IMPORTING = {"import_module", "__import__", "import_from_string"}
NAMED = re.compile(r"(?P<up>\.+)(?P<name>\w[\w.]*)?|ragraphs\.(?P<full>\w[\w.]*)")
LARGEST_SHARE = 0.17
MOST_LINES = 79_352
# In the JSON schemas that models read, and as the results of resolving what these replies name;
# `ragraphs.Index` is that of the room index with its retriever and graph for other libraries.
TWICE = {"Entity", "Relation", "Index"}
LONGEST_FILE, LONGEST_FUNCTION = 400, 50  # lines
MOST_OF_GRAMMAR = 6_684  # lines of offline and language together, with tables, code and dates
NO_NOUNS = {"what": r"\AWhat\b", "those_of": r"\bthose of\b"}
SENT = {"NextStep", "SubQuestions", "Points", "ClosedBookAnswer"}  # words of a request to a model


@cache
def sources() -> list[Path]:
    rooms = [top for top in ROOT.iterdir() if top.name not in NO_ROOMS and top.name[0] != "."]
    files = [file for top in rooms for file in (top.rglob("*.py") if top.is_dir() else [top])]
    return sorted(file.relative_to(ROOT) for file in files if file.suffix == ".py")


@cache
def beside(folder: str) -> list[Path]:
    return sorted(file.relative_to(ROOT) for file in (ROOT / folder).rglob("*.py"))


def room_of(file: Path) -> str:
    return file.parts[0].removesuffix(".py")


def module_of(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(("ragraphs", *(parts[:-1] if parts[-1] == "__init__" else parts)))


@cache
def imports_of(file: Path) -> list[tuple[str, bool]]:
    """The modules that a file imports, in full, and whether by a bare (not relative) name."""
    return list(found_imports(file))


def found_imports(file: Path) -> Iterator[tuple[str, bool]]:
    package = ("ragraphs", *file.parts[:-1])
    tree = tree_of(file)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, True) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or "", True
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[: len(package) - node.level + 1])
            if node.module:
                yield f"{start}.{node.module}", False
            else:
                yield from ((f"{start}.{alias.name}", False) for alias in node.names)
        else:
            yield from ((name, False) for name in imported_by_strings(node, package, tree))


def imported_by_strings(node: ast.AST, package: tuple[str, ...], tree: ast.AST) -> Iterator[str]:
    """Modules of the package that a call names in strings, as for ``import_module``.

    A string counts in any call if it names such a module in full or from above, and one that begins
    with a dot counts in a call that imports. A string that is filled in may name any module of the
    folder before its gap; if strings of ``tree`` are names of such, these alone.
    """
    called = getattr(getattr(node, "func", None), "attr", getattr(node, "func", None))
    called = getattr(called, "id", called)
    if called == "getLogger":
        return
    for child in ast.iter_child_nodes(node):
        gap = isinstance(child, ast.JoinedStr)
        first = child.values[0] if isinstance(child, ast.JoinedStr) and child.values else child
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            continue
        found = NAMED.fullmatch(first.value.partition(":")[0])
        if found is None or (found["up"] == "." and called not in IMPORTING):
            continue
        up = len(found["up"] or "")
        start = package[: len(package) - up + 1] if up else ("ragraphs",)
        parts = [*start, *(found["name"] or found["full"] or "").split(".")]
        parts = [part for part in (parts[:-1] if gap else parts) if part]
        name = ".".join(parts)
        place = ROOT.joinpath(*parts[1:])
        if gap:
            words = {each.value for each in ast.walk(tree) if isinstance(each, ast.Constant)}
            modules = {file.stem for file in place.glob("[!_]*.py")}
            yield from (f"{name}.{module}" for module in modules & words or modules)
        elif place.with_suffix(".py").exists() or (place / "__init__.py").exists():
            yield name


def scripts_imported(file: Path) -> Iterator[Path]:
    """The modules that a script imports at its start, or later, when they are asked for."""
    for path in SCRIPT_IMPORTED.findall(file.read_text(encoding="utf-8")):
        yield (file.parent / path).resolve()


@cache
def docstrings() -> list[tuple[str, str, str]]:
    """Docstrings in one line, each with its file and name; a module has the name of its file."""
    found = []
    for file in [*sources(), *beside("lab"), *beside("tests"), *beside("docs/scripts")]:
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = " ".join((ast.get_docstring(node) or "").split())
                found.append((str(file), getattr(node, "name", file.name), text))
    return found


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


def rooms_imported(file: Path) -> set[str]:
    names = {name for name, _ in imports_of(file) if name.startswith("ragraphs.")}
    return {name.split(".")[1] for name in names}


def floor_of(room: str) -> int:
    return next(floor for floor, rooms in enumerate(FLOORS) if room in rooms)


@pytest.mark.slow
def test_a_module_imports_only_from_its_own_floor_or_below():
    for file in sources():
        room = room_of(file)
        for other in rooms_imported(file) if room != "__init__" else ():
            assert floor_of(other) >= floor_of(room), f"{file} imports {other}"
            assert other == room or (room, other) not in APART, f"{file} imports {other}"
            allowed = ONLY.get(room)
            assert allowed is None or other in allowed | {room}, f"{file} imports {other}"


@pytest.mark.slow
def test_no_two_modules_import_each_other_in_a_circle():
    files = {module_of(file): file for file in [*sources(), *beside("lab")]}
    imported = {
        name: {other for other, _ in imports_of(file) if other in files and other != name}
        for name, file in files.items()
    }
    assert list(TopologicalSorter(imported).static_order())


def test_no_two_modules_of_the_page_import_each_other_in_a_circle():
    page = ROOT / "views" / "page"
    files = [file for file in page.rglob("*.js") if file.parent.name != "vendor"]
    imported = {file: set(scripts_imported(file)) for file in files}
    assert sum(map(len, imported.values())) > len(files)
    assert list(TopologicalSorter(imported).static_order())


@pytest.mark.slow
def test_the_papers_do_not_import_each_other():
    for file in sources():
        if file.parts[0] == "algorithms" and file.parts[1] in PAPERS:
            for name, _ in imports_of(file):
                paper = name.removeprefix("ragraphs.algorithms.").split(".")[0]
                assert paper not in PAPERS - {file.parts[1]}, f"{file} imports {name}"


@pytest.mark.slow
def test_nodes_holds_nodes_and_what_only_they_need():
    files = {module_of(file): file for file in sources() if file.parts[0] == "nodes"}
    texts = {name: (ROOT / file).read_text(encoding="utf-8") for name, file in files.items()}
    nodes = {name for name, text in texts.items() if "@node(" in text or "= _step(" in text}
    used = {other for name in nodes for other, _ in imports_of(files[name])}
    rest = {name for name, file in files.items() if file.name != "__init__.py"} - nodes - used
    assert rest == set()


@pytest.mark.parametrize("method", sorted(PAPERS))
def test_a_method_has_the_same_name_in_every_room(method):
    for place in (f"graphs/{method}.py", f"nodes/{method}", f"algorithms/{method}"):
        assert (ROOT / place).exists(), place
    assert (ROOT / f"state/{method}.py").exists()
    replies = [file.stem for file in (ROOT / "prompts").glob("*_replies.py")]
    assert {name.removesuffix("_replies") for name in replies} <= METHODS.keys() | OTHER_REPLIES


@pytest.mark.slow
def test_only_one_module_draws_plots():
    drawing = [file for file in sources() if "matplotlib" in roots_imported(file)]
    assert drawing == [Path("evaluation/drawing.py")]


def roots_imported(file: Path) -> set[str]:
    return {name.split(".")[0] for name, _ in imports_of(file)}


def test_no_room_holds_more_than_its_share_and_the_wheel_no_more_than_its_lines():
    lines: Counter[str] = Counter()
    for file in sources():
        lines[room_of(file)] += len((ROOT / file).read_text(encoding="utf-8").splitlines())
    room, most = lines.most_common(1)[0]
    assert most <= LARGEST_SHARE * lines.total(), f"{room} has {most} of {lines.total()} lines"
    assert lines.total() <= MOST_LINES, f"the wheel has {lines.total()} lines of Python"


def test_the_reader_without_a_model_stays_a_guest():
    files = [file for file in sources() if room_of(file) in {"offline", "language"}]
    lines = sum(len((ROOT / file).read_text(encoding="utf-8").splitlines()) for file in files)
    assert lines <= MOST_OF_GRAMMAR


@pytest.mark.slow
def test_no_two_modules_define_a_class_of_the_same_name():
    defined = [
        {node.name for node in ast.walk(tree_of(file)) if isinstance(node, ast.ClassDef)}
        for file in sources()
    ]
    counts = Counter(name for names in defined for name in names)
    assert {name for name, count in counts.items() if count > 1} == TWICE


@pytest.mark.slow
def test_files_and_functions_are_short():
    for file in [*sources(), *beside("lab"), *beside("docs/scripts")]:
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        assert len(lines) <= LONGEST_FILE, f"{file} has {len(lines)} lines"
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                assert length <= LONGEST_FUNCTION, f"{file}: {node.name} has {length} lines"


@pytest.mark.slow
def test_no_module_imports_a_room_by_its_bare_name():
    rooms = set().union(*FLOORS)
    for file in [*sources(), *beside("lab"), *beside("tests")]:
        bare = {name.split(".")[0] for name, is_bare in imports_of(file) if is_bare}
        assert not bare & rooms, f"{file} imports {bare & rooms}"


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("import_module('..integrations.retriever', __package__)", "integrations.retriever"),
        ("importlib.import_module('.opening', __package__)", "index.opening"),
        ("__import__('ragraphs.cli.main')", "cli.main"),
        ("import_module(f'..graphs.{name}', __package__)", "graphs.crag"),
        ("load('ragraphs.server.app:app')", "server.app"),
        ("PLACES = {'serve': 'ragraphs.server.app'}", "server.app"),
        ("getLogger('ragraphs.graphs')", None),
        ("print('..and so on')", None),
    ],
)
def test_an_import_by_a_string_counts(written, named):
    package = ("ragraphs", "index")
    tree = ast.parse(written)
    found = {name for node in ast.walk(tree) for name in imported_by_strings(node, package, tree)}
    assert f"ragraphs.{named}" in found if named else not found


@pytest.mark.parametrize("room", ["index", "views", "cli"])
def test_rooms_above_the_stores_do_not_name_the_store_of_vectors(room):
    files = [file for file in sources() if room_of(file) == room]
    assert files
    for file in files:
        assert "chroma" not in (ROOT / file).read_text(encoding="utf-8").lower(), file


@pytest.mark.slow
@pytest.mark.parametrize("pattern", NO_NOUNS.values(), ids=NO_NOUNS)
def test_a_docstring_names_the_noun(pattern):
    for file, name, text in docstrings():
        found = re.search(pattern, text, re.IGNORECASE)
        assert name in SENT or not found, f"{file}: {name}: {text}"


@pytest.mark.slow
def test_the_package_never_names_lab():
    assert beside("lab")
    for file in sources():
        strings = (
            node.value
            for node in ast.walk(tree_of(file))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        named = [*strings, *(name.removeprefix("ragraphs.") for name, _ in imports_of(file))]
        assert not any(map(OF_LAB.search, named)), file


def test_the_list_of_packages_is_the_tree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = {file.parent for file in sources() if file.name == "__init__.py"}
    assert {file.parent for file in sources()} == folders
    names = {".".join(("ragraphs", *folder.parts)) for folder in folders}
    assert set(project["tool"]["setuptools"]["packages"]) == names


def test_every_graph_is_named_for_the_server_and_can_be_imported():
    named = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]
    files = {file.stem for file in (ROOT / "graphs").glob("*.py")} - {"__init__", "methods"}
    assert set(named) == files
    for name, place in named.items():
        assert len(place["description"]) > 50
        module, _, attribute = place["path"].partition(":")
        graph = getattr(importlib.import_module(module), attribute)
        assert (module, graph.name) == (f"ragraphs.graphs.{name}", name)
        assert graph.checkpointer is None
        assert graph.get_input_jsonschema()["properties"]
        assert graph.get_output_jsonschema()["properties"]
