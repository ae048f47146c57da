"""The notebooks run, and show the outputs that they were saved with."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from doc_pages import ROOT
from notebooks import run_notebook

QUICK = "01_first_steps"
NAMES = sorted(file.stem for file in (ROOT / "examples").glob("*.ipynb"))


def outputs_of(notebook: Any) -> list[str]:
    """The text that each cell of code printed."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return ["".join(output.get("text", "") for output in cell.outputs) for cell in cells]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "name",
    [name if name == QUICK else pytest.param(name, marks=pytest.mark.slow) for name in NAMES],
)
def test_a_notebook_runs_and_prints_what_it_shows(name: str) -> None:
    file = ROOT / "examples" / f"{name}.ipynb"
    saved = outputs_of(nbformat.read(file, as_version=4))
    assert any(saved)
    assert outputs_of(run_notebook(file)) == saved, "run: make notebooks"


def test_the_notebooks_are_small() -> None:
    assert len(NAMES) >= 3
    for name in NAMES:
        assert (ROOT / "examples" / f"{name}.ipynb").stat().st_size < 20_000
