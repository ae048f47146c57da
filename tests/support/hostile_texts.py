"""Hostile texts: repeats that make rules of writing slow, made from the pattern itself."""

from __future__ import annotations

import ast
import importlib
import random
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ragraphs

REPEATS = (
    "between 1 and 2 ", "word ", "Word ", "Marie Curie, ", "in 1901, ", "a. ", "A.", ". ", "x! ",
    "((", "[(", "“a” ", "\"a", "'s ", "...", "_", "=", "| a | b |\n", "- [ ] x\n", "\n", " ", " \n",
    "of the ", "who was the author of ", "서울은 ", "은 는 이 가 ", "가", "의 ", "1", "12 ", "1,",
    "。", "A-b ", "a/", "<", "iVBORw0KGgo", "The X of ", "which is older, ", "Ann Lee or Bob Ray? ",
    "😀",
)  # fmt: skip
_ROOT = Path(ragraphs.__file__).parent
_NOT_IN_USE = ("tests", "lab", "evaluation", "demo", "docs", "examples", ".git", ".venv", "build")
_CALLS = {"search", "match", "fullmatch", "sub", "split", "findall", "finditer", "compile"}
_REPEATED = {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}
_OF_CATEGORY = {
    sre.CATEGORY_SPACE: " \n", sre.CATEGORY_DIGIT: "1", sre.CATEGORY_WORD: "a1",
    sre.CATEGORY_NOT_SPACE: "a", sre.CATEGORY_NOT_WORD: " .", sre.CATEGORY_NOT_DIGIT: "a",
}  # fmt: skip
_ANY = "a1 .A가,-'(\"\n"


def repeated(repeat: str, length: int, end: str = "") -> str:
    return (repeat * (length // len(repeat) + 1))[:length] + end


class Used(NamedTuple):
    """A pattern of the package, where it stands, and the ways in which it is used."""

    pattern: re.Pattern[str]
    where: str
    ways: tuple[str, ...]


def patterns() -> list[Used]:
    """Every regular expression for text in the package: constants of modules, and in calls."""
    found: dict[tuple[str, int], Used] = {}
    for file in sorted(_ROOT.rglob("*.py")):
        parts = file.relative_to(_ROOT).with_suffix("").parts
        if parts[0] in _NOT_IN_USE or parts[-1] == "__main__":
            continue
        module = importlib.import_module(".".join(("ragraphs", *parts)))
        source = file.read_text("utf-8")
        for name, value in vars(module).items():
            for pattern in _compiled(value):
                ways = set(re.findall(rf"\b{name}\b(?:\[[^\]]*\])?\.(\w+)\(", source))
                used = Used(pattern, f"{module.__name__}.{name}", (*(ways & _CALLS),))
                found.setdefault((pattern.pattern, pattern.flags), used)
        for pattern, where, way in _in_calls(ast.parse(source), vars(module)):
            used = Used(pattern, f"{module.__name__}:{where}", (way,))
            found.setdefault((pattern.pattern, pattern.flags), used)
    return list(found.values())


def _compiled(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, list | tuple | set | frozenset | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _compiled(each)


def _in_calls(tree: ast.AST, names: dict[str, Any]) -> Iterator[tuple[re.Pattern[str], int, str]]:
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if ast.unparse(node.func.value) != "re" or node.func.attr not in _CALLS - {"compile"}:
            continue
        flags = [a for a in [*node.args, *(k.value for k in node.keywords)] if "re." in _code(a)]
        try:
            pattern = eval(_code(node.args[0]), dict(names))
            flag = eval(_code(flags[0]), dict(names)) if flags else 0
        except NameError:  # made of something that only the function knows
            continue
        if isinstance(pattern, str):
            yield re.compile(pattern, flag), node.lineno, node.func.attr


def _code(node: ast.AST) -> str:
    return ast.unparse(node)


def against(pattern: re.Pattern[str], length: int) -> Iterator[str]:
    """Texts of ``length`` that repeat parts of what ``pattern`` matches, and then break off."""
    rng = random.Random(0)
    tree = list(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
    parts = {
        ("", _example(tree, rng)),
        *(("", mark) for mark in (" ", "\n", "a", "가", "1", "a. ")),
    }
    for before, body in _repeats(tree):
        start, repeat = _example(before, rng), _example(body, rng)
        parts |= {(start, repeat), ("", start + repeat), ("", repeat)}
    for start, repeat in sorted(parts):
        if repeat and len(start) < length:
            for end in ("", "\0x!"):
                yield start + repeated(repeat, length - len(start), end)


def _repeats(tree: list[Any]) -> Iterator[tuple[list[Any], list[Any]]]:
    """The bodies of a pattern's long repeats, and what stands before each."""
    for place, (kind, value) in enumerate(tree):
        before = tree[:place]
        if kind in _REPEATED:
            inner = [list(value[2])] if value[1] > 7 else []
            yield from ((before, body) for body in inner)
        else:
            inner = _alternatives(kind, value)
        for body in inner:
            yield from ((before + ahead, body) for ahead, body in _repeats(body))


def _alternatives(kind: Any, value: Any) -> list[list[Any]]:
    if kind is sre.SUBPATTERN:
        return [list(value[3])]
    if kind is sre.ATOMIC_GROUP:
        return [list(value)]
    return [list(each) for each in value[1]] if kind is sre.BRANCH else []


def _example(tree: list[Any], rng: random.Random) -> str:
    """A text that the pattern ``tree`` may match, without regard to what it looks ahead for."""
    text = ""
    for kind, value in tree:
        if kind is sre.LITERAL:
            text += chr(value)
        elif kind is sre.ANY or kind is sre.NOT_LITERAL:
            text += rng.choice("a 1")
        elif kind is sre.IN:
            text += _one_of(value, rng)
        elif kind in _REPEATED:
            text += _example(list(value[2]), rng) * max(value[0], min(value[1], 1))
        elif alternatives := _alternatives(kind, value):
            text += _example(rng.choice(alternatives), rng)
    return text


def _one_of(members: list[Any], rng: random.Random) -> str:
    known = ""
    for kind, value in members:
        if kind is sre.LITERAL:
            known += chr(value)
        elif kind is sre.RANGE:
            known += chr(value[0]) + chr(value[1])
        elif kind is sre.CATEGORY:
            known += _OF_CATEGORY[value]
    if members[0][0] is sre.NEGATE:
        known = "".join(mark for mark in _ANY if mark not in known)
    return rng.choice(known or "z")
