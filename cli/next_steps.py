"""Commands to type after the demo."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from . import show


def show_next_steps(place: str) -> None:
    """Prints commands that go on with the index at ``place``; each works as it is printed."""
    from ..views.doctor import missing_packages

    show.sentence("Go on with this index, or with documents of your own (index FOLDER):")
    show.command("ask", "How many men worked on the Forth Bridge?", "--index", place)
    show.sentence("A page shows the index, and how its questions are answered:")
    if missing_packages("serve"):
        pip = ("-m", "pip", "install", "'ragraphs[serve]'")
        show.command(*pip, program=shlex.quote(_python()))
    show.command("serve", "--index", place)


def _python() -> str:
    """The path of this Python, as short as it can be typed in the working folder."""
    python, here = Path(sys.executable), Path.cwd()
    return str(python.relative_to(here) if python.is_relative_to(here) else python)
