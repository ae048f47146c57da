"""The files of the page: complete, in two languages, and without a way for a text to be run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import ragraphs
from ragraphs.graphs.methods import METHODS

ROOT = Path(ragraphs.__file__).parent
PAGE = ROOT / "views" / "page"
OWN = sorted(
    file.relative_to(PAGE).as_posix()
    for file in PAGE.rglob("*")
    if file.suffix in {".js", ".css", ".html"} and "vendor" not in file.parts
)
SCRIPTS = [name for name in OWN if name.endswith(".js")]
WORDS = [name for name in SCRIPTS if "addWords({\n" in (PAGE / name).read_text(encoding="utf-8")]
RUNS_TEXT = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|javascript:"
)
WORD = re.compile(r"^    (\w+):", re.M)


def text_of(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def keys_of(name: str) -> dict[str, list[str]]:
    """The keys of the words of each language that a file adds, or may add on one line."""
    added = text_of(name).partition("addWords({\n")[2]
    parts = re.findall(r"^  (en|ko): \{(.*?)^  \},?$", added, re.M | re.S)
    return {language: WORD.findall(words) for language, words in parts}


@pytest.mark.parametrize("name", OWN)
def test_a_file_of_the_page_is_short_and_makes_no_markup_of_text(name):
    text = text_of(name)
    assert len(text.splitlines()) <= 400
    assert not RUNS_TEXT.search(text)


@pytest.mark.parametrize("name", WORDS)
def test_every_word_is_there_in_both_languages(name):
    keys = keys_of(name)
    assert set(keys) == {"en", "ko"}
    assert keys["en"], name
    told = {f"{method}_is" for method in METHODS}  # in English by the server
    assert sorted(keys["en"]) == sorted(key for key in keys["ko"] if key not in told)
    assert len(set(keys["en"])) == len(keys["en"])


def test_no_two_files_give_one_word_two_meanings():
    keys = [key for name in WORDS for key in keys_of(name)["en"]]
    assert sorted(keys) == sorted(set(keys))


def test_every_word_that_is_said_is_known():
    known = {key for name in WORDS for key in keys_of(name)["en"]}
    for name in SCRIPTS:
        text = text_of(name)
        own = set(re.findall(r"(\w+): [\"(]", text)) if "addWords({" in text else set()
        for key in re.findall(r"\bt\(\"(\w+)\"", text):
            assert key in known | own, f"{name} says {key}"


def test_everything_that_is_imported_or_linked_is_a_file_of_the_page():
    for name in SCRIPTS:
        text = text_of(name)
        for other in re.findall(r"(?:from|import|import\()\s*\"(\.[^\"]+)\"", text):
            assert ((PAGE / name).parent / other).is_file(), f"{name} imports {other}"
    linked = re.findall(r"(?:href|src)=\"([^\"]+)\"", text_of("index.html"))
    assert linked
    for address in linked:
        assert (PAGE / address.removeprefix("page/static/")).is_file()


def test_the_html_has_no_script_and_no_style_of_its_own():
    html = text_of("index.html")
    assert not re.search(r"<script(?![^>]*\bsrc=)", html)
    assert not re.search(r"<style|\sstyle=|\son\w+=", html)


def test_every_vendored_library_has_its_licence_beside_it_and_is_named_in_the_documentation():
    named = (
        (ROOT / "docs/licences.md").read_text(encoding="utf-8").partition("<!-- licences -->")[0]
    )
    licences = [file for file in (PAGE / "vendor").iterdir() if file.suffix == ".txt"]
    libraries = [file for file in (PAGE / "vendor").iterdir() if file.suffix != ".txt"]
    assert licences and libraries
    for licence in licences:
        assert licence.name.partition(".")[0] in named.lower()
    for library in libraries:
        parts = re.split(r"[_.]", library.name)
        assert any(file.name.split(".")[0] in parts for file in licences), library.name
