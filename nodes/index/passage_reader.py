"""Reading one passage with a model: questions, entities and relations."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ...index.recorded import Extraction
from ...language.analyser import count_tokens
from ...models.meter import current_meter
from ...models.protocol import LanguageModel, NoReplyError
from ...prompts.extraction_replies import Facts, already_found, joined, to_facts, within
from ...prompts.indexing import (
    ASK_FOR_CLAIMS,
    EXTRACT_FACTS,
    GLEAN,
    GLEAN_CHECK,
    READ_PASSAGE,
    WRITE_QUESTIONS,
)
from ...prompts.lenient import shortened
from ...prompts.prompt import Excerpt, Prompt, number
from ...prompts.replies import PassageQuestions
from ...stores.readings import ReadingKind
from .surroundings import ShownPassage, surroundings

# A passage of n words names no more things, and no more is sent to read it than four times as much
# as it holds. A passage of a few words counts as one of so many, for the sake of its title.
_FEWEST_ENTITIES = 20
_FEWEST_TOKENS = 50
_BOTH = {"questions", "facts"}

ReadOutcome = dict[str, Any] | NoReplyError


class PassageReader:
    """Reads passages with a model, as the index's settings for extraction say."""

    def __init__(self, model: LanguageModel, extraction: Extraction) -> None:
        self.model = model.name
        self._model = model
        self._gleanings = extraction["gleanings"]
        self._types = ", ".join(extraction["entity_types"])
        self._claims = ASK_FOR_CLAIMS if extraction["claims"] else ""
        self._settings = {
            "entity_types": self._types,
            "examples": extraction["examples"],
            "claims": self._claims,
        }

    async def read(
        self, shown: ShownPassage, kinds: Collection[ReadingKind]
    ) -> dict[ReadingKind, ReadOutcome]:
        """The reading of each kind, or the error that prevented it."""
        together = set(kinds) >= _BOTH
        texts = _fitted(shown, requests=1 if together else 2)
        if together:
            try:
                return await self._both(texts)
            except NoReplyError as error:
                # Models that cannot write one long reply mostly manage two shorter ones.
                if error.cause != "malformed":
                    return {kind: error for kind in kinds}
                texts = _fitted(shown, requests=2)
        ways = {"questions": self._questions, "facts": self._facts}
        return {kind: await _outcome(ways[kind], texts) for kind in kinds}

    def price(self, shown: ShownPassage, kinds: Collection[ReadingKind]) -> tuple[int, int]:
        """The requests that reading would take, and the tokens to send; the least. Blocks."""
        together = set(kinds) >= _BOTH
        texts = _fitted(shown, requests=1 if together else 2)
        costs: list[int] = []
        if together:
            costs.append(self._missing(READ_PASSAGE, texts, self._settings))
        else:
            if "questions" in kinds:
                costs.append(self._missing(WRITE_QUESTIONS, texts, {}))
            if "facts" in kinds:
                costs.append(self._missing(EXTRACT_FACTS, texts, self._settings))
        if "facts" in kinds and self._gleanings:
            nothing = already_found({"entities": [], "relations": [], "claims": []})
            check = {"found": nothing, "entity_types": self._types}
            costs.append(self._missing(GLEAN_CHECK, _alone(shown, requests=2), check))
        return sum(cost > 0 for cost in costs), sum(costs)

    def _missing(self, prompt: Prompt[Any], texts: Sequence[Excerpt], inputs: Any) -> int:
        return self._model.missing_tokens(prompt, texts=texts, **inputs)

    async def _both(self, texts: Sequence[Excerpt]) -> dict[ReadingKind, ReadOutcome]:
        reply = await self._model.run(READ_PASSAGE, texts=texts, **self._settings)
        read: dict[ReadingKind, ReadOutcome] = {"questions": _cleaned(reply)}
        try:
            read["facts"] = await self._gleaned(texts, reply)
        except NoReplyError as error:
            read["facts"] = error
        return read

    async def _questions(self, texts: Sequence[Excerpt]) -> dict[str, Any]:
        return _cleaned(await self._model.run(WRITE_QUESTIONS, texts=texts))

    async def _facts(self, texts: Sequence[Excerpt]) -> dict[str, Any]:
        found = await self._model.run(EXTRACT_FACTS, texts=texts, **self._settings)
        return await self._gleaned(texts, found)

    async def _gleaned(self, texts: Sequence[Excerpt], found: Facts) -> dict[str, Any]:
        """``found`` with the facts of further rounds, as long as any are missed (GraphRAG)."""
        read = texts[0]
        texts = _alone(ShownPassage(read["title"], read["text"]), requests=2)
        room = _size(read["text"]) - count_tokens(texts[0]["title"])
        for _ in range(self._gleanings):
            listed = _fitting(already_found(to_facts(found)), room)
            try:
                check = await self._model.run(
                    GLEAN_CHECK, texts=texts, found=listed, entity_types=self._types
                )
                if not check.missed:
                    break
                more = await self._model.run(
                    GLEAN, texts=texts, found=listed, entity_types=self._types, claims=self._claims
                )
            except NoReplyError as error:
                if error.cause != "malformed":
                    raise
                current_meter().warn(
                    f"A reply of {self._model.name} about missed entities was no use; what was "
                    "found before is kept."
                )
                break
            found = joined([found, more])
        words = max(len(read["text"].split()), count_tokens(read["text"]))
        facts, whole = within(to_facts(found), max(_FEWEST_ENTITIES, words))
        if not whole:
            current_meter().warn(
                f"The model {self.model} named more in a passage than it has words; the rest was "
                "left out."
            )
        return dict(facts)


