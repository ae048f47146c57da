"""Commands to type next."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from ..context import Context
from ..index.serving import first_advice
from ..models.protocol import OFFLINE
from ..settings import settings
from . import show


def show_next_steps(folder: Path) -> None:
    """Prints commands that go on in ``folder``; each works there as it is printed."""
    from ..views.doctor import missing_packages

    program = show.this_program(folder)
    show.sentence("\nGo on with these documents, or with your own (index FOLDER):")
    show.command("cd", str(folder))
    show.command(program, "ask", "How many men worked on the Forth Bridge?")
    show.sentence("\nA page shows the index, and how its questions are answered:")
    if missing_packages("serve"):
        python = show.within(Path(sys.executable), folder)
        pip = [python, "-m", "pip", "install"]
        if find_spec("pip") is None:
            pip = ["uv", "pip", "install", "--python", python]
        show.command(*pip, "'ragraphs[serve]'")
    show.command(program, "serve")


def advise(context: Context) -> None:
    """Says how to get answers, where no model is asked for them; once in the folder of an index."""
    from ..models.nearby import advice

    if context.model == OFFLINE and first_advice(context.folder):
        show.sentence(advice(settings()))
