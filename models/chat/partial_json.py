"""Reading one string of a JSON object while the object is still arriving."""

from __future__ import annotations

import json
import re

_THINKING = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_HEX = "[0-9a-fA-F]"
_HIGH, _LOW = rf"\\u[dD][89abAB]{_HEX}{{2}}", rf"\\u[dD][c-fC-F]{_HEX}{{2}}"
# Half a surrogate pair at the end waits for what may be the other half.
_CHARACTERS = re.compile(
    rf'(?:[^"\\]|{_HIGH}{_LOW}|{_HIGH}(?!\\?\Z|\\u(?:[dD](?:[c-fC-F]{_HEX}?)?)?\Z)'
    rf'|\\u(?![dD][89abAB]){_HEX}{{4}}|\\["\\/bfnrt])*'
)


class PartialString:
    """The value of the key ``name`` of a JSON object that arrives in pieces.

    Text before the object and a model's thinking are skipped; invalid JSON gives nothing more.
    White space at both ends of the value is left out, as it is where replies are validated.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._text = ""
        self._depth = 0
        self._key: str | None = None
        self._reading = self._before
        self._held = ""
        self._begun = False

    def feed(self, text: str) -> str:
        """The part of the value that ``text``, the next piece of the reply, adds."""
        self._text += text
        found: list[str] = []
        while (part := self._reading()) is not None:
            found.append(part)
        return self._stripped("".join(found))

    def _before(self) -> str | None:
        """Looks for the object; None where more text is needed."""
        start = self._text.find("{")
        thinking = _THINKING.search(self._text, 0, start + 1)
        if start < 0:
            return None
        if thinking:
            end = re.compile(f"</{thinking[1]}>", re.IGNORECASE).search(self._text)
            if end is None:
                return None
            self._text = self._text[end.end() :]
            return ""
        self._text = self._text[start:]
        self._reading = self._inside
        return ""

    def _inside(self) -> str | None:
        """Takes one token of the object: a bracket, a string, or a character between them."""
        self._text = self._text.lstrip()
        if not self._text:
            return None
        if self._text[0] == '"':
            if self._depth == 1 and self._key == self._name:
                self._text = self._text[1:]
                self._reading = self._value
                return ""
            string = _STRING.match(self._text)
            if string is None:
                return None
            self._text = self._text[string.end() :]
            if self._depth == 1 and self._key is None:
                self._key = _decoded(string[1])
            return ""
        self._depth += (self._text[0] in "{[") - (self._text[0] in "}]")
        if self._text[0] == "," and self._depth == 1:
            self._key = None
        if self._depth == 0:
            self._reading = _nothing
        self._text = self._text[1:]
        return ""

    def _value(self) -> str | None:
        """Takes all whole characters of the value, up to its closing quote."""
        whole = _CHARACTERS.match(self._text)
        assert whole is not None
        end = whole.end()
        if end == len(self._text) and end and "\ud800" <= self._text[-1] <= "\udbff":
            end -= 1
        taken, self._text = self._text[:end], self._text[end:]
        if self._text.startswith('"'):
            self._reading = _nothing
        return _decoded(taken) if taken else None

    def _stripped(self, part: str) -> str:
        part = self._held + part
        if not self._begun:
            part = part.lstrip()
        kept = part.rstrip()
        self._held = part[len(kept) :]
        self._begun = self._begun or bool(kept)
        return kept


def _nothing() -> str | None:
    return None


def _decoded(inner: str) -> str:
    """The characters between the quotes of a JSON string; half a surrogate pair is replaced."""
    try:
        text: str = json.loads(f'"{inner}"', strict=False)
    except ValueError:
        return inner
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