def _fitted(shown: ShownPassage, requests: int) -> list[Excerpt]:
    """The passage and its surroundings, of which there are fewer where all would be too much.

    All ``requests`` that show them send at most four times the tokens of the passage beside their
    prompts.
    """
    texts = _alone(shown, requests)
    left = (4 // requests - 1) * _size(shown.text) - count_tokens(texts[0]["title"])
    for beside in surroundings(shown.before, shown.names):
        left -= count_tokens(beside["title"]) + count_tokens(beside["text"])
        if left >= 0:
            texts.append(beside)
    return texts


def _alone(shown: ShownPassage, requests: int) -> list[Excerpt]:
    """The passage with its title, which is cut where ``requests`` that show it send too much."""
    return number([(_cut(shown.title, (4 // requests - 1) * _size(shown.text)), shown.text)])


def _size(text: str) -> int:
    return max(_FEWEST_TOKENS, count_tokens(text))


def _cut(text: str, most: int) -> str:
    """``text``, or its beginning of at most ``most`` tokens."""
    if count_tokens(text) <= most:
        return text
    fits = bisect_right(range(len(text)), most, key=lambda end: count_tokens(text[:end]))
    return shortened(text, fits - 1) if fits > 1 else ""


def _fitting(found: Sequence[Excerpt], most: int) -> list[Excerpt]:
    """The excerpts with as many of their lines as fit in ``most`` tokens together."""
    fitting: list[Excerpt] = []
    for excerpt in found:
        text = _cut(excerpt["text"], most)
        if text != excerpt["text"]:
            text = text.rpartition("\n")[0]
        most -= count_tokens(text)
        fitting.append({**excerpt, "text": text})
    return fitting


async def _outcome(way: Callable[..., Any], texts: Sequence[Excerpt]) -> ReadOutcome:
    try:
        read: dict[str, Any] = await way(texts)
    except NoReplyError as error:
        return error
    return read


def _cleaned(reply: PassageQuestions) -> dict[str, Any]:
    """Each question once, on one line."""

    def clean(questions: Sequence[str]) -> list[str]:
        lines = (" ".join(question.split()) for question in questions)
        return list(dict.fromkeys(line for line in lines if line))

    return {"incoming": clean(reply.incoming), "outgoing": clean(reply.outgoing)}
