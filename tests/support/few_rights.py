"""Running Python as somebody who may not write everywhere, though the tests be run by root."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 1, 2


def run_python(script: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The end of a script that is bound by the permissions of files.

    ``more`` is added to its environment. The test is skipped where root cannot be bound.
    """
    libc = ctypes.CDLL(None)

    def bind() -> None:
        for right in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
            if os.geteuid() == 0 and libc.prctl(_PR_CAPBSET_DROP, right, 0, 0, 0):
                os._exit(77)

    ended = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, **more},
        capture_output=True,
        text=True,
        preexec_fn=bind,
        timeout=120,
    )
    if ended.returncode == 77:
        pytest.skip("root may write everywhere here")
    return ended
