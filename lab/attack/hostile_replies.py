"""Hostile replies of a model: mutated content, odd envelopes, error bodies, broken transport.

Each family is a function that makes one reply out of the honest one; ``FAMILIES`` has them with
their weights.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from .hostile_server import Sent, completion, events, http, pieces_of
from .hostile_values import (
    ESCAPES,
    ODD_STRINGS,
    ODD_VALUES,
    amplified,
    deep,
    mutated,
    odd_value,
    spelled,
    with_bad_item,
)
from .signs import KEY

_MB = 1024 * 1024
_STATUSES = (400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 451, 500, 501, 502, 503, 504, 529)
_ODD_STATUSES = (201, 204, 206, 302, 304, 307, 308, 418, 599, 999)
_SEPARATORS = ("{", "[", '{"a":', "[{", '"', "\\", ",", ":", "'", '{"a":[', "}{", "]", '\\"', "//")
_RUNS = (300, 3000, 10_000, 30_000, 100_000)
Body = dict[str, Any]


def honest(reply: Any, body: Body) -> Sent:
    """The reply itself, in the way that was asked for."""
    text = json.dumps(reply, ensure_ascii=False)
    return _said(text, body, "", 24)


def hostile(reply: Any, body: Body, chance: random.Random) -> Sent:
    """Something hostile in the place of the honest ``reply`` to the request ``body``."""
    family = chance.choices([each for each, _ in FAMILIES], [share for _, share in FAMILIES])[0]
    return family(reply, body, chance)


def _said(text: str, body: Body, label: str, size: int = 24, **changes: Any) -> Sent:
    """``text`` as the content of a completion, streamed where the request asks for it."""
    if body.get("stream"):
        return Sent(label, (events(pieces_of(text, max(size, len(text) // 2000))),))
    return Sent(label, (_json(completion(text, **changes)),))


def _json(value: Any) -> bytes:
    return http(
        value.encode(errors="replace") if isinstance(value, str) else spelled(value).encode()
    )


def _mutation(reply: Any, body: Body, chance: random.Random) -> Sent:
    return _said(spelled(mutated(reply, chance)), body, "mutated content")


def _odd_strings(reply: Any, body: Body, chance: random.Random) -> Sent:
    odd = chance.choice(ODD_STRINGS)

    def changed(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: changed(held, name) for name, held in value.items()}
        if isinstance(value, list):
            return [changed(held, key) for held in value]
        return odd if isinstance(value, str) and chance.random() < 0.6 else value

    return _said(spelled(changed(reply)), body, "odd strings")


def _bad_item(reply: Any, body: Body, chance: random.Random) -> Sent:
    changed = with_bad_item(reply, chance)
    if changed is None:
        return _mutation(reply, body, chance)
    return replace(_said(json.dumps(changed), body, "unreadable item"), loses=True)


def _cut(reply: Any, body: Body, chance: random.Random) -> Sent:
    text = json.dumps(reply, ensure_ascii=False)
    # The end of the last string or list is missing as well, so that something is lost.
    text = text[: int(len(text) * chance.uniform(0.3, 0.85))]
    return replace(_said(text, body, "cut off without a word"), loses=True)


def _cut_and_said(reply: Any, body: Body, chance: random.Random) -> Sent:
    text = json.dumps(reply, ensure_ascii=False)
    text = text[: int(len(text) * chance.uniform(0.0, 0.9))]
    return Sent("cut off, said so", (_json(completion(text, "length")),))


def _nesting(reply: Any, body: Body, chance: random.Random) -> Sent:
    times = chance.choice(_RUNS)
    run = "".join(chance.choices(_SEPARATORS, k=chance.choice((1, 1, 2, 3)))) * times
    text = json.dumps(reply)
    start = chance.choice(("", text[: len(text) // 2], text, '{"answer": "'))
    return _said((start + run)[:100_000], body, "runs of brackets and quotes")


def _prose(reply: Any, body: Body, chance: random.Random) -> Sent:
    text = json.dumps(reply, ensure_ascii=False)
    forms: tuple[str, ...] = (
        f"```json\n{text}\n```", f"<think>{{}}{text[:40]}</think>{text}", f"<think>{text}",
        f"Here it is: {text}\nAnything else?", repr(reply), f"{text}{text}", f"[{text}]",
        text.replace('"', "“"), text.replace("}", ",}"), text.replace(": ", " = "), "",
        json.dumps(text), "I cannot do that.", "null", "[]", "{}", text.replace('"', "'"),
        f"{text}{'!' * 50_000}", f"<think>{'hm ' * 20_000}</think>{text}", text.upper(),
        "// a comment\n" + text, text.replace(" ", "\u00a0"), text + ESCAPES,
    )  # fmt: skip
    return _said(chance.choice(forms), body, "prose, fences, other notations")


def _amplified(reply: Any, body: Body, chance: random.Random) -> Sent:
    changed = amplified(reply, chance, chance.choice((100, 500, 500, 2000)))
    return _said(json.dumps(changed)[:2_000_000], body, "huge lists")


def _long_names(reply: Any, body: Body, chance: random.Random) -> Sent:
    long = chance.choice(("a", "Ab ", "가", "1 ", "-")) * chance.choice((2000, 20_000, 50_000))
    text = json.dumps(reply, ensure_ascii=False)
    words = [word for word in text.split('"')[1::2] if len(word) > 3] or ["answer"]
    return _said(text.replace(chance.choice(words), long), body, "huge names")


def _envelope(reply: Any, body: Body, chance: random.Random) -> Sent:
    """One field of the completion is odd."""
    text = json.dumps(reply)
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    usage[chance.choice(list(usage))] = odd_value(chance)
    calls = ([5], [{"function": None}], [{"id": 1, "function": {"name": "x", "arguments": "{"}}])
    field, value = chance.choice(
        (
            ("finish_reason", odd_value(chance)),
            (
                "finish_reason",
                chance.choice(("tool_calls", "content_filter", "function_call", "x")),
            ),
            ("refusal", odd_value(chance)),
            ("usage", odd_value(chance)),
            ("usage", usage),
            ("usage", usage),
            ("choices", odd_value(chance)),
            ("choices", [odd_value(chance)]),
            ("choices", [{"message": odd_value(chance), "finish_reason": "stop"}]),
            ("content", odd_value(chance)),
            ("content", [{"type": "text", "text": text}, odd_value(chance)]),
            ("tool_calls", chance.choice((*calls, odd_value(chance)))),
            ("role", odd_value(chance)),
            ("id", odd_value(chance)),
            ("model", odd_value(chance)),
            ("created", odd_value(chance)),
            ("error", odd_value(chance)),
        )
    )
    whole = completion(text)
    [choice] = whole["choices"]
    holder = choice if field == "finish_reason" else choice["message"]
    if field in {"usage", "choices", "id", "model", "created", "error"}:
        holder = whole
    holder[field] = value
    return Sent(f"odd {field}", (_json(whole),))


def _odd_body(reply: Any, body: Body, chance: random.Random) -> Sent:
    whole = json.dumps(completion(json.dumps(reply)))
    forms: tuple[bytes, ...] = (
        b"", b"null", b"[]", b"5", b'"text"', b"<html><h1>Gateway</h1></html>", b"\xff\xfe\x00",
        whole[: len(whole) // 2].encode(), b"\xef\xbb\xbf" + whole.encode(), b"[" * 100_000,
        deep(50_000).encode(), whole.encode("utf-16"), b"9" * 100_000, b'{"choices": NaN}',
        f"{whole}{whole}".encode(), b" " * 100_000,
    )  # fmt: skip
    return Sent("odd body", (http(chance.choice(forms)),), fails=True)


def _error_body(chance: random.Random) -> bytes:
    said: tuple[Any, ...] = (
        {"error": ["x"]}, {"error": 5}, {"error": {}}, {"error": None}, {"error": "overloaded"},
        {"error": {"message": ["x"], "code": {"a": 1}}}, {"error": {"message": f"Bad key {KEY}"}},
        {"error": {"message": "m" * 50_000}}, {"detail": [{"loc": ["body"], "msg": "x"}]}, [], 5,
        {"error": {"message": ESCAPES, "code": "content_filter"}}, "text", {"message": KEY},
        {"error": {"message": "temperature is not supported"}}, {"error": {"param": [[]]}},
        {"error": {"message": "line\nline\n  line", "type": None, "code": 7}},
        {"a": odd_value(chance)}, {"error": odd_value(chance)},
    )  # fmt: skip
    raw = (b"", b"<html><body>502 Bad Gateway</body></html>", b"[" * 50_000, deep(5000).encode())
    return chance.choice(raw) if chance.random() < 0.2 else spelled(chance.choice(said)).encode()


def _status(reply: Any, body: Body, chance: random.Random) -> Sent:
    odd = chance.random() < 0.15
    status = chance.choice(_ODD_STATUSES if odd else _STATUSES)
    headers = {}
    if chance.random() < 0.3:
        value = chance.choice(("0", "-5", "nan", "", "soon", "Fri, 31 Dec 1999 23:59:59 GMT", "²"))
        headers["Retry-After"] = value.encode().decode("latin-1")
    if status in {302, 307, 308}:
        places = ("file:///etc/passwd", "/v1/chat/completions", "http://127.0.0.1:9/", "//[", "")
        headers["Location"] = chance.choice(places)
    return Sent(
        f"status {status}", (http(_error_body(chance), status, headers),), fails=True,
        status=status,
    )  # fmt: skip


@cache
def _bomb(megabytes: int) -> bytes:
    start = b'{"choices": [{"message": {"content": "'
    return gzip.compress(start + b"a" * megabytes * _MB + b'"}}]}', 9)


def _packed(data: bytes, encoding: str) -> bytes:
    return http(data, headers={"Content-Encoding": encoding})


def _claimed(data: bytes, length: int) -> bytes:
    return http(data, headers={"Content-Length": str(length)})


def _wire(reply: Any, body: Body, chance: random.Random) -> Sent:
    """The transport is broken."""
    whole = json.dumps(completion(json.dumps(reply))).encode()
    good = http(whole)
    forms: tuple[tuple[str, bytes], ...] = (
        ("half a body", good[: len(good) - len(whole) // 2]),
        ("no body", good[: -len(whole)]),
        ("no reply", b""),
        ("no HTTP", b"\x00\x01\x02 hello\r\n\r\n"),
        ("a length too long", _claimed(whole, len(whole) + 1000)),
        ("a length too short", _claimed(whole, 10)),
        ("a negative length", _claimed(whole, -5)),
        ("no gzip", _packed(whole, "gzip")),
        ("half a gzip", _packed(gzip.compress(whole)[:-20], "gzip")),
        ("an unknown encoding", _packed(whole, "br, gzip, x")),
        ("a gzip bomb", _packed(_bomb(chance.choice((16, 64))), "gzip")),
        ("huge headers", http(whole, headers={"X-Large": "h" * 100_000})),
        ("a status that is none", good.replace(b"200", b"2x0")),
        ("endless chunks", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n{"),
    )
    label, data = chance.choice(forms)
    return Sent(label, (data,), fails=True)


def _slow(reply: Any, body: Body, chance: random.Random) -> Sent:
    """It arrives drop by drop; whole at last, or never."""
    data = _said(json.dumps(reply), body, "").parts[0]
    size = max(1, len(data) // 40)
    parts = tuple(data[place : place + size] for place in range(0, len(data), size))
    return Sent("drop by drop", parts, chance.choice((0.01, 0.2)))


def _stream(reply: Any, body: Body, chance: random.Random) -> Sent:
    """A stream whose events are odd, or that breaks."""
    if not body.get("stream"):
        return _mutation(reply, body, chance)
    pieces = pieces_of(json.dumps(reply, ensure_ascii=False), chance.choice((1, 7, 500)))
    place = chance.randrange(len(pieces))
    broken: tuple[Any, ...] = (
        b"data: {\n\n", b"data:\n\n", b": a comment\n\n", b"event: error\ndata: {}\n\n",
        b"\xff\n\n",
        {"error": {"message": "overloaded", "code": 500}}, {"error": odd_value(chance)},
        {"choices": []}, {"choices": None}, {"choices": [{"index": 0, "delta": None}]}, None, 5,
        {"choices": [{"index": 0, "delta": {"content": odd_value(chance)}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": odd_value(chance)}]},
        {"choices": [{"index": 5, "delta": {"content": "other"}}]},
        {"choices": [], "usage": {"prompt_tokens": odd_value(chance)}},
        {"choices": odd_value(chance)},
        {"choices": [{"index": 0, "delta": {"content": "\ud83d"}}]},
    )  # fmt: skip
    shown = [json.dumps(piece).encode() if piece in ODD_VALUES else piece for piece in broken]
    odd = chance.choice(shown)
    cut = chance.random() < 0.3
    changed = [*pieces[:place], odd, *([] if cut else pieces[place:])]
    whole = events([_line(piece) for piece in changed], b"" if cut else b"data: [DONE]\n\n")
    return Sent("an odd stream", (whole,))


def _line(piece: Any) -> bytes:
    return piece if isinstance(piece, bytes) else b"data: " + spelled(piece).encode() + b"\n\n"


Family = Callable[[Any, Body, random.Random], Sent]
FAMILIES: tuple[tuple[Family, float], ...] = (
    (_mutation, 30),
    (_odd_strings, 10),
    (_bad_item, 8),
    (_cut, 8),
    (_cut_and_said, 3),
    (_nesting, 5),
    (_prose, 6),
    (_amplified, 1.5),
    (_long_names, 2),
    (_envelope, 14),
    (_odd_body, 3),
    (_status, 9),
    (_wire, 4),
    (_slow, 0.2),
    (_stream, 4),
)
