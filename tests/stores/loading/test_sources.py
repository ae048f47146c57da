"""Finding files, and not being led out of the folder that may be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.loading.sources import (
    endings_of,
    find_files,
    open_source,
    sha256_of,
    told_endings,
    told_hidden,
)
from ragraphs.stores.loading.types import LoadError


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder ``docs`` with files that can be read and others; ``secret`` lies beside it."""
    for name in ("a.txt", "b.MD", "deep/er/c.pdf", "deep/d.txt", "deep/picture.png", ".hidden.txt"):
        write(tmp_path / "docs" / name)
    write(tmp_path / "docs/.git/e.txt")
    write(tmp_path / "secret/key.txt", "secret")
    return tmp_path / "docs"


def names(found: tuple[Path, ...], below: Path) -> list[str]:
    return [path.relative_to(below).as_posix() for path in found]


def test_a_file_is_found_from_the_base_folder(docs: Path) -> None:
    assert find_files("docs/a.txt", docs.parent).files == (docs / "a.txt",)


def test_an_absolute_path_needs_no_base(docs: Path) -> None:
    assert find_files(str(docs / "a.txt"), Path("/")).files == (docs / "a.txt",)


def test_a_tilde_is_the_home_folder(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(docs))
    assert find_files("~/a.txt", Path("/")).files == (docs / "a.txt",)


def test_a_folder_gives_all_below_it_in_order_and_names_what_it_skips(docs: Path) -> None:
    found = find_files("docs", docs.parent)
    assert names(found.files, docs) == ["a.txt", "b.MD", "deep/d.txt", "deep/er/c.pdf"]
    assert found.skipped == (docs / "deep/picture.png",)
    assert names(found.hidden, docs) == [".git", ".hidden.txt"]
    assert found.refused == ()
    assert find_files("docs/**/*.pdf", docs.parent).hidden == (docs / ".git",)


def test_hidden_names_are_told_once_in_a_sentence() -> None:
    paths = [Path(f"{folder}/.git") for folder in range(9)]
    assert "were left out: .git; name one" in told_hidden(paths)
    assert "left out: .0, .1 and 3 more;" in told_hidden([Path(f".{n}") for n in range(5)], 2)
    assert told_hidden([]) == ""


def test_a_hidden_folder_is_read_when_it_is_named(docs: Path) -> None:
    assert names(find_files("docs/.git", docs.parent).files, docs) == [".git/e.txt"]


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("docs/*.txt", ["a.txt"]),
        ("docs/**/*.txt", ["a.txt", "deep/d.txt"]),
        ("docs/**", ["a.txt", "b.MD", "deep/d.txt", "deep/er/c.pdf"]),
        ("docs/**/**/er/**/*.pdf", ["deep/er/c.pdf"]),
        ("docs/*/*", ["deep/d.txt"]),
        ("docs/[ab].*", ["a.txt", "b.MD"]),
        ("docs/?.txt", ["a.txt"]),
        ("*/d*/d.t?t", ["deep/d.txt"]),
    ],
)
def test_a_glob_gives_the_files_that_match(docs: Path, glob: str, expected: list[str]) -> None:
    assert names(find_files(glob, docs.parent).files, docs) == expected


def test_a_glob_names_what_it_skips_of_the_files_that_match(docs: Path) -> None:
    write(docs / "data.bin")
    assert names(find_files("docs/**", docs.parent).skipped, docs) == [
        "data.bin",
        "deep/picture.png",
    ]
    assert names(find_files("docs/deep/*", docs.parent).skipped, docs) == ["deep/picture.png"]


def test_packages_of_others_are_named_and_an_index_is_not(docs: Path) -> None:
    before = find_files("docs", docs.parent)
    for name in ("node_modules/a/b.js", "deep/__pycache__/a.pyc", "index/a.json", "index/b.bin"):
        write(docs / name)
    write(docs / "index/catalogue.sqlite")
    found = find_files("docs", docs.parent)
    assert (found.files, found.skipped) == (before.files, before.skipped)
    new = {*found.hidden} - {*before.hidden}
    assert new == {docs / "node_modules", docs / "deep/__pycache__"}


