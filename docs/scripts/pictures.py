"""Takes the picture of an answer: ``python docs/scripts/pictures.py docs/images``.

The answer is of a real run over the English part of the demo's documents, without a model. The
picture is of the page that ``ragraphs export --format html --answer`` writes, in Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import ragraphs
from PIL import Image

_QUESTION = "Who learned the mathematics of the cables?"
_SIZE = "1200,640"
_COMMAND = "from ragraphs.cli.main import main; main()"


def answer_page(folder: Path) -> Path:
    """The page of the answer, as the commands of the documentation make it in ``folder``."""
    documents = folder / "bridges"
    documents.mkdir()
    for file in (Path(ragraphs.__file__).parent / "demo").glob("*.md"):
        if file.name.isascii():
            shutil.copy(file, documents)
    built = ["--layers", "sentences,hops,entities", "--embeddings", "lexical"]
    _run(folder, ["index", "bridges", "--index", "Bridges", *built])
    asked = ["ask", _QUESTION, "--index", "Bridges", "--method", "hoprag", "--json"]
    answer, page = folder / "answer.json", folder / "answer.html"
    answer.write_text(_run(folder, asked), encoding="utf-8")
    shown = ["export", "--format", "html", "--index", "Bridges", "--answer", "answer.json"]
    page.write_text(_run(folder, shown), encoding="utf-8")
    return page


def _run(folder: Path, arguments: Sequence[str]) -> str:
    """The standard output of a ``ragraphs`` command."""
    command = [sys.executable, "-c", _COMMAND, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def take(page: Path, picture: Path) -> None:
    """Writes what Chromium shows of ``page`` as PNG."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("Chromium takes the pictures; install it, or put it on the path.")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--window-size={_SIZE}"]
    # The page draws itself in some frames; virtual time waits for the last of them.
    flags += ["--virtual-time-budget=4000", f"--screenshot={picture.resolve()}"]
    subprocess.run([browser, *flags, page.as_uri()], check=True, capture_output=True)
    Image.open(picture).convert("RGB").quantize(64).save(picture, optimize=True)


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        take(answer_page(Path(temporary)), Path(sys.argv[1], "answer.png"))
