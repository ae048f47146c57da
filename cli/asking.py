"""Asking the server of an index that runs on this machine, which has everything open already."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Any

from ..context import Context
from ..graphs.methods import RouterContext
from ..index.serving import announcement
from ..settings import settings
from .answers import TimedAnswer

_SENT = {"method", "where", "max_seconds"}
_SECONDS = 1.0  # to reach it; an answer may take longer


def own_settings(context: Context) -> dict[str, Any]:
    """The settings of a question that a server has itself."""
    return context.model_dump(mode="json", exclude={"index", *_SENT})


def answer_of_server(given: Mapping[str, str], context: RouterContext) -> TimedAnswer | None:
    """The answer of a server of this index with the same settings; None where there is none."""
    if settings().database is not None:
        return None
    served = announcement(context.folder)
    if not served or served.get("settings") != own_settings(context):
        return None
    started = time.monotonic()
    [(kind, said)] = given.items()
    sent = {"question": said, "verify": kind == "statement"}
    sent |= context.model_dump(mode="json", include=_SENT)
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
