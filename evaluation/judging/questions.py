"""Questions about a collection as a whole: for personas with tasks, as in GraphRAG's evaluation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple, TypeVar

from ...algorithms.graphrag.report_context import pack
from ...index.communities import load_communities
from ...index.layers import built_layers
from ...index.opening import Index
from ...language.analyser import count_tokens, one_line, shortened
from ...prompts.evaluation import WRITE_COLLECTION_QUESTIONS, WRITE_PERSONAS
from ...prompts.judging_replies import Persona
from ...prompts.prompt import Excerpt, fence_in_line, number
from ...state.errors import RagraphsError
from ..asking import Asker, Estimate, gathered
from ..question_files import read_question_rows
from ..retrieval import Report, unreported

_MATERIAL_TOKENS = 6000
_PASSAGES = 20
_LONGEST_PASSAGE = 400  # characters
_MOST_TITLES = 100
_NOBODY = "(nobody)"
_LONGEST = "가" * 300  # the most that a persona's or a task's sentence may cost

T = TypeVar("T")
Material = Mapping[str, list[Excerpt]]


class PersonaQuestion(NamedTuple):
    """A question, and who asks it for which task; empty where that is not known."""

    persona: str
    task: str
    question: str


class QuestionQuota(NamedTuple):
    """How many questions are to be written, ``most`` of them in all; None: of all tasks."""

    personas: int = 5
    tasks: int = 5
    per_task: int = 5
    most: int | None = None

    def counts(self) -> list[list[int]]:
        """For every persona that is needed, the number of questions of each of its tasks."""
        places = [
            (persona, task)
            for _ in range(self.per_task)
            for task in range(self.tasks)
            for persona in range(self.personas)
        ][: self.most]
        counts = [[0] * self.tasks for _ in range(self.personas)]
        for persona, task in places:
            counts[persona][task] += 1
        return [needed for row in counts if (needed := [count for count in row if count])]

    @property
    def total(self) -> int:
        return sum(map(sum, self.counts()))


def read_questions(file: Path) -> list[PersonaQuestion]:
    """The questions in ``file``, as ``read_question_rows`` reads them. Raises RagraphsError."""
    return [
        PersonaQuestion(*(str(row.get(name) or "").strip() for name in PersonaQuestion._fields))
        for row in read_question_rows(file)
    ]


def keep_questions(file: Path, questions: Sequence[PersonaQuestion]) -> Path | None:
    """Writes ``questions`` into ``file``; the name that a file before it has now. Blocks."""
    lines = [json.dumps(one._asdict(), ensure_ascii=False) + "\n" for one in questions]
    written, backup = file.with_suffix(".new"), None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        written.write_text("".join(lines), encoding="utf-8")
        if file.exists():
            backup = next(name for name in _backups(file) if not name.exists())
            file.replace(backup)
        written.replace(file)
    except OSError as error:
        raise RagraphsError(
            f"The questions cannot be kept in {file} ({error}); name your own by --question-file."
        ) from error
    return backup


def _backups(file: Path) -> Iterator[Path]:
    yield from (file.with_stem(f"{file.stem}-{n}") for n in range(1, 1_000_000))


def spread(questions: Sequence[PersonaQuestion], most: int | None) -> list[PersonaQuestion]:
    """At most ``most`` of ``questions``, spread evenly over personas and tasks, in their order."""
    personas = list(dict.fromkeys(one.persona for one in questions))
    tasks: dict[str, list[str]] = {}
    seen: dict[tuple[str, str], int] = {}
    ranks = []
    for place, (persona, task, _) in enumerate(questions):
        own = tasks.setdefault(persona, [])
        own += [] if task in own else [task]
        turn = seen[persona, task] = seen.get((persona, task), -1) + 1
        ranks.append((turn, own.index(task), personas.index(persona), place))
    return [questions[place] for place in sorted(rank[-1] for rank in sorted(ranks)[:most])]


def material_of(index: Index) -> Material:
    """A description of the documents in ``index``. Blocks.

    It has the reports on the largest communities, or else some passages, and titles.
    """
    if "communities" in built_layers(index):
        view = load_communities(index)
        reports = [report for _, report in view.reports(view.heaviest(0))]
        texts = [(one["title"], one["summary"]) for one in reports]
    else:
        passages = _evenly(list(index.catalogue.all_passages()), _PASSAGES)
        texts = [(one["title"], shortened(one["text"], _LONGEST_PASSAGE)) for one in passages]
    first = pack([count_tokens(f"{title} {text}") for title, text in texts], _MATERIAL_TOKENS)[:1]
    documents = index.catalogue.documents()
    titles = _evenly(list(dict.fromkeys(row["title"] for row in documents)), _MOST_TITLES)
    said = "\n".join(f"- {shortened(one_line(title), 100)}" for title in titles)
    return {
        "texts": number([texts[place] for group in first for place in group]),
        "titles": [{"id": "-", "title": "Titles", "text": said}],
    }


def _evenly(items: Sequence[T], most: int) -> list[T]:
    """``most`` of ``items``, in order, from all over them."""
    count = min(most, len(items))
    return [items[place * len(items) // count] for place in range(count)]


class QuestionWriter(NamedTuple):
    """Has a model write questions; ``before`` are those that it must not repeat."""

    asker: Asker
    material: Material
    wanted: QuestionQuota
    before: Sequence[PersonaQuestion] = ()

    async def write(self, report: Report = unreported) -> list[PersonaQuestion]:
        """The questions, which may be fewer than wanted. Raises RagraphsError without any."""
        personas = await self._personas()
        counts = self.wanted.counts()[: len(personas)]
        works = [partial(self._of, *pair) for pair in zip(personas, counts, strict=True)]
        written = await gathered("questions", works, report)
        found = {one.question: one for questions in written for one in questions}
        if not found:
            raise RagraphsError(
                "The model wrote no questions that can be used; name a larger one by --judge, or "
                "your own questions by --question-file."
            )
        return list(found.values())

    async def cost(self) -> Estimate:
        """Remaining cost of writing; its tokens are known once the personas are."""
        counts = self.wanted.counts()
        first = await self.asker.missing(WRITE_PERSONAS, **self._first())
        if not first.calls_most:  # the reply is kept
            personas = await self._personas()
            asked = zip(personas, counts, strict=False)
            exact = [
                await self.asker.missing(WRITE_COLLECTION_QUESTIONS, **self._second(*pair))
                for pair in asked
            ]
            return sum(exact, Estimate())
        ends = []
        for said in ("", _LONGEST):
            someone = Persona.model_construct(persona=said, tasks=[said] * self.wanted.tasks)
            shown = [self._second(someone, needed) for needed in counts]
            costs = [await self.asker.missing(WRITE_COLLECTION_QUESTIONS, **one) for one in shown]
            ends.append(sum(one.tokens_least for one in costs))
        return first + Estimate(len(counts), len(counts), *ends)

    async def _personas(self) -> list[Persona]:
        reply = await self.asker.ask(WRITE_PERSONAS, **self._first())
        return reply.personas[: len(self.wanted.counts())] if reply else []

    def _first(self) -> dict[str, str | Sequence[Excerpt]]:
        counts = self.wanted.counts()
        earlier = dict.fromkeys(one.persona for one in self.before if one.persona)
        return {
            **self.material,
            "earlier": number([("", persona) for persona in earlier]) or _NOBODY,
            "personas": str(len(counts)),
            "tasks": str(max(map(len, counts))),
        }

    def _second(self, persona: Persona, counts: Sequence[int]) -> dict[str, str | list[Excerpt]]:
        tasks: list[Excerpt] = [
            {"id": letter, "title": f"questions: {count}", "text": task}
            for letter, task, count in zip(ascii_uppercase, persona.tasks, counts, strict=False)
        ]
        return {**self.material, "persona": fence_in_line(persona.persona), "tasks": tasks}

    async def _of(self, persona: Persona, counts: Sequence[int]) -> list[PersonaQuestion]:
        reply = await self.asker.ask(WRITE_COLLECTION_QUESTIONS, **self._second(persona, counts))
        told = dict(zip(ascii_uppercase, zip(persona.tasks, counts, strict=False), strict=False))
        found = []
        for one in reply.tasks if reply else ():
            task, count = told.pop(one.task.strip(" .:").upper()[-1:], ("", 0))
            found += [
                PersonaQuestion(persona.persona, task, one_line(question))
                for question in one.questions[:count]
            ]
        return found
