"""Hostile filters, metadata, limits and prices, and calls of the server's tools."""

from __future__ import annotations

import random
from typing import Any

from .hostile_values import ESCAPES, deep, odd_value, spelled

# Metadata of documents that honest filters find, and that hostile ones try to get around.
KEPT: tuple[dict[str, Any], ...] = (
    {"author": "Ada", "year": 1843, "tags": ["a", "b"], "read": True},
    {"author": "O'Hara \" \\ %_*", "year": 1843.5, "tags": ["서울", ""], "read": False},
    {"author": "", "year": -1, "a.b": "dotted", "a[0]": "bracket", "키": "값"},
)
_KEYS = (
    "author", "year", "tags", "read", "title", "document", "page", "키", "a.b", "a[0]", "$.author",
    "$", "$or", "$and", "$not", "$where", "", " ", "author'--", 'a"b', "a\\b", "a) OR (1=1", "*",
    "'; DROP TABLE passages; --", "$[#-1]", "chroma:document", "metadata", "id", "\x00", "\ud800",
    "author\x00", "e\u0301", "k" * 100, "k" * 20_000, "__class__", "{0.__class__}", "%s", ":author",
    "author COLLATE NOCASE", "json_each", ESCAPES,
)  # fmt: skip
_SIGNS = (
    "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$contains", "$or", "$and", "$not",
    "$regex", "$where", "$exists", "eq", "", "$", "$EQ", "$in ", "\x00", "\ud800", "$gt'--",
)  # fmt: skip
_OPERANDS = (
    "Ada", 1843, 1843.0, "1843", True, "true", 1, 0, "%", "_", "*", "' OR '1'='1", "Ada' --",
    "", "a", "서울", 2**53, 2**63 - 1, 2**63, "2024-01-01", "x" * 15_000, "\x00", "\ud800",
)  # fmt: skip


def odd_filter(chance: random.Random) -> Any:
    """A filter of metadata: sound, broken, or made to reach past what it names."""
    many = chance.choice((2, 49, 50, 51, 2000))
    forms: tuple[Any, ...] = (
        odd_value(chance), {chance.choice(_KEYS): odd_value(chance)},
        {f"k{n}": n for n in range(many)}, {"author": {"$in": list(range(many))}},
        {"author": {"$nin": [chance.choice(_OPERANDS) for _ in range(many)]}},
        {"$or": [{"author": "Ada"}, {"year": {"$gt": 0}}]}, [{"author": "Ada"}],
        {f"k{n}": dict.fromkeys(("$gt", "$gte", "$lt", "$lte", "$ne"), n) for n in range(50)},
        {"author": _nested(chance.choice((3, 100, 900)), "$not")}, _nested(200, "author"),
    )  # fmt: skip
    if chance.random() < 0.4:
        return chance.choice(forms)
    return {
        chance.choice(_KEYS): _asked(chance) for _ in range(chance.choice((1, 1, 1, 2, 5)))
    }  # fmt: skip


def _asked(chance: random.Random) -> Any:
    operand = chance.choice(_OPERANDS)
    if chance.random() < 0.3:
        return operand
    sign = chance.choice(_SIGNS)
    if sign in ("$in", "$nin") and chance.random() < 0.8:
        return {sign: chance.choices(_OPERANDS, k=chance.choice((1, 3, 100)))}
    return {sign: odd_value(chance) if chance.random() < 0.2 else operand}


def _nested(levels: int, key: str) -> Any:
    held: Any = "Ada"
    for _ in range(levels):
        held = {key: held}
    return held


