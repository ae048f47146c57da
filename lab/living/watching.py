"""A folder that changes at random while ``ragraphs index --watch`` follows it."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, get_args

from ragraphs.context import IndexContext, LayerName
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.freshness import behind
from ragraphs.index.opening import Index, open_index
from ragraphs.models.protocol import OFFLINE

from ..measuring import processor_seconds_of
from .comparing import compare
from .documents import LivingFolder

_LAYERS = list(get_args(LayerName))
_BEGUN, _RUN_ENDED = "is kept up to date", " documents added, "
_PAUSES = (0.0, 0.02, 0.1, 1.0)  # seconds between two changes
_IDLE = 0.15  # seconds of processor time while nothing is done
_LONGEST = 1200.0  # seconds for a run


def live_while_followed(
    place: Path, files: int, seconds: float, seed: int, quiet: float = 10.0
) -> dict[str, Any]:
    """Changes files for so many seconds, and compares the index at the end with a fresh one.

    It is at its end once the command has done nothing for ``quiet`` seconds.

    Raises TimeoutError where the command does not begin, or does not end.
    """
    chance = random.Random(seed)
    folder = LivingFolder(place / "docs", chance, files)
    folder.fill()
    followed = _Followed(place)
    followed.wait_for(_BEGUN)
    changes, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        folder.change()
        changes += 1
        time.sleep(chance.choice(_PAUSES))
    followed.wait_until_quiet(open_index(str(place / "index")), quiet)
    code = followed.end()
    context = IndexContext(
        index=str(place / "fresh"), model=OFFLINE, embeddings="lexical", layers=_LAYERS
    )
    index_graph.invoke({"sources": [str(place / "docs")]}, context=context)
    one, fresh = open_index(str(place / "index")), open_index(context)
    found = compare(one, fresh, with_communities=False)
    return {
        "files": fresh.catalogue.count_documents(),
        "changes": changes,
        "runs": followed.log().count(_RUN_ENDED),
        "exit_code": code,
        "edges": found.edges,
        "other_edges": found.other_edges,
        "problems": found.sentences + [f"exit code {code}"] * bool(code),
    }


# A shell has what it starts in the background ignore Ctrl-C.
_HEEDING = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class _Followed:
    """The command that follows the documents in ``place``."""

    def __init__(self, place: Path) -> None:
        self._file = place / "log"
        command = [str(Path(sys.executable).with_name("ragraphs")), "index", str(place / "docs")]
        command += ["--watch", "--index", str(place / "index"), "--embeddings", "lexical"]
        command += ["--layers", ",".join(_LAYERS), "--model", OFFLINE]
        with self._file.open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _HEEDING, *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=place,
            )

    def log(self) -> str:
        """All that the command has said so far."""
        return self._file.read_text(encoding="utf-8")

    def wait_for(self, words: str) -> None:
        """Waits until the command says these ``words``."""
        until = time.monotonic() + _LONGEST
        while words not in self.log():
            if self._process.poll() is not None or time.monotonic() > until:
                raise TimeoutError(f"The command has not begun to follow: {self.log()}")
            time.sleep(0.1)

    def wait_until_quiet(self, index: Index, seconds: float) -> None:
        """Waits until the layers have followed, and the command did nothing for ``seconds``."""
        until, since, seen = time.monotonic() + _LONGEST, time.monotonic(), (0.0, "")
        while time.monotonic() - since < seconds:
            time.sleep(0.2)
            used, log = processor_seconds_of(self._process.pid), self.log()
            if used - seen[0] > _IDLE or log != seen[1] or behind(index):
                since, seen = time.monotonic(), (used, log)
            if time.monotonic() > until:
                raise TimeoutError(f"The command comes to no rest: {log}")

    def end(self) -> int:
        """Ends the command as Ctrl-C does, and returns its exit code."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(_LONGEST)
