"""Runs the notebooks and keeps their outputs: ``python docs/scripts/notebooks.py examples``."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode


def run_notebook(file: Path) -> NotebookNode:
    """The notebook with the outputs of its cells, in order; the first error of a cell is raised."""
    notebook = nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook,
        timeout=120,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": file.parent}},
    )
    ran: NotebookNode = client.execute()
    ran.metadata.pop("language_info", None)  # it names the version of Python
    return ran


if __name__ == "__main__":
    for notebook in sorted(Path(sys.argv[1]).glob("*.ipynb")):
        nbformat.write(run_notebook(notebook), notebook)  # type: ignore[no-untyped-call]