def test_endings_are_counted_and_told_the_most_frequent_first() -> None:
    paths = [Path(name) for name in ("a.png", "b.PNG", "c.zip", "Makefile", "v1.2 of May")]
    counted = endings_of(paths)
    assert counted == {"": 2, ".png": 2, ".zip": 1}
    assert told_endings(counted) == "2 without an ending, 2 .png, 1 .zip"
    many = endings_of([Path(f"a.x{number}") for number in range(99)])
    assert told_endings(many).endswith("1 .x16, 1 .x17, 89 of 89 other endings")


def test_a_folder_of_which_nothing_can_be_read_says_what_it_holds(docs: Path) -> None:
    with pytest.raises(RagraphsError, match=r"\(it holds 1 \.png\)"):
        find_files("docs/deep/*.png", docs.parent)


def test_a_glob_of_many_wildcards_does_not_take_forever(tmp_path: Path) -> None:
    write(tmp_path / "/".join("aaaaaaaaaaaaaaaaaaaa") / "a.txt")
    with pytest.raises(RagraphsError, match="gives no file"):
        find_files("**/a/" * 15 + "b.txt", tmp_path)


def test_a_file_whose_name_looks_like_a_glob_is_found_by_it(tmp_path: Path) -> None:
    write(tmp_path / "notes1.txt")
    path = write(tmp_path / "notes[1].txt")
    assert find_files("notes[1].txt", tmp_path).files == (path,)


@pytest.mark.parametrize("source", ["nothing.txt", "docs/nothing", "nowhere/a.txt"])
def test_a_missing_path_says_so(docs: Path, source: str) -> None:
    with pytest.raises(RagraphsError, match="There is no file or folder") as caught:
        find_files(source, docs.parent)
    assert source in str(caught.value)


@pytest.mark.parametrize("source", ["", "  ", "a\0b"])
def test_an_empty_source_says_so(docs: Path, source: str) -> None:
    with pytest.raises(RagraphsError, match="source is empty"):
        find_files(source, docs)


@pytest.mark.parametrize("source", ["nowhere/*.txt", "docs/a.txt/*"])
def test_a_glob_below_what_is_no_folder_says_so(docs: Path, source: str) -> None:
    with pytest.raises(RagraphsError, match=r"(nowhere|a\.txt) could not be listed"):
        find_files(source, docs.parent)


@pytest.mark.parametrize("source", ["docs/*.csv", "docs/*.png", "empty"])
def test_what_matches_nothing_names_the_endings(docs: Path, source: str) -> None:
    (docs.parent / "empty").mkdir()
    with pytest.raises(RagraphsError, match=r"gives no file.*\.jsonl"):
        find_files(source, docs.parent)


def test_a_single_file_of_another_ending_names_the_endings(docs: Path) -> None:
    with pytest.raises(RagraphsError, match=r"picture\.png.*supported are .*\.docx"):
        find_files("docs/deep/picture.png", docs.parent)


def test_without_a_root_links_to_files_are_followed(docs: Path) -> None:
    (docs / "link.txt").symlink_to(docs.parent / "secret/key.txt")
    assert docs / "link.txt" in find_files("docs", docs.parent).files


def test_links_to_folders_are_reported_and_not_followed(docs: Path) -> None:
    (docs / "loop").symlink_to(docs)
    found = find_files("docs", docs.parent)
    assert len(found.files) == 4
    assert [failure.source for failure in found.refused] == [str(docs / "loop")]
    assert "link to a folder" in found.refused[0].reason


def test_a_broken_link_is_reported_and_the_rest_is_found(docs: Path) -> None:
    (docs / "broken.txt").symlink_to(docs / "nothing")
    (docs / "circle.txt").symlink_to(docs / "circle.txt")
    found = find_files("docs", docs.parent)
    assert len(found.files) == 4
    assert [Path(failure.source).name for failure in found.refused] == ["broken.txt", "circle.txt"]


@pytest.mark.parametrize(
    "source",
    ["/etc/passwd", "..", "../secret", "../secret/*.txt", "../secret/key.txt", "/", "../nothing"],
)
def test_with_a_root_a_source_outside_is_refused(docs: Path, source: str) -> None:
    with pytest.raises(RagraphsError, match="lies outside the folder this server may read"):
        find_files(source, docs, root=docs)


def test_a_sibling_whose_name_begins_like_the_root_is_outside(docs: Path) -> None:
    write(docs.parent / "docs2/a.txt")
    with pytest.raises(RagraphsError, match="lies outside"):
        find_files("../docs2/a.txt", docs, root=docs)