def odd_metadata(chance: random.Random) -> Any:
    """Metadata of a document, of which most does not fit into an index."""
    odd = odd_value(chance)
    many = chance.choice((50, 51, 5000))
    forms: tuple[Any, ...] = (
        odd, {"author": odd}, {chance.choice(_KEYS): odd}, {chance.choice(_KEYS): "Ada"},
        {"tags": [odd]}, {"tags": ["a"] * many}, {"tags": ["a", 1]}, {"author": "a" * 10_000},
        {f"k{n}": n for n in range(many)}, {"page": odd, "section": odd, "date": odd},
        {"author": _nested(500, "a")}, {"path": "/etc/passwd", "id": "x", "start": odd},
        {"_type": "x", "#a": 1, "chroma:document": "x"}, {"year": chance.choice(_OPERANDS)},
    )  # fmt: skip
    return chance.choice(forms)


def odd_limits(chance: random.Random) -> dict[str, Any]:
    """Limits on what a run may spend, most of them extreme."""
    values: tuple[Any, ...] = (
        1,
        0,
        -1,
        5e-324,
        1e308,
        10**30,
        True,
        "1",
        "1e3",
        "",
        None,
        [],
        {},
        0.5,
        2**63,
    )
    drawn = {name: chance.choice((*values, odd_value(chance))) for name in _LIMITS}
    return {name: drawn[name] for name in chance.sample(_LIMITS, chance.choice((1, 2, 3)))}


_LIMITS = ("max_tokens", "max_cost", "max_calls", "max_seconds")


def odd_prices(chance: random.Random) -> bytes:
    """A file of prices that an operator may have written by mistake."""
    odd = odd_value(chance)
    price: Any = {"input": odd, "output": odd}
    forms: tuple[Any, ...] = (
        odd, {"prices": odd}, {"prices": {"offline": odd}}, {"prices": {"offline": price}}, {},
        {"prices": {odd if isinstance(odd, str) else "": {"input": 1}}}, {"prices": [price]},
        {"prices": {"offline": {"input": -1}}}, {"offline": {"input": 1}},
        {"prices": {"offline": {"input": 1e308, "output": 1e308}}},
    )  # fmt: skip
    raw = (
        b"",
        b"\x00",
        b"\xff\xfe{",
        deep(20_000).encode(),
        b"[" * 100_000,
        b'{"prices":',
        ESCAPES,
    )
    if chance.random() < 0.3:
        drawn = chance.choice(raw)
        return drawn if isinstance(drawn, bytes) else drawn.encode()
    return spelled(chance.choice(forms)).encode()


def odd_call(chance: random.Random, question: str) -> Any:
    """A body for the tools of the server: a message of JSON-RPC, most of them broken."""
    odd = odd_value(chance)
    where = odd_filter(chance)
    arguments: tuple[Any, ...] = (
        odd, None, {"question": odd}, {"question": question}, {"question": question, "index": odd},
        {"query": odd, "top_k": odd}, {"query": question, "where": where}, {"nonsense": odd},
        {"query": question, "where": spelled(where)}, {"query": question, "where": deep(5000)},
        {"question": question, "method": odd}, {"question": "a" * 500_000}, {"query": "[" * 10_000},
        {"documents": [{"id": odd, "text": "x", "metadata": odd}]}, {"documents": "[" * 50_000},
    )  # fmt: skip
    names = ("answer_question", "search_meaning", "search_words", "read", "list_documents",
             "look_up", "walk", "report", "summarise_documents", "list_indexes")  # fmt: skip
    name = chance.choice((*names, "search_meaning", "index_documents", "basic", "", odd))
    method = chance.choice(("tools/call",) * 8 + ("tools/list", "initialize", "ping", "x", odd))
    call: dict[str, Any] = {"name": name, "arguments": chance.choice(arguments)}
    if chance.random() < 0.1:
        call["_meta"] = chance.choice((odd, {"progressToken": odd}))
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": call}
    broken: tuple[Any, ...] = (
        {**message, "id": odd}, {**message, "jsonrpc": odd}, {**message, "params": odd},
        [message] * 50, [], odd, {**message, "params": _nested(900, "a")}, {"result": odd, "id": 1},
    )  # fmt: skip
    return chance.choice(broken) if chance.random() < 0.2 else message
