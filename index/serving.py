"""Where on this machine an index is served, as a file in its folder says."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

_FILE = "serving.json"
ADVISED = "advised"  # an empty file: the way to a model was told here
_PROGRAM = f"{__file__} {os.stat(__file__).st_mtime_ns}"


@contextmanager
def announced(folder: Path, port: int, settings: Mapping[str, Any], advice: str) -> Iterator[None]:
    """With a file in ``folder`` that names ``port`` and the ``settings`` of questions there.

    ``advice`` is what a question without a model ends with; it is empty where a question without
    flags might have other settings. There is no file where the folder cannot be written. Only its
    owner may read it. A server that is told to end by a signal leaves it behind; no other server
    has its token.
    """
    file, token = folder / _FILE, secrets.token_urlsafe()
    said = {"port": port, "program": _PROGRAM, "token": token}
    said |= {"settings": settings, "advice": advice}
    with suppress(OSError):
        file.unlink(missing_ok=True)
        file.touch(0o600)
        file.write_text(json.dumps(said), encoding="utf-8")
    try:
        yield
    finally:
        if announcement(folder).get("token") == token:
            file.unlink(missing_ok=True)


def first_advice(folder: Path) -> bool:
    """Whether the way to a model was not told yet in ``folder``; from now on it was.

    Where the folder cannot be written, it is always told anew.
    """
    try:
        (folder / ADVISED).touch(exist_ok=False)
    except FileExistsError:
        return False
    except OSError:
        pass
    return True


def is_plain() -> bool:
    """Whether neither the environment nor a file here holds a setting of the operator."""
    ours = any(name.startswith("RAGRAPHS_") for name in os.environ)
    return not ours and not Path(".env").exists()


def announcement(folder: Path) -> dict[str, Any]:
    """The file of a server of this installation that may run; empty where there is none."""
    try:
        said = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        return said if said["program"] == _PROGRAM else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
