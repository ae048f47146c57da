"""Where on this machine an index is served, as a file in its folder says."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

_FILE = "serving.json"


@contextmanager
def announced(folder: Path, port: int, settings: Mapping[str, Any]) -> Iterator[None]:
    """With a file in ``folder`` that names ``port`` and the ``settings`` of questions there.

    There is none where the folder cannot be written. Only its owner may read it. A server that is
    told to end by a signal leaves it behind; no other server has its token.
    """
    file, token = folder / _FILE, secrets.token_urlsafe()
    said = {"port": port, "version": version("ragraphs"), "token": token, "settings": settings}
    with suppress(OSError):
        file.unlink(missing_ok=True)
        file.touch(0o600)
        file.write_text(json.dumps(said), encoding="utf-8")
    try:
        yield
    finally:
        if announcement(folder).get("token") == token:
            file.unlink(missing_ok=True)


def announcement(folder: Path) -> dict[str, Any]:
    """The file of a server of this version that may run; empty where there is none."""
    try:
        said = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        return said if said["version"] == version("ragraphs") else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
