"""Failures of a command: a sentence, and the traceback only where it is asked for."""

from __future__ import annotations

import errno
import sys
from contextlib import suppress
from contextvars import ContextVar

import typer

from ..state.errors import RagraphsError, UnexpectedError, foreseen
from . import show
from .flags import usage_sentence

debug = ContextVar("debug", default=False)
_FULL = {errno.ENOSPC, errno.EDQUOT}
_TRACED = "ragraphs --debug, before the same command, shows where it comes from."


def fail(error: Exception) -> int:
    """The exit code of a command that ``error`` ended, which is told on stderr.

    With --debug one that nobody foresaw is raised again.
    """
    error = error if isinstance(error, typer.TyperException) else foreseen(error)
    if isinstance(error, typer.TyperException):
        show.problem(usage_sentence(error))
    elif isinstance(error, OSError) and error.errno in _FULL:
        show.problem(f"The disk is full ({error.strerror}); make room, and run it again.")
        with suppress(OSError):
            sys.stdout.close()  # the rest of it would fail once more at the end
    elif isinstance(error, PermissionError) and not debug.get():
        show.problem(
            f"{error.filename or 'A file'} cannot be read or written ({error.strerror}); change "
            "its permissions, or name another one."
        )
    elif isinstance(error, RagraphsError) and not isinstance(error, UnexpectedError):
        show.problem(str(error))
    elif debug.get():
        raise error
    else:
        said = f"The system refused something: {error}."
        if not isinstance(error, OSError):
            said = f"{error} It says: {error.__cause__}."
        show.problem(f"{said} {_TRACED}")
    return int(getattr(error, "exit_code", 1))
