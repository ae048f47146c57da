"""The program ``ragraphs``: a question that a running server answers needs none of the commands."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Callable
from functools import partial
from typing import NoReturn

from .deferring import PACKAGES, defer, defer_validators

COLLECTING = 50_000, 20, 100  # a tenth of imports and of runs goes into garbage otherwise


def main() -> NoReturn:
    """Has a plain question answered by the server of its index, and runs any other command."""
    first, *others = COLLECTING  # one question leaves little garbage
    gc.set_threshold(500_000 if sys.argv[1:2] == ["ask"] else first, *others)
    atexit.register(gc.freeze)  # to look for garbage at the very end took a seventh of a question
    try:
        from .asking import answer_plainly

        code = answer_plainly(sys.argv[1:])
        sys.stdout.flush()
    except BaseException as error:
        _run(partial(_fail, error))  # told as that of any command
    if code is None:
        _run()
    sys.exit(code)


def _run(commands: Callable[..., object] | None = None) -> NoReturn:
    for package in PACKAGES:
        defer(package)
    if sys.argv[1:2] == ["ask"]:
        defer_validators()
    from .main import main

    main(commands)


def _fail(error: BaseException, **_: object) -> NoReturn:
    raise error
