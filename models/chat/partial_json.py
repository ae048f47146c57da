"""Reading one string of a JSON object while the object is still arriving."""

from __future__ import annotations

import json
import re

_THINKING = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_LONGEST_TAG = len("</reasoning>")
_LONGEST_CHARACTER = len(r"\ud83d\ude00")
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
    Every character is looked at a few times at most, however small the pieces are.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._rest = ""
        self._depth = 0
        self._key: str | None = None
        self._string: list[str] | None = None
        self._escaped = False
        self._end_of_thinking = re.compile("")
        self._reading = self._before
        self._held: list[str] = []
        self._begun = False

    def feed(self, text: str) -> str:
        """The part of the value that ``text``, the next piece of the reply, adds."""
        self._rest += text
        found: list[str] = []
        while (part := self._reading()) is not None:
            found.append(part)
        return self._stripped("".join(found))

    def _before(self) -> str | None:
        """Looks for the object, or for thinking before it; None where more text is needed."""
        start = self._rest.find("{")
        thinking = _THINKING.search(self._rest, 0, start + 1 if start >= 0 else len(self._rest))
        if thinking:
            self._end_of_thinking = re.compile(f"</{thinking[1]}>", re.IGNORECASE)
            self._rest = self._rest[thinking.end() :]
            self._reading = self._thinking
        elif start >= 0:
            self._rest = self._rest[start:]
            self._reading = self._inside
        else:
            self._rest = self._rest[-_LONGEST_TAG:]
            return None
        return ""

    def _thinking(self) -> str | None:
        """Skips a model's thinking."""
        end = self._end_of_thinking.search(self._rest)
        if end is None:
            self._rest = self._rest[-_LONGEST_TAG:]
            return None
        self._rest = self._rest[end.end() :]
        self._reading = self._before
        return ""

    def _inside(self) -> str | None:
        """Skips what is not the value, up to its first quote."""
        text, self._rest = self._rest, ""
        for place, character in enumerate(text):
            if self._string is not None:
                self._take(self._string, character)
            elif character != '"':
                self._pass(character)
            elif self._depth == 1 and self._key == self._name:
                self._rest = text[place + 1 :]
                self._reading = self._value
                return ""
            else:
                self._string = []
            if self._depth == 0:
                self._reading = _nothing
                break
        return None

    def _take(self, string: list[str], character: str) -> None:
        """Takes a character of a string; a string is a key where one is wanted."""
        if self._escaped or character != '"':
            self._escaped = character == "\\" and not self._escaped
            string.append(character)
            return
        if self._depth == 1 and self._key is None:
            self._key = _decoded("".join(string))
        self._string = None

    def _pass(self, character: str) -> None:
        """Takes a character between strings."""
        self._depth += (character in "{[") - (character in "}]")
        if character == "," and self._depth == 1:
            self._key = None

    def _value(self) -> str | None:
        """Takes all whole characters of the value, up to its closing quote."""
        whole = _CHARACTERS.match(self._rest)
        assert whole is not None
        end = whole.end()
        if end == len(self._rest) and end and "\ud800" <= self._rest[-1] <= "\udbff":
            end -= 1
        taken, self._rest = self._rest[:end], self._rest[end:]
        if self._rest.startswith('"') or len(self._rest) > _LONGEST_CHARACTER:
            self._reading = _nothing
        return _decoded(taken) if taken else None

    def _stripped(self, part: str) -> str:
        if not self._begun:
            part = part.lstrip()
        kept = part.rstrip()
        if not kept:
            self._held.append(part)
            return ""
        whole = "".join([*self._held, kept])
        self._held = [part[len(kept) :]]
        self._begun = True
        return whole


def _nothing() -> str | None:
    return None


def _decoded(inner: str) -> str:
    """The characters between the quotes of a JSON string; half a surrogate pair is replaced."""
    try:
        text: str = json.loads(f'"{inner}"', strict=False)
    except ValueError:
        return inner
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
