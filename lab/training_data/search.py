"""DeepRAG's binary tree search: the correct trajectory of a question with fewest retrievals.

Each sub-question is answered without looking it up, and by looking it up. It takes the steps of the
deeprag graph, so that the requests are the ones that it sends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple, TypeVar, cast

from ragraphs.context import DeepragContext
from ragraphs.evaluation.asking import Asker, Estimate
from ragraphs.index.opening import Index
from ragraphs.models.meter import Meter
from ragraphs.models.protocol import LanguageModel
from ragraphs.nodes.begin import fresh_state
from ragraphs.nodes.deeprag.conclude import conclude
from ragraphs.nodes.deeprag.narrative import answer_from_earlier, decide, read_step, retrieve_step
from ragraphs.nodes.node import Node
from ragraphs.nodes.run import Run
from ragraphs.prompts.deeprag_replies import CLOSED_BOOK, StepAnswer, StepReading
from ragraphs.prompts.prompt import Excerpt, FencedQuestion, Prompt
from ragraphs.prompts.replies import PromptReply
from ragraphs.state.deeprag import DeepragState, NarrativeStep, StepSource
from ragraphs.state.found import NOTHING

from .examples import ExampleTurn

R = TypeVar("R", bound=PromptReply)


class SearchStoppedError(Exception):
    """The search of a question has come to its bound; ``missing`` is the reply that it lacks.

    ``missing`` is not empty in a dry run alone, which asks nobody.
    """

    def __init__(self, calls: int, missing: Estimate) -> None:
        super().__init__()
        self.calls = calls
        self.missing = missing


class UselessError(Exception):
    """A reply on the path was no use, so that the path is no trajectory."""


@dataclass
class Recorder:
    """A language model that notes its ``turns`` for one question, at most ``most``.

    In a dry run it knows the replies that are kept, and asks for no other.
    """

    asker: Asker
    most: int
    dry_run: bool = False
    calls: int = 0
    turns: list[ExampleTurn] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return self.asker.model.name

    async def run(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> R:
        """The reply. Raises SearchStoppedError at the bound, UselessError without a usable one."""
        if self.calls >= self.most:
            raise SearchStoppedError(self.calls, Estimate())
        if self.dry_run:
            missing = await self.asker.missing(prompt, **inputs)
            if missing.calls_most:
                raise SearchStoppedError(self.calls, missing)
        self.calls += 1
        reply = await self.asker.ask(prompt, **inputs)
        if reply is None:
            raise UselessError
        self.turns.append(ExampleTurn(prompt, inputs, reply))
        return reply

    def missing_tokens(self, prompt: Prompt[Any], **inputs: str | Sequence[Excerpt]) -> int:
        """The tokens that a request for this reply would send. Blocks."""
        return self.asker.model.missing_tokens(prompt, **inputs)


@dataclass(frozen=True)
class _RecordedRun(Run[DeepragContext]):
    """A run whose model is a recorder."""

    recorder: Recorder

    async def model(self, name: str | None = None) -> LanguageModel:
        return cast(LanguageModel, self.recorder)


class Decision(NamedTuple):
    """The source that a sub-question was answered from; ``turn`` is the request that wrote it.

    The ``other`` source is the one that was not taken.
    """

    turn: int
    source: StepSource
    other: StepSource


@dataclass(frozen=True)
class Path:
    """A path through the tree: its state, the turns that led there, and its decisions."""

    state: DeepragState
    turns: tuple[ExampleTurn, ...] = ()
    decisions: tuple[Decision, ...] = ()
    retrievals: int = 0
    ended: bool = False

    @property
    def priority(self) -> tuple[int, bool, int]:
        """The fewest retrievals go first; of equals a path that has ended, then the shortest."""
        return self.retrievals, not self.ended, len(self.state["steps"])


class Search:
    """The search for one question; ``is_right`` tells whether an answer is the gold one.

    >>> path = await Search(index, context, recorder, question, is_right).cheapest()
    """

    def __init__(
        self,
        index: Index,
        context: DeepragContext,
        recorder: Recorder,
        question: str,
        is_right: Callable[[str], bool],
    ) -> None:
        self._run = _RecordedRun(context, index, Meter(), recorder)
        self._question = question
        self._is_right = is_right

    async def cheapest(self) -> Path | None:
        """The correct path with the fewest retrievals; None where no path within the steps is.

        Raises SearchStoppedError at the bound of calls.
        """
        order, state = count(), fresh_state("deeprag", DeepragState)
        state |= {"question": self._question, "held": NOTHING, "mode": "narrative"}
        root = Path(cast(DeepragState, state))
        queue = [(root.priority, next(order), root)]
        while queue:
            *_, path = heappop(queue)
            if path.ended:
                return path
            for further in await self._further(path):
                heappush(queue, (further.priority, next(order), further))
        return None

    async def _further(self, path: Path) -> list[Path]:
        """The paths that go on from ``path``; none where a reply was no use."""
        if path.state["pending"]:
            return await self._attempt(self._looked_up, path)
        try:
            decided = await self._taken(decide, path)
        except UselessError:
            return []
        if not decided.state["pending"]:
            return await self._attempt(self._concluded, decided)
        [step] = decided.state["pending"]
        sought = _deciding(decided, step, looks_up=True)
        known = await self._attempt(self._not_looked_up, decided)
        return [*known, replace(sought, retrievals=path.retrievals + 1)]

    async def _attempt(self, step: Callable[[Path], Any], path: Path) -> list[Path]:
        try:
            further: Path | None = await step(path)
        except UselessError:
            return []
        return [] if further is None else [further]

    async def _taken(self, node: Node, path: Path) -> Path:
        """``path`` after a ``node`` of the graph."""
        return await self._after(path, lambda: node.function(path.state, self._run))

    async def _after(self, path: Path, work: Callable[[], Any]) -> Path:
        recorder = self._run.recorder
        recorder.turns = []
        update = await work()
        state = cast(DeepragState, {**path.state, **update})
        return replace(path, state=state, turns=(*path.turns, *recorder.turns))

    async def _looked_up(self, path: Path) -> Path | None:
        """The sub-question read in the passages that are found for it.

        None where the reading gives an answer without a sentence that stands in them.
        """
        read = await self._taken(read_step, await self._taken(retrieve_step, path))
        reply = read.turns[-1].reply
        uncited = isinstance(reply, StepReading) and reply.sufficient and bool(reply.answer)
        found = read.state["steps"][-1]["found"]
        return read if found or not uncited else None

    async def _not_looked_up(self, path: Path) -> Path | None:
        """The sub-question answered from earlier answers if it was proposed so, else by heart."""
        [step] = path.state["pending"]
        decided = _deciding(path, step, looks_up=False)
        answered = (
            await self._from_earlier(decided)
            if step["source"] == "earlier"
            else await self._after(decided, lambda: self._by_heart(decided.state))
        )
        return answered if answered.state["steps"][-1]["found"] else None

    async def _from_earlier(self, path: Path) -> Path:
        """The pending step answered from earlier answers, of which none need have a citation."""
        taken = await self._taken(answer_from_earlier, path)
        *before, step = taken.state["steps"]
        asked = taken.turns[len(path.turns) :]
        reply = asked[-1].reply if asked else None
        if step["found"] or not isinstance(reply, StepAnswer) or not reply.found:
            return taken
        answered: NarrativeStep = {**step, "answer": reply.answer, "found": bool(reply.answer)}
        state = {**taken.state, "steps": [*before, answered]}
        return replace(taken, state=cast(DeepragState, state))

    async def _by_heart(self, state: DeepragState) -> dict[str, Any]:
        [step] = state["pending"]
        asked = FencedQuestion(step["question"], step["question"])
        reply = await self._run.ask(CLOSED_BOOK, question=asked)
        taken: NarrativeStep = {**step, "answer": reply.answer, "found": bool(reply.answer)}
        return {"steps": [*state["steps"], taken], "pending": [], "proposed": []}

    async def _concluded(self, path: Path) -> Path | None:
        """The end of ``path``; None where its answer is not right.

        An answer that rests on no passage, which the graph would not give, is drawn from the steps.
        """
        meter = self._run.meter
        before = meter.retrievals
        ended = await self._taken(conclude, path)
        answer = ended.state["answer"]
        if not answer and not ended.state["evidence"] and path.state["steps"]:
            ended = await self._from_earlier(self._question_pending(path))
            answer = ended.state["steps"][-1]["answer"]
        if not self._is_right(answer):
            return None
        more = meter.retrievals - before
        return replace(ended, retrievals=path.retrievals + more, ended=True)

    def _question_pending(self, path: Path) -> Path:
        last = path.state["steps"][-1]
        step: NarrativeStep = {**last, "question": self._question, "source": "earlier"}
        return replace(path, state=cast(DeepragState, {**path.state, "pending": [step]}))


def _deciding(path: Path, step: NarrativeStep, looks_up: bool) -> Path:
    """``path`` with its pending ``step`` looked up; or else from earlier answers, or by heart."""
    by_heart: StepSource = "earlier" if step["source"] == "earlier" else "known"
    ways: tuple[StepSource, StepSource] = ("retrieve", by_heart)
    source, other = ways if looks_up else ways[::-1]
    state = cast(DeepragState, {**path.state, "pending": [{**step, "source": source}]})
    decision = Decision(len(path.turns) - 1, source, other)
    return replace(path, state=state, decisions=(*path.decisions, decision))
