"""The documents of an index on the page: listed, read at a place, uploaded, removed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from page_server import followed
from ragraphs import IndexContext, index_graph
from ragraphs.server.page.uploads import safe_name
from tool_server import serving_here, serving_questions

LONG = "\n\n".join(f"Paragraph {n}. " + "The bridge is long and old. " * 30 for n in range(60))
TEXTS = {"forth.md": "# Forth Bridge\n\nIt was designed by John Fowler.", "long.txt": LONG}
LACKING = {
    "RAGRAPHS_INDEX": "notes",
    "RAGRAPHS_UPLOADS": "uploads",
    "RAGRAPHS_MODEL": "openai:gpt-4o-mini",
    "RAGRAPHS_EMBEDDINGS": "lexical",
}
TAY = b"# Tay Bridge\n\nThe Tay Bridge was designed by Thomas Bouch."


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    (root / "own").mkdir()
    for name, text in TEXTS.items():
        (root / "own" / name).write_text(text, encoding="utf-8")
    (root / "own" / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    context = IndexContext(index=str(root / "notes"), embeddings="lexical")
    index_graph.invoke({"sources": [str(root / "own")]}, context=context)
    return root


@pytest.fixture(scope="module")
def url(root: Path) -> Iterator[str]:
    """A server that allows uploads, but of no more than 100,000 bytes at a time."""
    allowed = {"RAGRAPHS_UPLOADS": "uploads", "RAGRAPHS_MAX_BYTES": "100000"}
    with serving_questions(root, "--index", "notes", **allowed) as url:
        yield url


def got(url: str, path: str, **params: Any) -> Any:
    return httpx.get(f"{url}/page/{path}", params=params, timeout=60).json()


def uploaded(url: str, *files: tuple[str, bytes], **head: str) -> httpx.Response:
    form = [("files", (name, data)) for name, data in files]
    return httpx.post(f"{url}/page/upload", files=form, headers=head, timeout=60)


def indexed(url: str, **wanted: Any) -> Any:
    """The last event of a run of the index."""
    name, value = followed(url, "/page/index", wanted)[-1]
    assert name == "done", value
    return value


def titles(url: str, **params: Any) -> list[str]:
    return [one["title"] for one in got(url, "documents", **params)["documents"]]


def test_documents_are_listed_with_their_sizes_and_what_could_not_be_read(url, root):
    listed = got(url, "documents")
    by_title = {one["title"]: one for one in listed["documents"]}
    assert set(by_title) >= {"Forth Bridge", "long"}
    assert by_title["long"]["characters"] == len(LONG.strip()) and by_title["long"]["passages"] > 5
    assert by_title["long"]["path"] == "own/long.txt"
    [failure] = listed["failures"]
    assert failure["path"] == "own/broken.pdf" and failure["reason"]
    assert str(root) not in json.dumps(listed)


def test_documents_are_found_by_words_of_their_titles_and_listed_in_parts(url):
    assert titles(url, containing="FORTH") == ["Forth Bridge"]
    whole = titles(url)
    assert [titles(url, offset=n, most=1) for n in range(len(whole))] == [[one] for one in whole]
    assert got(url, "documents", most=1)["total"] == len(whole)


def test_a_document_is_shown_around_a_place(url):
    [long] = got(url, "documents", containing="long")["documents"]
    shown = got(url, "document", id=long["id"], at=30_000)
    pieces = shown["pieces"]
    assert pieces == sorted(pieces, key=lambda piece: piece["start"])
    assert pieces[0]["start"] <= 30_000 <= pieces[-1]["end"] and shown["before"] and shown["after"]
    assert all(LONG[one["start"] : one["end"]] == one["text"] for one in pieces)
    assert sum(len(one["text"]) for one in pieces) < 30_000
    start = got(url, "document", id=long["id"])
    assert not start["before"] and start["pieces"][0]["start"] == 0
    end = got(url, "document", id=long["id"], at=10**9)
    assert not end["after"] and end["pieces"][-1]["end"] == end["characters"]


def test_a_document_that_is_not_there_is_told_in_a_sentence(url):
    assert "no document 'other'" in got(url, "document", id="other")["detail"]
    assert "must be a number" in got(url, "document", id="other", at="-1")["detail"]


@pytest.mark.slow
def test_an_uploaded_file_is_planned_indexed_replaced_and_removed_with_its_file(url, root):
    [path] = uploaded(url, ("tay.md", TAY)).json()["paths"]
    assert path == "uploads/notes/tay.md"
    planned = indexed(url, paths=[path], dry_run=True)
    assert planned["plan"]["documents"] == 1 and "Tay Bridge" not in titles(url)
    steps = followed(url, "/page/index", {"paths": [path]})
    assert steps[-1][1]["added"] == 1 and {name for name, _ in steps[:-1]} == {"step"}
    assert titles(url, containing="tay") == ["Tay Bridge"]
    uploaded(url, ("tay.md", TAY + b" It fell."))
    assert indexed(url, paths=[path])["updated"] == 1
    [document] = got(url, "documents", containing="tay")["documents"]
    assert "It fell." in got(url, "document", id=document["id"])["pieces"][0]["text"]
    indexed(url, remove=[document["id"]], dry_run=True)
    assert (root / path).exists()
    assert indexed(url, remove=[document["id"]])["removed"] == 1
    assert not (root / path).exists() and titles(url, containing="tay") == []


@pytest.mark.slow
def test_a_document_that_was_not_uploaded_is_removed_but_its_file_stays(url, root):
    [document] = got(url, "documents", containing="forth")["documents"]
    assert indexed(url, remove=[document["id"]])["removed"] == 1
    assert (root / "own" / "forth.md").exists()


@pytest.mark.slow
def test_an_uploaded_file_that_cannot_be_read_is_told_and_can_be_removed(url, root):
    [path] = uploaded(url, ("bad.pdf", b"%PDF-1.4 nothing")).json()["paths"]
    assert [one["path"] for one in indexed(url, paths=[path])["failures"]] == [path]
    indexed(url, remove=[path])
    assert not (root / path).exists()
    assert path not in [one["path"] for one in got(url, "documents")["failures"]]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../evil.md", "evil.md"),
        ("C:\\notes\\a.md", "a.md"),
        ("/etc/passwd.txt", "passwd.txt"),
        ("...hidden.md", "hidden.md"),
        ("a\x00b:c?.md", "a_b_c_.md"),
        ("세종대왕.md", "세종대왕.md"),
        ("가" * 200 + ".md", "가" * 65 + ".md"),
        (".md", "md"),
        ("..", ""),
        ("", ""),
    ],
)
def test_names_are_made_safe(given, kept):
    assert safe_name(given) == kept


def test_what_cannot_be_kept_is_refused_file_by_file(url, root):
    told = uploaded(url, ("../../evil.md", TAY), ("run.exe", b"MZ"), ("noending", b"x")).json()
    assert told["paths"] == ["uploads/notes/evil.md"]
    assert [one["path"] for one in told["refused"]] == ["run.exe", "noending"]
    assert ".exe cannot be read" in told["refused"][0]["reason"]
    assert not list(root.parent.glob("evil.md")) and not list(root.rglob("*.exe"))


def test_of_two_files_with_one_name_the_second_is_refused(url, root):
    told = uploaded(url, ("a/same.md", TAY), ("b/same.md", b"other")).json()
    assert told["paths"] == ["uploads/notes/same.md"]
    assert told["refused"][0]["path"] == "b/same.md" and "same name" in told["refused"][0]["reason"]
    assert (root / "uploads/notes/same.md").read_bytes() == TAY


def test_more_than_the_operator_allows_is_refused_and_nothing_is_kept(url, root):
    answer = uploaded(url, ("large.txt", b"a" * 200_000))
    assert answer.status_code == 422 and "At most 100,000 bytes" in answer.json()["detail"]
    assert not list(root.rglob("large*"))


def test_other_sites_may_not_upload(url):
    assert uploaded(url, ("a.md", TAY), Origin="http://evil.example.com").status_code == 403
    assert uploaded(url, ("a.md", TAY), Host="evil.example.com").status_code == 421


def test_a_form_without_files_is_refused(url):
    answer = httpx.post(f"{url}/page/upload", content=b"{}")
    assert answer.status_code == 422 and "There is no file" in answer.json()["detail"]
    head = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = httpx.post(f"{url}/page/upload", content=b"--y\r\n", headers=head)
    assert answer.status_code == 422 and answer.json()["detail"]


@pytest.mark.parametrize(
    "path", ["own/long.txt", "uploads/notes/../../own/long.txt", "/etc/passwd"]
)
def test_only_uploaded_files_are_indexed(url, path):
    [(name, told)] = followed(url, "/page/index", {"paths": [path]})
    assert name == "refused" and "no uploaded file" in told


def test_without_leave_of_the_operator_nothing_is_changed(root, monkeypatch):
    with serving_here(root, monkeypatch, RAGRAPHS_INDEX="notes") as url:
        assert got(url, "state")["uploads"] is False
        assert "RAGRAPHS_UPLOADS" in uploaded(url, ("a.md", TAY)).json()["detail"]
        [(name, told)] = followed(url, "/page/index", {"remove": ["own/long.txt"]})
        assert name == "refused" and "RAGRAPHS_UPLOADS" in told
        assert "long" in titles(url)


def test_a_folder_of_uploads_outside_the_root_is_refused(root, monkeypatch):
    outside = str(root / "..")
    named = {"RAGRAPHS_INDEX": "notes", "RAGRAPHS_UPLOADS": outside}
    with serving_here(root, monkeypatch, **named) as url:
        assert "below RAGRAPHS_ROOT" in uploaded(url, ("a.md", TAY)).json()["detail"]


def test_a_layer_whose_model_lacks_its_key_is_not_begun(root, monkeypatch):
    with serving_here(root, monkeypatch, **LACKING) as url:
        before = got(url, "state")
        name, told = followed(url, "/page/index", {"layers": ["entities"]})[-1]
        assert name == "error" and "needs a key" in told["detail"]
        assert got(url, "state") == before and before["unfinished"] == []
