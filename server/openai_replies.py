"""Answers and errors in the form of OpenAI's protocol."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from contextlib import aclosing
from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..nodes.subgraph import Events
from ..state.records import Citation, Usage
from ..views.compact import short_answer, short_text
from .asking import ReplyForm

_PARTS = ("sufficient", "stop_reason", "method", "asked", "missing", "warnings")
_ADDRESS = ":/?#@!$&'*+,;=%~"  # without the brackets of Markdown


def reply_form(model: str, page: str, usage: bool) -> ReplyForm:
    """The form of replies by ``model``; ``page`` is the address that documents are opened below.

    ``usage`` says whether the last piece of a stream tells it.
    """
    return ReplyForm(
        partial(_completion, model, page), partial(_pieces, model, page, usage), _written
    )


def _completion(model: str, page: str, output: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", **_message(output, page)}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {
        **_head(model, "chat.completion"),
        "choices": [choice],
        "usage": _usage(output["usage"]),
        "ragraphs": _told(output),
    }


async def _pieces(model: str, page: str, usage: bool, events: Events) -> Events:
    """The pieces of a completion; a reply that breaks off begins anew in a new paragraph."""
    head = _head(model, "chat.completion.chunk")

    def piece(delta: dict[str, Any], finish: str | None = None, **more: Any) -> tuple[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return "piece", {**head, "choices": [choice], **more}

    yield piece({"role": "assistant", "content": ""})
    before, text, id = 0, "", ""  # the characters of what broke off, and what was sent since
    async with aclosing(events) as told:
        async for name, value in told:
            if name == "text":
                if text and value["id"] != id:
                    yield piece({"content": "\n\n"})
                    before, text = before + len(text) + 2, ""
                id, text = value["id"], text + value["text"]
                yield piece({"content": value["text"]})
            elif name == "answer":
                if text and not value["answer"].startswith(text):
                    yield piece({"content": "\n\n"})
                    before, text = before + len(text) + 2, ""
                rest = _message(value, page, before)
                yield piece({**rest, "content": rest["content"].removeprefix(text)})
                yield piece({}, "stop", ragraphs=_told(value))
                if usage:
                    yield "piece", {**head, "choices": [], "usage": _usage(value["usage"])}
    yield "end", "[DONE]"


def _written(name: str, value: Any) -> str:
    if name == "error":
        value = {"error": _error(value["detail"], 500)}
    return f"data: {value if name == 'end' else json.dumps(value, ensure_ascii=False)}\n\n"


def _head(model: str, kind: str) -> dict[str, Any]:
    id, now = f"chatcmpl-{uuid.uuid4().hex}", int(time.time())
    return {"id": id, "object": kind, "created": now, "model": model}


def _message(output: Any, page: str, before: int = 0) -> dict[str, Any]:
    """The answer with its quotations as footnotes, which ``annotations`` name as well.

    The footnotes begin like the router's own, which leaves them out of a conversation. Where there
    is no answer, the sentence that says so is the ``refusal``, too. ``before`` are characters that
    were sent before the answer.
    """
    short = short_answer(output)
    web = {one["id"] for one in output["evidence"] if one["found"] == "web"}
    links = []
    for each, citation in zip(short["quotes"], output["citations"], strict=True):
        address = _address(citation, page, citation["passage"] in web)
        place = each["place"].translate({ord(mark): f"\\{mark}" for mark in "[]"})
        each["place"] = f"[{place}]({address})"
        links.append((each["place"], citation["title"] or citation["document"], address))
    text, end = short_text(short), 0
    annotations = []
    for link, title, url in links:
        start = text.index(link, end)
        end = start + len(link)
        span = {"start_index": before + start, "end_index": before + end}
        cited = {**span, "title": title, "url": url}
        annotations.append({"type": "url_citation", "url_citation": cited})
    refusal = None if output["answer"] else text
    return {"content": text, "refusal": refusal, "annotations": annotations}


def _address(citation: Citation, page: str, of_web: bool) -> str:
    """The address at which ``citation`` can be read: on the web, or the document at the place."""
    if of_web:
        return quote(citation["document"], safe=_ADDRESS)
    document = quote(citation["document"], safe="")
    return f"{page}/{document}/{citation['start']}/{citation['end']}"


def _usage(usage: Usage) -> dict[str, int]:
    """The tokens of all models that answered, none of which were reused."""
    models = usage.get("models", {}).values()
    sent = sum(one["input_tokens"] for one in models)
    received = sum(one["output_tokens"] for one in models)
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


def _told(output: Mapping[str, Any]) -> dict[str, Any]:
    """Parts of an output for which the protocol has no place."""
    return {name: output[name] for name in _PARTS}


def _error(sentence: str, status: int) -> dict[str, Any]:
    return {
        "message": sentence,
        "type": "server_error" if status >= 500 else "invalid_request_error",
        "param": None,
        "code": "model_not_found" if status == 404 else None,
    }


class OpenAIErrors:
    """Gives each error below ``/v1/``, whoever refused the request, the form of the protocol."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, and its reply unless that is an error."""
        if scope["type"] != "http" or not scope["path"].startswith("/v1/"):
            return await self._app(scope, receive, send)
        begun: list[Message] = []
        body = b""

        async def told(message: Message) -> None:
            nonlocal body
            if message["type"] == "http.response.start" and message["status"] >= 400:
                begun.append(message)
            elif not begun:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await _refusal(begun[0], body)(scope, receive, send)

        await self._app(scope, receive, told)


def _refusal(begun: Message, body: bytes) -> JSONResponse:
    try:
        sentence = json.loads(body)["detail"]
    except (ValueError, TypeError, LookupError):  # the framework's own words
        sentence = body.decode(errors="replace")
    status = 400 if begun["status"] == 422 else begun["status"]
    response = JSONResponse({"error": _error(sentence, status)}, status)
    kept = {b"retry-after", b"www-authenticate", b"allow"}
    response.raw_headers += [pair for pair in begun["headers"] if pair[0].lower() in kept]
    return response