@pytest.mark.parametrize("source", ["out/key.txt", "out", "out/*.txt", "key.txt"])
def test_with_a_root_a_link_out_of_it_is_refused(docs: Path, source: str) -> None:
    (docs / "out").symlink_to(docs.parent / "secret")
    (docs / "key.txt").symlink_to(docs.parent / "secret/key.txt")
    with pytest.raises(RagraphsError, match="lies outside"):
        find_files(source, docs, root=docs)


@pytest.mark.parametrize("source", [".", "*.txt", "**/*.txt", "o*/*.txt", "../docs"])
def test_with_a_root_linked_files_within_a_folder_do_not_lead_out(docs: Path, source: str) -> None:
    (docs / "out").symlink_to(docs.parent / "secret")
    (docs / "key.txt").symlink_to(docs.parent / "secret/key.txt")
    write(docs / "oh/kept.txt")
    (docs / "oh/key.txt").symlink_to(docs.parent / "secret/key.txt")
    found = find_files(source, docs, root=docs)
    assert found.files
    assert all("secret" not in path.read_text() for path in found.files)
    assert any("link out of the folder" in failure.reason for failure in found.refused)


def test_with_a_root_a_glob_of_nothing_but_links_out_says_why(docs: Path) -> None:
    (docs / "key.txt").symlink_to(docs.parent / "secret/key.txt")
    with pytest.raises(RagraphsError, match=r"key\.txt is a link out of the folder"):
        find_files("k*.txt", docs, root=docs)


def test_a_glob_does_not_enter_folders_that_cannot_match(docs: Path) -> None:
    (docs / "loop").symlink_to(docs)
    assert find_files("docs/*.txt", docs.parent).refused == ()


def test_with_a_root_links_that_stay_inside_are_followed_once(docs: Path) -> None:
    (docs / "again.txt").symlink_to(docs / "a.txt")
    found = find_files(".", docs, root=docs)
    assert names(found.files, docs) == ["a.txt", "b.MD", "deep/d.txt", "deep/er/c.pdf"]
    assert find_files("again.txt", docs, root=docs).files == (docs / "a.txt",)


def test_the_root_itself_may_be_reached_through_a_link(docs: Path) -> None:
    (docs.parent / "alias").symlink_to(docs)
    alias = docs.parent / "alias"
    assert find_files("a.txt", alias, root=alias).files == (docs / "a.txt",)


def test_a_file_swapped_for_a_link_after_it_was_found_is_not_read(docs: Path) -> None:
    (path,) = find_files("a.txt", docs, root=docs).files
    path.unlink()
    path.symlink_to(docs.parent / "secret/key.txt")
    with pytest.raises(LoadError, match=r"a\.txt lies outside"):
        open_source(path, docs)


def test_a_folder_swapped_for_a_link_while_a_file_is_opened_is_not_followed(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_open = os.open
    path = docs / "deep/d.txt"
    write(docs.parent / "secret/d.txt", "secret")

    def swap_then_open(*arguments: object, **options: object) -> int:
        if (docs / "deep").is_dir() and not (docs / "deep").is_symlink():
            (docs / "deep").rename(docs / "moved")
            (docs / "deep").symlink_to(docs.parent / "secret")
        return real_open(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", swap_then_open)
    monkeypatch.setattr(os, "supports_dir_fd", {*os.supports_dir_fd, swap_then_open})
    with pytest.raises(LoadError, match="became a link"):
        open_source(path, docs)


@pytest.mark.parametrize("root", [True, False])
def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path: Path, root: bool) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(LoadError, match=r"pipe\.txt is not an ordinary file"):
        open_source(tmp_path / "pipe.txt", tmp_path if root else None)
    with pytest.raises(RagraphsError, match="no ordinary file"):
        find_files("pipe.txt", tmp_path)


def test_opening_leaves_no_descriptor_behind(docs: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        open_source(docs / "deep/er/c.pdf", docs).close()
        with pytest.raises(LoadError):
            open_source(docs / "deep/er", docs)
        with pytest.raises(LoadError):
            open_source(docs / "deep/nothing/x.txt", docs)
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "abc")
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_of(path) == expected
    assert sha256_of(path, tmp_path) == expected


def test_the_hash_of_a_missing_file_is_a_load_error(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"gone\.txt could not be opened"):
        sha256_of(tmp_path / "gone.txt")
