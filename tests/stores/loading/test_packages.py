"""Packed files that are hostile: bombs, entities, damage, links."""

from __future__ import annotations

import zipfile
from pathlib import Path

import docx
import pytest
from loading_support import Write, peak_mb, reason
from office_files import MAKERS, unzipped, zipped
from ragraphs.stores.loading.load import load
from ragraphs.stores.loading.types import Limits, LoadFailure

MAIN = {
    ".docx": "word/document.xml",
    ".pptx": "ppt/slides/slide1.xml",
    ".xlsx": "xl/worksheets/sheet1.xml",
    ".odt": "content.xml",
    ".epub": "OEBPS/book.opf",
}
EVERY = pytest.mark.parametrize("ending", list(MAIN))


def packed(folder: Path, ending: str) -> Path:
    if ending != ".docx":
        return MAKERS[ending](folder / f"whole{ending}")
    document = docx.Document()
    document.add_paragraph("Hello.")
    document.save(str(folder / "whole.docx"))
    return folder / "whole.docx"


def with_main(folder: Path, ending: str, data: bytes) -> Path:
    """A file of which the part with the text, or the list of its chapters, is ``data``."""
    held = unzipped(packed(folder, ending))
    return zipped(folder / f"changed{ending}", held | {MAIN[ending]: data})


@pytest.mark.slow
@EVERY
def test_a_bomb_is_refused_without_unpacking(tmp_path: Path, write: Write, ending: str) -> None:
    path = with_main(tmp_path, ending, b" " * 30_000_000)
    limits = Limits(unpacked_bytes=20_000_000)
    assert "unpacks to far more" in reason(path, limits=limits)
    assert peak_mb(path, limits=limits) < 5


@EVERY
def test_markup_that_would_fill_memory_is_refused(tmp_path: Path, ending: str) -> None:
    path = with_main(tmp_path, ending, b"<a>" + b"<b/>" * 300_000 + b"</a>")
    assert "text and markup" in reason(path, limits=Limits(xml_marks=200_000))


@EVERY
def test_entities_are_refused(tmp_path: Path, ending: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    data = f'<!DOCTYPE w [<!ENTITY e SYSTEM "file://{secret}">]><w>&e;</w>'.encode()
    assert "XML entities" in reason(with_main(tmp_path, ending, data))


@EVERY
def test_broken_markup_is_refused(tmp_path: Path, ending: str) -> None:
    for data in (b"<broken", b"\xff\xfe\x00"):
        reason(with_main(tmp_path, ending, data))


@EVERY
def test_foreign_and_nested_markup_has_no_text(tmp_path: Path, ending: str) -> None:
    for data in (b"<x/>", b"<a>" * 20_000 + b"</a>" * 20_000):
        for loaded in load(with_main(tmp_path, ending, data)):
            # Of an Excel file the other sheet is left, of an EPUB file nothing.
            assert isinstance(loaded, LoadFailure) or ending == ".xlsx"


@EVERY
def test_a_file_cut_short_is_refused(tmp_path: Path, ending: str) -> None:
    path = packed(tmp_path, ending)
    data = path.read_bytes()
    for length in (0, 3, 100, len(data) // 2, len(data) - 30):
        path.write_bytes(data[:length])
        reason(path)


@EVERY
def test_what_is_no_such_file_is_refused(write: Write, tmp_path: Path, ending: str) -> None:
    assert "check its ending" in reason(write(f"text{ending}", b"plain text"))
    other = zipped(tmp_path / f"other{ending}", {"../../evil": b"x", "/etc/evil": b"y"})
    assert "can be read" in reason(other)
    assert not (tmp_path.parent / "evil").exists()


@pytest.mark.parametrize("ending", [".docx", ".pptx", ".xlsx"])
def test_an_encrypted_or_old_file_is_recognised(write: Write, ending: str) -> None:
    old = reason(write(f"a{ending}", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)))
    assert f"encrypted or an old {ending[:-1]} file" in old


@pytest.mark.slow
@EVERY
def test_compressions_that_unpack_in_one_go_are_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as file:
        file.writestr(MAIN[ending], b" " * 9_000_000)
    assert "damaged" in reason(path)
    assert peak_mb(path) < 3


@EVERY
def test_a_file_outside_the_root_is_not_read(tmp_path: Path, ending: str) -> None:
    path = packed(tmp_path, ending)
    (tmp_path / "root").mkdir()
    link = tmp_path / f"root/link{ending}"
    link.symlink_to(path)
    assert "outside the folder" in reason(link, root=tmp_path / "root")
