"""The page as one HTML file with its data, which a browser opens without a server or a network.

Texts come from documents, so nothing in them may act: they stand compressed in an element that is
no script, and the page's policy lets no script and no style run but its own.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib.resources import files
from pathlib import PurePosixPath

_PAGE = files(__package__) / "page"
_STATIC = "page/static/"
_MAIN = "main.js"
_ICON = "icon.svg"
_NOT_IN_TITLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_PATH = r'"(\.[^"]+)"'
_LATER = re.compile(rf"\bimport\({_PATH}\)")
_FROM = re.compile(rf"\b(import|export)(?:\s*(\w+|\{{[^{{}}]*\}})\s*from)?\s*{_PATH};?")
_LISTED = re.compile(r"\bexport\s*\{([^}]*)\};?")
_DECLARED = re.compile(
    r"^export (?=(?:async )?(?:function\*?|const|let|class) (\w+))", re.MULTILINE
)
_NAMED = re.compile(r"(\w+)(?: as (\w+))?")
_SHEETS = re.compile(rf'\n *<link rel="stylesheet" href="{_STATIC}([^"]+)"([^/>]*) />')
_SCRIPT = re.compile(rf'<script type="module" src="{_STATIC}{_MAIN}"></script>')


def page_file(title: str, data: object) -> str:
    """One HTML file of the page, which takes ``data`` as its server's replies. ``title`` is shown.

    The same data give the same file. Blocks.
    """
    icon = "data:image/svg+xml;base64," + _base64(_text(_ICON).encode())
    script = _bundle().replace(_STATIC + _ICON, icon)
    page, styles = _text("index.html"), list[str]()

    def styled(match: re.Match[str]) -> str:
        styles.append(_text(match[1]))
        return f"\n    <style{match[2]}>{styles[-1]}</style>"

    page = _SHEETS.sub(styled, page).replace(_STATIC + _ICON, icon)
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; "
        f"style-src {' '.join(map(_hash, styles))}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}" />\n    '
    meta += '<meta name="referrer" content="no-referrer" />\n    '
    page = page.replace('<meta name="viewport"', f'{meta}<meta name="viewport"')
    shown = html.escape(_NOT_IN_TITLE.sub("", title))
    page = page.replace("<title>ragraphs</title>", f"<title>{shown}</title>")
    packed = _base64(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0))
    content = (
        f'<script type="application/gzip" id="data">{packed}</script>\n    '
        f'<script type="module">{script}</script>'
    )
    return _SCRIPT.sub(lambda _: content, page)


def _text(path: str) -> str:
    return _PAGE.joinpath(path).read_text("utf-8")


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _hash(content: str) -> str:
    return f"'sha256-{_base64(hashlib.sha256(content.encode()).digest())}'"


def _bundle() -> str:
    """The page's modules as one script: each a function that gives what it exports."""
    modules: dict[str, str] = {}
    waiting = [_MAIN]
    while waiting:
        path = waiting.pop()
        if path not in modules:
            modules[path] = _text(path)
            waiting += _imported(path, modules[path])
    order = TopologicalSorter({path: list(_imported(path, text)) for path, text in modules.items()})
    wrapped = [_wrapped(path, modules[path]) for path in order.static_order()]
    vendored = sorted(_PAGE.joinpath("vendor").iterdir(), key=lambda file: file.name)
    licences = [
        f"/*\n{file.read_text('utf-8')}*/" for file in vendored if file.name.endswith(".txt")
    ]
    return "\n".join([*licences, "const modules = {};", *wrapped])


def _imported(path: str, text: str) -> Iterator[str]:
    found = [match[3] for match in _FROM.finditer(text)] + _LATER.findall(text)
    return (_resolved(path, one) for one in found)


def _resolved(path: str, other: str) -> str:
    """The path of the module that the one at ``path`` calls ``other``."""
    parts: list[str] = list(PurePosixPath(path).parent.parts)
    for part in PurePosixPath(other).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _wrapped(path: str, text: str) -> str:
    """A module as a statement that keeps its exports in ``modules``."""
    exports = [f"{name}" for name in _DECLARED.findall(text)]

    def brought(match: re.Match[str]) -> str:
        source, names = _reference(path, match[3]), match[2] or "{}"
        if match[1] == "export":
            exports.extend(f"{own}: {source}.{name}" for name, own in _pairs(names))
            return ""
        if not names.startswith("{"):
            return f"const {names} = {source}.default;"
        return (
            f"const {{ {', '.join(f'{name}: {own}' for name, own in _pairs(names))} }} = {source};"
        )

    def listed(match: re.Match[str]) -> str:
        exports.extend(f"{own}: {name}" for name, own in _pairs(match[1]))
        return ""

    text = _LISTED.sub(listed, _FROM.sub(brought, text))
    text = _LATER.sub(lambda match: f"Promise.resolve({_reference(path, match[1])})", text)
    text = _DECLARED.sub("", text)
    key = json.dumps(path)
    return f"modules[{key}] = (() => {{\n{text}\nreturn {{ {', '.join(exports)} }};\n}})();"


def _reference(path: str, other: str) -> str:
    return f"modules[{json.dumps(_resolved(path, other))}]"


def _pairs(names: str) -> list[tuple[str, str]]:
    """The names in braces, each with the name that it is given there."""
    return [(name, own or name) for name, own in _NAMED.findall(names)]
