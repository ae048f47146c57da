"""Asking the server of an index that runs on this machine, which has everything open already."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..index.serving import announcement, first_advice, is_plain
from ..models.protocol import OFFLINE
from ..state.places import INDEX
from .answers import TimedAnswer, show_answer
from .show import sentence

if TYPE_CHECKING:
    from ..context import Context
    from ..graphs.methods import RouterContext

_SENT = {"method", "where", "max_seconds"}
_SECONDS = 1.0  # to reach it; an answer may take longer


def own_settings(context: Context) -> dict[str, Any]:
    """The settings of a question that a server has itself."""
    return context.model_dump(mode="json", exclude={"index", *_SENT})


def answer_of_server(given: Mapping[str, str], context: RouterContext) -> TimedAnswer | None:
    """The answer of a server of this index with the same settings; None where there is none."""
    from ..settings import settings

    if settings().database is not None:
        return None
    served = announcement(context.folder)
    if not served or served.get("settings") != own_settings(context):
        return None
    [(kind, said)] = given.items()
    sent = {"question": said, "verify": kind == "statement"}
    return _asked(served, sent | context.model_dump(mode="json", include=_SENT))


def answer_plainly(arguments: Sequence[str]) -> int | None:
    """Prints the answer of a server to a question without other flags than its index.

    Returns the exit code; None where the command has to be read, or no server answers.
    """
    match arguments:
        case ["ask", question]:
            index = INDEX
        case ["ask", question, "--index", index] | ["ask", "--index", index, question]:
            pass
        case _:
            return None
    if not question or question.startswith("-") or not is_plain():
        return None
    folder = Path(index).expanduser().absolute()
    served = announcement(folder)
    asked = _asked(served, {"question": question}) if served.get("advice") else None
    if asked is None:
        return None
    show_answer(asked, OFFLINE)
    if first_advice(folder):
        sentence(served["advice"])
    return int(asked.output["stop_reason"] == "model_failed")


def _asked(served: Mapping[str, Any], sent: Mapping[str, Any]) -> TimedAnswer | None:
    """The reply of the server that is ``served``; None where it gives none."""
    started = time.monotonic()
    headers = {"Content-Type": "application/json", "Ragraphs-Server": served["token"]}
    server = http.client.HTTPConnection("127.0.0.1", served["port"], timeout=_SECONDS)
    with closing(server), suppress(OSError, http.client.HTTPException, ValueError):
        server.connect()
        server.sock.settimeout(None)
        server.request("POST", "/ask", json.dumps(sent), headers)
        reply = server.getresponse()
        if reply.status == 200:
            return TimedAnswer(json.loads(reply.read()), time.monotonic() - started)
    return None
