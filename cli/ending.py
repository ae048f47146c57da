"""Ending a server that is told to end, whatever it does at that moment."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from threading import Thread
from typing import Any

GRACE = 4  # seconds for the requests that are under way
_LONGEST = 8.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)

# A process of its own: a thread that is stuck in C code may let no other line of Python run. It
# learns of a signal by the byte that Python's handler in C writes, and of the end by the end of it.
_GUARD = """
import os, select, signal, sys, time
server, longest = os.getppid(), float(sys.argv[1])
while (told := os.read(0, 1)) and told[0] not in (signal.SIGINT, signal.SIGTERM):
    pass
latest = time.monotonic() + longest
while told and select.select([0], [], [], max(0, latest - time.monotonic()))[0]:
    told = os.read(0, 1)
if told and os.getppid() == server:
    os.kill(server, signal.SIGKILL)
"""


def application() -> Any:
    """Application that `ragraphs serve` runs in each of its processes, which ends in time."""
    from ..server.alone import app
    from ..server.logs import write_json_lines
    from ..server.serving import told_serving
    from ..server.telemetry import set_up_telemetry

    set_up_telemetry()
    if told_serving().json_logs:
        write_json_lines()

    _guard()
    return app


def _guard() -> None:
    """Has this process killed where it still lives some seconds after SIGTERM or Ctrl-C.

    To be called in the main thread, once. An index is whole after it, as after any kill.
    """
    if os.name == "nt":  # without such signals
        return
    reader = _signals()
    command = [sys.executable, "-I", "-S", "-c", _GUARD, str(_LONGEST)]
    subprocess.Popen(command, stdin=reader, start_new_session=True)
    os.close(reader)


def tell_workers() -> None:
    """Tells the processes of this one of SIGTERM and Ctrl-C at once, and ends when they have.

    Uvicorn does so when it has looked after each of them, for which one that is stuck takes long.
    """
    if os.name != "nt":
        Thread(target=_tell, args=(_signals(),), daemon=True).start()


def _tell(reader: int) -> None:
    while (number := os.read(reader, 1)[0]) not in _SIGNALS:
        pass
    for process in multiprocessing.active_children():
        process.terminate()
    time.sleep(_LONGEST + 0.5)  # mostly the process ends in this
    for process in multiprocessing.active_children():
        process.kill()
    os._exit(128 + number)


def _signals() -> int:
    """The end of a pipe from which the numbers of the signals to this process can be read."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader
