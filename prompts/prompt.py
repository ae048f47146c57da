"""A prompt: a name, a template, and the reply that it must return."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from string import Template
from typing import Generic, NamedTuple, NotRequired, TypedDict, TypeVar

from ..language.analyser import LONGEST_TITLE, one_line, shortened
from ..language.dates import as_date
from ..state.errors import RagraphsError
from ..state.places import place_of
from ..state.records import Passage
from .pointing import by_sentence, numbers_of
from .replies import Pointing, PromptReply

T = TypeVar("T")
R_co = TypeVar("R_co", bound=PromptReply, covariant=True)


class Excerpt(TypedDict):
    """A numbered text that a prompt shows; ``id`` is the number as the reply must name it.

    ``passage`` is the passage that the text is of; empty where it is of none of the index, and
    left out where it may hold texts of several. ``only`` are the numbers of its sentences that are
    shown, where these are numbered; left out for all. ``date`` is that of its document, if any.
    """

    id: str
    title: str
    text: str
    date: NotRequired[str]
    passage: NotRequired[str]
    only: NotRequired[Sequence[int]]


class FencedQuestion(str):
    """A question with foreign text in it, which prompts show as ``shown``: fenced off as data."""

    shown: str

    def __new__(cls, text: str, shown: str) -> FencedQuestion:
        """``text`` is the question as it is searched for and compared."""
        asked = super().__new__(cls, text)
        asked.shown = shown
        return asked


Inputs = Mapping[str, str | Sequence[Excerpt]]


class OwnWords(NamedTuple):
    """Templates in place of the built-in ones: files of a ``folder``, and ``systems`` over both.

    ``systems`` are system parts, by the name of their prompt.
    """

    folder: Path | None
    systems: Mapping[str, str]


Templates = Path | OwnWords | None  # a folder alone, both, or only what is built in


@dataclass(frozen=True)
class Prompt(Generic[R_co]):
    """One question to a language model; ``NAME.md`` holds its system and human parts.

    Where the reply points at sentences, its ``texts`` are shown sentence by sentence.
    The replies to a ``lasting`` prompt make up an index: they are used when its words have changed.
    ``optional`` inputs may be left out, and a template of one's own may do without them.
    """

    name: str
    reply: type[R_co]
    lasting: bool = False
    optional: frozenset[str] = frozenset()

    def render(self, inputs: Inputs, own: Templates = None) -> tuple[str, str]:
        """The system and the human text, with every excerpt fenced off as data.

        ``own`` may hold a template of the same name that replaces the built-in one. Blocks.
        Raises RagraphsError for a template that cannot be read, is without its two parts, or does
        not use exactly the placeholders that there are.
        """
        system, template = _template(self.name, own)
        shown = dict.fromkeys(self.optional, "") | self.filled_in(inputs)
        human = Template(template)
        needed = [key for key in shown if key not in self.optional]
        if not human.is_valid() or not set(needed) <= set(human.get_identifiers()) <= set(shown):
            raise RagraphsError(
                f"The prompt {self.name}.md cannot be filled in; its human part must use "
                f"{' and '.join('$' + key for key in needed)}, no other placeholder, and $$ for a "
                "dollar sign."
            )
        return system, human.substitute(shown).strip()

    def filled_in(self, inputs: Inputs) -> dict[str, str]:
        """The text that stands in the place of each input."""
        apart = {"texts"} if issubclass(self.reply, Pointing) else set[str]()
        return {key: _shown(value, key in apart) for key, value in inputs.items()}

    def numbers(self, inputs: Inputs) -> list[str]:
        """The numbers of the sentences that a reply may point at; none where it points at none."""
        texts = inputs.get("texts", ()) if issubclass(self.reply, Pointing) else ()
        shown = [one for one in texts if not isinstance(one, str)]
        return [
            number
            for one in shown
            for number in numbers_of(one["id"], one["text"], one.get("only", ()))
        ]

    def words(self, own: Templates = None) -> str:
        """A hash of all that is asked besides the inputs: the template and the form of the reply.

        ``own`` is as for ``render``. Blocks; raises what that raises for a bad template.
        """
        said = "\0".join((*_template(self.name, own), _form(self.reply)))
        return hashlib.sha256(said.encode()).hexdigest()[:16]


def fence(excerpts: Sequence[Excerpt], apart: bool = False) -> str:
    """Excerpts between tags that their own text cannot close or open, or sentences ``apart``."""
    texts = [
        by_sentence(one["id"], one["text"], one.get("only", ())) if apart else one["text"]
        for one in excerpts
    ]
    return "\n".join(
        f"<text {_attributes(one)}>\n{_defuse(text)}\n</text>"
        for one, text in zip(excerpts, texts, strict=True)
    )


def fence_in_line(text: str) -> str:
    """``text`` between tags that it cannot close, for the middle of a sentence."""
    return f"<text>{_defuse(text)}</text>"


def without_fences(text: str) -> str:
    """``text`` without the tags of ``fence_in_line``, which models may copy."""
    return re.sub(r"</?text>", "", text)


def number(texts: Sequence[tuple[str, str]]) -> list[Excerpt]:
    """Excerpts numbered from 1, out of (title, text) pairs."""
    return [
        {"id": str(position), "title": title, "text": text}
        for position, (title, text) in enumerate(texts, start=1)
    ]


def number_passages(passages: Sequence[Passage]) -> list[Excerpt]:
    """Passages numbered from 1, under their titles and headings, with the dates that they have."""
    excerpts = number([(place_of(passage), passage["text"]) for passage in passages])
    for excerpt, passage in zip(excerpts, passages, strict=True):
        excerpt["passage"] = "" if passage.get("found") == "web" else passage["id"]
        if date := as_date(passage.get("metadata", {}).get("date")):
            excerpt["date"] = date[:10]
    return excerpts


def passages_shown(inputs: Inputs) -> frozenset[str] | None:
    """The passages whose texts stand in ``inputs``; None where other texts may be among them.

    A question as the caller asked it holds no text of the index.
    """
    found: set[str] = set()
    for name, value in inputs.items():
        if isinstance(value, str):
            if name != "question" or isinstance(value, FencedQuestion):
                return None
            continue
        for excerpt in value:
            if "passage" not in excerpt:
                return None
            found.add(excerpt["passage"])
    return frozenset(found - {""})


def numbered(numbers: Iterable[str], items: Sequence[T]) -> list[T]:
    """The items that a reply names by their numbers, from 1, each once; others name nothing."""
    places = {str(place): item for place, item in enumerate(items, start=1)}
    return [places[number] for number in dict.fromkeys(numbers) if number in places]


def _shown(value: str | Sequence[Excerpt], apart: bool) -> str:
    if isinstance(value, FencedQuestion):
        return value.shown
    return value if isinstance(value, str) else fence(value, apart)


@cache
def _form(reply: type[PromptReply]) -> str:
    return json.dumps(reply.model_json_schema(), sort_keys=True)


def _attributes(excerpt: Excerpt) -> str:
    title = _defuse(shortened(one_line(excerpt["title"]), LONGEST_TITLE)).replace('"', "'")
    date = f' date="{excerpt["date"]}"' if "date" in excerpt else ""
    return f'id="{excerpt["id"]}" title="{title}"{date}'


def _defuse(text: str) -> str:
    return re.sub(r"<(?=\s*+(?:/\s*+)?text\b)", "‹", text, flags=re.IGNORECASE)


def system_part(name: str) -> str:
    """The built-in system part of the prompt called ``name``."""
    return _template(name, None)[0]


def _template(name: str, own: Templates) -> tuple[str, str]:
    if isinstance(own, OwnWords):
        system, human = _template(name, own.folder)
        return own.systems.get(name, system), human
    return _in_folder(name, own)


def _in_folder(name: str, folder: Path | None) -> tuple[str, str]:
    file = (folder / f"{name}.md") if folder is not None else None
    if file is None or not file.exists():
        return _parts(name, _built_in(name))
    try:
        return _parts(name, file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise RagraphsError(f"The prompt {file} cannot be read ({error}); save it as UTF-8.") from (
            error
        )


@cache
def _built_in(name: str) -> str:
    return resources.files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8")


@lru_cache(maxsize=128)
def _parts(name: str, text: str) -> tuple[str, str]:
    parts = re.split(r"^# (System|Human)\s*$", text, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True))
    if sorted(parts[1::2]) != ["Human", "System"]:
        raise RagraphsError(
            f"The prompt {name}.md needs the headings '# System' and '# Human', once each."
        )
    return sections["System"], sections["Human"]
