"""``lab/data/figures``: the table of recorded figures names files that can be counted again."""

from __future__ import annotations

import re
from pathlib import Path

from ragraphs.evaluation.figures import counted, read_figures

FOLDER = Path(__file__).parents[2] / "lab/data/figures"
MOST_BYTES = 20 << 20


def rows() -> list[list[str]]:
    """The cells of the table's rows: section, files, what is not recorded."""
    lines = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    cells = [line.strip("|").split("|") for line in lines if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in cells[2:]]


def test_every_section_of_the_benchmarks_is_in_the_table_and_every_file_exists():
    text = (FOLDER.parents[2] / "docs/benchmarks.md").read_text(encoding="utf-8")
    sections = re.findall(r"^##+ (.+)$", text, re.MULTILINE)
    named = {row[0] for row in rows()}
    inside = {"Router", "An index in a folder and in PostgreSQL", "An update",
              "A question on the command line"}  # fmt: skip
    assert set(sections) - inside == named - {"README, One benchmark"}
    files = {file for row in rows() for file in re.findall(r"`([^` ]+\.(?:gz|json))`", row[1])}
    assert all((FOLDER / file).is_file() for file in files)
    assert {file.name for file in FOLDER.glob("*.gz")} <= files
    assert all(row[1] != "–" or row[2] for row in rows())


def test_all_that_is_told_is_counted_again_and_is_small():
    for file in FOLDER.glob("*.gz"):
        for one in read_figures(file):
            found = counted(one.outputs)
            for name, told in one.manifest.figures.items():
                now = {measure: found[name][measure]["value"] for measure in told}
                assert now == told, f"{file.name}: {name}"
    assert sum(file.stat().st_size for file in FOLDER.parent.rglob("*")) < MOST_BYTES
