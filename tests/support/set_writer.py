"""A model that writes questions on a few documents, and answers them from the texts it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from stub_openai import OpenAIStub, failure

BRIDGES = {
    "Forth Bridge": ("John Fowler", "Sheffield", 1890),
    "Tay Bridge": ("Thomas Bouch", "Thursby", 1878),
    "Conwy Bridge": ("Robert Stephenson", "Willington", 1848),
    "Saltash Bridge": ("Isambard Brunel", "Portsmouth", 1859),
    "Eads Bridge": ("James Eads", "Lawrenceburg", 1874),
    "Britannia Bridge": ("William Fairbairn", "Kelso", 1850),
    "Menai Bridge": ("Thomas Telford", "Westerkirk", 1826),
}
KOREAN = "자격루는 장영실이 1434년에 만들었다."
COPY = "Many bridges are old. The Tay Bridge was designed by Thomas Bouch."
_TEXT = re.compile(r'<text id="([^"]*)" title="([^"]*)">\n(.*?)\n</text>', re.DOTALL)
_DESIGNED = re.compile(r"The (\w+ Bridge) was designed by (\w+ \w+)\.")
_BORN = re.compile(r"(\w+ \w+) was born in (\w+)\.")
_PRINTER = "Which printer printed the first plan of {}?"


class Asked(NamedTuple):
    """A question as a checker is asked it: its words, and the texts that it may use, by number."""

    id: str
    question: str
    texts: dict[str, str]


def write_documents() -> None:
    """Writes a file on each bridge and on each of its designers, two more, into ``docs``."""
    texts = {"copy.txt": COPY, "clock.txt": KOREAN}
    for bridge, (person, town, year) in BRIDGES.items():
        texts[f"{bridge}.txt"] = f"The {bridge} was designed by {person}. It was opened in {year}."
        texts[f"{person}.txt"] = f"{person} was born in {town}. {person} was an engineer."
    Path("docs").mkdir()
    for name, text in texts.items():
        (Path("docs") / name).write_text(text, encoding="utf-8")


class SetWriter:
    """Replies to the prompts that make a set; ``replies`` has others, by kind.

    A reply of ``replies`` is a function of the honest reply.
    """

    def __init__(self, openai: OpenAIStub) -> None:
        openai.answer = self
        self.replies: dict[str, Callable[[Any], Any]] = {}
        self.kinds: list[str] = []

    def __call__(self, body: Any) -> Any:
        kind, human = body["response_format"]["json_schema"]["name"], body["messages"][1]["content"]
        self.kinds.append(kind)
        reply = written(kind, human)
        if reply is None:
            return failure(402, f"Nobody wrote a reply to {kind}")
        return self.replies[kind](reply) if kind in self.replies else reply


def written(kind: str, human: str) -> Any:
    """The honest reply to a prompt that makes a set; None to any other."""
    shown = _TEXT.findall(human)
    match kind:
        case "FactQuestions":
            return {"questions": [fact for text in shown for fact in _fact(*text)]}
        case "ChainQuestion":
            return _chain(shown[0][2], shown[1][2])
        case "OpenQuestions":
            named = ((id, _PRINTER.format(title)) for id, title, _ in shown)
            return {"questions": [{"text": id, "question": question} for id, question in named]}
        case "CheckedQuestions":
            return {"answers": [_checked(asked) for asked in _asked(human)]}
    return None


def _chain(first: str, second: str) -> dict[str, Any]:
    designed, born = _DESIGNED.search(first), _BORN.search(second)
    if not (designed and born and designed[2] == born[1]):
        return {"bridge": ""}
    return {
        "bridge": born[1],
        "first": f"Who designed the {designed[1]}?",
        "second": f"Where was {born[1]} born?",
        "question": f"Where was the designer of the {designed[1]} born?",
        "answer": born[2],
        "aliases": [],
        "quotes": [{"id": "1", "quote": designed[0]}, {"id": "2", "quote": born[0]}],
    }


def _fact(id: str, title: str, text: str) -> list[dict[str, Any]]:
    if text == KOREAN:
        question, answer, quote = "자격루는 누가 만들었습니까?", "장영실", KOREAN
    elif found := _DESIGNED.search(text):
        question, answer, quote = f"Who designed the {found[1]}?", found[2], found[0]
    elif found := _BORN.search(text):
        question, answer, quote = f"Where was {found[1]} born?", found[2], found[0]
    else:
        return []
    return [{"text": id, "quote": quote, "question": question, "answer": answer, "aliases": []}]


def _asked(human: str) -> list[Asked]:
    shown = _TEXT.findall(human)
    texts = {id: text for id, _, text in shown if not id.startswith("Q")}
    asked = []
    for id, title, question in shown:
        if id.startswith("Q"):
            first, *last = map(int, re.findall(r"\d+", title))
            numbers = range(first, (last or [first])[0] + 1)
            asked.append(Asked(id[1:], question, {str(n): texts[str(n)] for n in numbers}))
    return asked


def _checked(asked: Asked) -> dict[str, Any]:
    """An answer by what the texts state, in one step or in two."""
    designers: dict[str, tuple[str, list[str]]] = {}
    towns: dict[str, tuple[str, list[str]]] = {}
    for id, text in asked.texts.items():
        for known, pattern in ((designers, _DESIGNED), (towns, _BORN)):
            for name, value in pattern.findall(text):
                known.setdefault(name, (value, []))[1].append(id)
    answer = ""
    used: list[str] = []
    if found := re.search(r"of the (\w+ Bridge) born", asked.question):
        person, used = designers.get(found[1], ("", []))
        answer, more = towns.get(person, ("", []))
        used = [*used, *more]
    elif found := re.search(r"designed the (\w+ Bridge)", asked.question):
        answer, used = designers.get(found[1], ("", []))
    elif found := re.search(r"Where was (\w+ \w+) born", asked.question):
        answer, used = towns.get(found[1], ("", []))
    elif "자격루" in asked.question:
        used = [id for id, text in asked.texts.items() if text == KOREAN]
        answer = "장영실이" if used else ""
    return {
        "id": asked.id,
        "clear": True,
        "texts": used,
        "answerable": bool(answer),
        "answer": answer,
    }
