"""Documents that attack: what they make of a terminal, of an index, and of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ragraphs.cli import show

ESCAPES = "\x1b]52;c;aGk=\x07\x1b[2J\x1b]8;;http://x\x1b\\ \x9b2J \x8f \x7f \u202eabc\u202c \r \b"
OBEYED = {chr(code) for code in (*range(32), *range(0x7F, 0xA0))} - set("\n\t")
TURNED = set("\u202e\u202c")
NAME = "Ann \x1b[31mLee\x9b2J"
EMPTY_TABLE = "| | |\n|---|---|\n| | |"
SAYING_NOTHING = ["_" * 40, "." * 60, "= = =", EMPTY_TABLE, "- [ ] \n- [ ] ", "😀 😀 😀"]
LAYERS = ("--layers", "hops,communities,sentences")


@pytest.fixture
def docs() -> Path:
    folder = Path.cwd() / "docs"
    folder.mkdir()
    return folder


@pytest.mark.slow
def test_no_command_sends_control_characters_of_documents_to_the_terminal(run, docs):
    title = f"Forth Bridge {ESCAPES}"
    row = {
        "id": "x\x1b[1m\x9b",
        "title": title,
        "text": f"{NAME} built the Forth Bridge. {ESCAPES}",
    }
    (docs / "rows.jsonl").write_text(json.dumps(row) + "\n" + json.dumps({"id": NAME}))
    (docs / "forth.md").write_text(f"# {title}\n\nThe Forth Bridge was designed by {NAME}.")
    (docs / "\x1b[2Jname.txt").write_text(f"The {NAME} bridge. {ESCAPES}")
    commands = [
        ("index", "docs", *LAYERS),
        ("index", "docs", "--json"),
        ("status", "--documents"),
        ("ask", "Who designed the Forth Bridge?"),
        ("ask", f"Who designed {NAME}?", "--trace", "--method", "hoprag"),
        ("ask", "Who designed the Forth Bridge?", "--json"),
        ("entities", "list"),
        ("entities", "show", "Forth Bridge"),
        ("entities", "merges"),
        ("entities", "merge", NAME, f"no such {NAME}"),
        ("communities",),
        ("export",),
        ("export", "--format", "graphml"),
        ("export", "--format", "html"),
        ("remove", f"none {ESCAPES}"),
    ]
    said = ""
    for command in commands:
        ended = run(*command)
        # A drawing is a file, in which text may run from right to left.
        forbidden = OBEYED if "--format" in command else OBEYED | TURNED
        assert not forbidden & set(ended.out + ended.err), command
        said += ended.out
    assert "Ann ␛[31mLee" in said


def test_json_that_is_printed_is_the_value(capsys):
    show.print_json({"title": ESCAPES})
    printed = capsys.readouterr().out
    assert not OBEYED & set(printed)
    assert json.loads(printed) == {"title": ESCAPES}


@pytest.mark.slow
def test_passages_that_say_nothing_yield_nothing(run, docs):
    for number, text in enumerate(SAYING_NOTHING):
        (docs / f"{number}.txt").write_text(text)
    (docs / "long.txt").write_text("\n\n".join(SAYING_NOTHING * 40))
    (docs / "forth.txt").write_text("The Forth Bridge was designed by John Fowler.")
    first = run("index", "docs", *LAYERS, "--chunk-tokens", "40")
    assert first.code == 0
    assert "found no entities in 47 of 48 passages" in first.err
    again = run("index", "docs", *LAYERS)
    assert (again.code, again.err) == (0, "")
    assert "John Fowler" in run("entities", "list").out


@pytest.mark.slow
def test_a_row_and_a_file_of_its_name_are_two_documents(run, docs):
    (docs / "a.json").write_text(json.dumps([{"id": "b.txt", "text": "The row says red."}]))
    (docs / "a.json#b.txt").write_text("The file says blue.")
    assert json.loads(run("index", "docs", "--json").out)["added"] == 2
    again = json.loads(run("index", "docs", "--json").out)
    assert (again["added"], again["updated"], again["unchanged"]) == (0, 0, 2)
    listed = run("status", "--documents").out
    assert "docs/a.json#b.txt " in listed and "docs/a.json//#b.txt " in listed
    assert "1 removed" in run("remove", "docs/a.json#b.txt").out
    assert "red" not in run("export").out and "blue" in run("export").out


@pytest.mark.slow
def test_an_index_is_as_large_as_its_source_but_for_a_constant(run, docs):
    page = f"<title>{'long title ' * 10_000}</title>" + "<p>Some words of a page.</p>" * 1_000
    (docs / "page.html").write_text(page)
    chosen = ("--chunk-tokens", "40", "--layers", "passages")
    assert run("index", "docs", *chosen).code == 0
    size = sum(file.stat().st_size for file in Path(".ragraphs").rglob("*") if file.is_file())
    assert size < 20 * len(page) + 4_000_000


@pytest.mark.slow
def test_an_error_from_inside_is_not_called_wrong_usage(run, docs, monkeypatch):
    from ragraphs.prompts.replies import StandAloneQuestion
    from ragraphs.views import status

    (docs / "a.txt").write_text("text")
    assert run("index", "docs").code == 0
    monkeypatch.setattr(status, "describe", lambda *_, **__: StandAloneQuestion(question=""))
    ended = run("status")
    assert ended.code == 1 and "unexpected ValidationError" in ended.err
    assert run("status", "--top-k", "0").code == 2
