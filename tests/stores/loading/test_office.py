"""Slides, sheets and OpenDocument texts: what they say, and where."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from loading_support import Write, only, reason, text_of
from office_files import odt, pptx, unzipped, xlsx, zipped
from openpyxl import Workbook
from ragraphs.stores.loading.types import DocumentBlock, Limits, LoadedDocument


def parts(document: LoadedDocument) -> list[DocumentBlock]:
    blocks = list(document.blocks)
    assert all(isinstance(block, DocumentBlock) for block in blocks)
    return [block for block in blocks if isinstance(block, DocumentBlock)]


class TestSlides:
    def test_slides_come_in_order_with_tables_and_notes(self, tmp_path: Path) -> None:
        loaded = only(pptx(tmp_path / "a.pptx"))
        assert loaded.title == "Quarterly results 분기 실적"
        assert text_of(loaded) == (
            "Quarterly results 분기 실적\n\nRevenue grew by 12 per cent.\n매출은 12% 늘었다.\n\n"
            "Notes: Thank the team in Daegu.\n\n"
            "Plants\n\nPlant: Ulsan | Output: 40 t\nPlant: Pohang | Output: 7 t\n\n"
        )

    def test_each_slide_has_its_number_and_title(self, tmp_path: Path) -> None:
        loaded = only(pptx(tmp_path / "a.pptx"))
        assert [part.metadata for part in parts(loaded)] == [
            {"slide": 1, "section": "Quarterly results 분기 실적"},
            {"slide": 3, "section": "Plants"},
        ]
        assert loaded.metadata == {"author": "Ada Kim", "date": "2024-05-01T09:30:00"}

    def test_a_file_that_states_no_date_has_none(self, tmp_path: Path) -> None:
        parts = unzipped(pptx(tmp_path / "a.pptx"))
        stated = parts["_rels/.rels"]
        parts["_rels/.rels"] = re.sub(rb"<Relationship [^>]*core-properties[^>]*/>", b"", stated)
        assert only(zipped(tmp_path / "b.pptx", parts)).metadata == {}


class TestSheets:
    def test_rows_have_the_names_of_their_columns(self, tmp_path: Path) -> None:
        first, second = parts(only(xlsx(tmp_path / "a.xlsx")))
        assert first == (
            "직원 Staff\n\nList of employees, 2024\n\n"
            "이름: 김민수\nCity: Busan\nSince: 2021-03-01\nPaid: 1234.5\n\n"
            "이름: Ada Kim\nSince: 2019-04-02\nPaid: 0.3\n\n"
        )
        assert (second, second.metadata) == ("Numbers\n\n1 | 2\n3 | 4\n", {"sheet": "Numbers"})
        assert first.metadata == {"sheet": "직원 Staff"}

    def test_formulas_are_the_values_stored_with_them(self, tmp_path: Path) -> None:
        path = xlsx(tmp_path / "a.xlsx")
        held = unzipped(path)
        name = "xl/worksheets/sheet1.xml"
        assert held[name].count(b"<f>D4*2</f>") == 1
        held[name] = re.sub(rb"(<f>D4\*2</f>)<v.*?(?=</c>)", rb"\1<v>2469</v>", held[name])
        assert "Paid: 1234.5\nTwice: 2469\n" in text_of(only(zipped(path, held)))

    def test_a_sheet_that_claims_to_be_endless_is_read_as_far_as_it_goes(
        self, tmp_path: Path
    ) -> None:
        path = xlsx(tmp_path / "a.xlsx")
        held = unzipped(path)
        name = "xl/worksheets/sheet2.xml"
        held[name] = held[name].replace(b'ref="A1:B2"', b'ref="A1:XFD1048576"')
        loaded = only(zipped(path, held), limits=Limits(cells=1000))
        assert "1 | 2\n3 | 4\n" in text_of(loaded)

    @pytest.mark.parametrize("place", ["A99999999999", "XFD900000"])
    def test_a_cell_far_out_does_not_take_forever(self, tmp_path: Path, place: str) -> None:
        path = xlsx(tmp_path / "a.xlsx")
        held = unzipped(path)
        number = place.lstrip("AXFD")
        rows = "".join(f'<row r="{int(number) + n}"><c><v>1</v></c></row>' for n in range(3))
        sheet = f"<sheetData>{rows}</sheetData>"
        name = "xl/worksheets/sheet2.xml"
        before, _, after = held[name].decode().partition("<sheetData>")
        held[name] = (before + sheet + after.partition("</sheetData>")[2]).encode()
        assert "cells" in reason(zipped(path, held), limits=Limits(cells=100_000))

    def test_long_sheets_come_in_blocks_of_the_same_sheet(self, tmp_path: Path) -> None:
        book = Workbook()
        book.active.append(["Name", "Since"])
        for number in range(200):
            book.active.append([f"Person {number}", datetime(2021, 3, 1, 12)])
        book.save(tmp_path / "a.xlsx")
        blocks = parts(only(tmp_path / "a.xlsx", limits=Limits(block_characters=1000)))
        assert len(blocks) > 3
        assert all(block.metadata == {"sheet": "Sheet"} for block in blocks)
        assert "Name: Person 0\nSince: 2021-03-01 12:00:00\n\n" in blocks[0]


class TestOpenDocument:
    def test_headings_paragraphs_lists_notes_and_tables_come_in_order(self, tmp_path: Path) -> None:
        loaded = only(odt(tmp_path / "a.odt"))
        assert (loaded.title, loaded.metadata["author"]) == ("The Well 우물", "Ada Kim")
        assert text_of(loaded) == (
            "The Well 우물\n\nDigging\n\nIt is  40 m deep (As of 1890.).\n\n우물은 제주에 있다.\n\n"
            "Water\n\nYear: 1890 | Litres: 700\n\n"
        )

    def test_sections_begin_at_their_headings(self, tmp_path: Path) -> None:
        (part,) = parts(only(odt(tmp_path / "a.odt")))
        told = {
            str(metadata["section"]): part[place : place + 7] for place, metadata in part.places
        }
        assert told == {
            "The Well 우물": "The Wel",
            "The Well 우물 › Digging": "Digging",
            "The Well 우물 › Digging › Water": "Water\n\n",
        }

    def test_spaces_that_are_only_counted_do_not_fill_memory(self, tmp_path: Path) -> None:
        path = odt(tmp_path / "a.odt", '<text:p>a<text:s text:c="999999999"/>b</text:p>')
        assert len(text_of(only(path))) < 100

    def test_nesting_without_end_is_refused(self, tmp_path: Path) -> None:
        body = "<text:section>" * 5000 + "<text:p>x</text:p>" + "</text:section>" * 5000
        assert "no OpenDocument text" in reason(odt(tmp_path / "a.odt", body))


@pytest.mark.parametrize(("ending", "package"), [(".pptx", "pptx"), (".xlsx", "openpyxl")])
def test_without_the_extra_a_file_says_how_to_install_it(
    write: Write, ending: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert "pip install 'ragraphs[formats]'" in reason(write(f"a{ending}", b"x"))


@pytest.mark.slow
def test_importing_does_not_import_the_libraries_of_the_extra() -> None:
    code = (
        "import sys, ragraphs.stores.loading.load\n"
        "print([m for m in ('pptx', 'openpyxl', 'yaml', 'email') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pptx" not in done.stdout and "openpyxl" not in done.stdout, done.stderr
