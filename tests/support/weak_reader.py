"""A reader that is fluent, sure of itself and seldom right, in the place of a small model.

It fills every form from its schema and the words of the prompt: it reads a sentence near the
question, or beside it, and says a name, a number or a date of it; it agrees with whatever it is
asked to check. The same seed and prompt give the same reply.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

# How often it does what small models were seen to do.
_AGREES, _OVERLOOKS, _ECHOES, _MINDS_THE_KIND, _MISPLACES = 0.85, 0.35, 0.2, 0.6, 0.25

_WORD = re.compile(r"\w{3,}")
_TEXT = re.compile(r'<text id="([^"]*)"[^>]*>\n(.*?)\n</text>', re.DOTALL)
_SENTENCE = re.compile(r"^\s*(\d+\.\d+)?\s*(.+)$", re.MULTILINE)
_NAME = re.compile(r"\d[\d.,]*(?:년|월|일)?|[^\W\d_a-z]\w+(?: (?:of |the |de )?[^\W\d_a-z]\w+)*")
_KINDS = (
    (re.compile(r"\bwhen\b|\byear\b|언제", re.I), re.compile(r"\d{4}\w?")),
    (re.compile(r"\bhow (?:many|long|high|much)\b|몇|얼마", re.I), re.compile(r"\d.*")),
    (re.compile(r"\bwho\b|누구|누가", re.I), re.compile(r"\D+ \D+|[가-힣]{2,4}")),
)
_ASKING = ("question", "next", "missing", "queries", "follow_ups", "clue", "incoming", "outgoing")
_COPYING = ("quote", "claim", "description", "statement", "point", "reason", "summary", "title")


@dataclass(frozen=True)
class _Read:
    """A sentence, its number in the prompt, and the number of its text."""

    text: str
    number: str
    sentence: str


class WeakReader:
    """Answers the requests of a server of tests: ``openai.answer = WeakReader(seed)``."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, body: Any) -> Any:
        """A reply in the form that ``body`` asks for."""
        said = "\n".join(turn["content"] for turn in body["messages"][1:])
        schema = body["response_format"]["json_schema"]["schema"]
        return _Reply(random.Random(f"{self._seed} {said}"), said).filled(schema)


class _Reply:
    """One reply to the prompt ``said``, made with ``dice``."""

    def __init__(self, dice: random.Random, said: str) -> None:
        self._dice = dice
        asked = [line for line in said.splitlines() if line.rstrip().endswith("?")]
        self._question = asked[-1].removeprefix("Question:").strip() if asked else said[:200]
        self._sentences = [
            _Read(id, number, sentence.strip())
            for id, text in _TEXT.findall(said) or [("1", said)]
            for number, sentence in _SENTENCE.findall(text)
        ] or [_Read("1", "1.1", self._question)]
        goal = set(_WORD.findall(self._question.lower()))
        near = sorted(
            self._sentences, key=lambda one: -len(goal & {*_WORD.findall(one.sentence.lower())})
        )
        self._read = dice.choice(near[:5]) if self._happens(_OVERLOOKS) else near[0]
        self._said = self._named()

    def filled(self, schema: dict[str, Any], name: str = "") -> Any:
        """A value that ``schema`` allows."""
        if "enum" in schema:
            place = self._place()
            pointed = [one for one in schema["enum"] if one in (place.number, place.text)]
            return pointed[0] if pointed else self._dice.choice(schema["enum"])
        match schema.get("type"):
            case "object":
                parts = schema["properties"].items()
                return {each: self.filled(part, each) for each, part in parts}
            case "array":
                count = self._dice.randint(1, min(3, schema.get("maxItems", 3)))
                return [self.filled(schema["items"], name) for _ in range(count)]
            case "boolean":
                return self._happens(_AGREES)
            case "number" | "integer":
                return schema.get("maximum", 1)
        return self._words(name)

    def _words(self, name: str) -> str:
        if name in _ASKING:
            return self._question if self._happens(0.5) else ""
        if name in _COPYING:
            return self._read.sentence
        if name in ("id", "from", "evidence", "keep", "needed", "related", "used", "texts"):
            place = self._place()
            return place.number or place.text
        return self._said

    def _named(self) -> str:
        """A name, number or date: of the question itself, or of the sentence that was read."""
        echoes = self._happens(_ECHOES)
        found = _NAME.findall(self._question if echoes else self._read.sentence)
        fresh = [one for one in found if echoes or one not in self._question] or found
        for asked, kind in _KINDS:
            if asked.search(self._question) and self._happens(_MINDS_THE_KIND):
                fresh = [one for one in fresh if kind.fullmatch(one)] or fresh
        words: list[str] = fresh or self._read.sentence.split()
        return self._dice.choice(words)

    def _place(self) -> _Read:
        misplaces = self._happens(_MISPLACES)
        return self._dice.choice(self._sentences) if misplaces else self._read

    def _happens(self, share: float) -> bool:
        return self._dice.random() < share
