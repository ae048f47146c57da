"""A judged comparison of conditions, from the questions to the win rates."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from ...context import QuestionContext
from ...index.opening import Index, open_index
from ...language.analyser import words
from ...state.errors import RagraphsError
from ..answering import Way, keys_of, outcomes_of
from ..asking import Asker, Estimate, open_asker
from ..outcomes import FILE, Ledger, Outcome
from ..question_files import kept_file
from ..retrieval import Report, unreported
from .conditions import default_conditions, ways_of
from .costs import of_answers, of_unknown_judgements
from .questions import (
    PersonaQuestion,
    QuestionQuota,
    QuestionWriter,
    keep_questions,
    material_of,
    read_questions,
    spread,
)
from .rates import rated
from .verdicts import Answers, PairwiseJudging, Preference, as_shown


class ExperimentPlan(NamedTuple):
    """Plan of a comparison: its conditions, its questions, and how it is judged.

    ``judge`` names the model that judges and writes questions; None: the model of ``context``.
    ``file`` has questions of one's own; ``new_questions`` are written where some are kept.
    """

    context: QuestionContext
    conditions: Sequence[str] = ()
    wanted: QuestionQuota = QuestionQuota()
    file: Path | None = None
    new_questions: bool = False
    judge: str | None = None
    repeats: int = 1
    apart: bool = False
    parallel: int = 1
    seed: int = 0
    report: Report = unreported


class Costs(NamedTuple):
    """Remaining cost of each part of a comparison."""

    questions: Estimate
    answers: Estimate
    judgements: Estimate

    def told(self) -> dict[str, dict[str, int]]:
        """The parts and their sum, by name."""
        parts = {**self._asdict(), "in_all": self.questions + self.answers + self.judgements}
        return {name: one._asdict() for name, one in parts.items()}


def cost_of_judging(plan: ExperimentPlan) -> dict[str, Any]:
    """Cost of the comparison, in the form of ``--json``; nothing is asked."""
    return asyncio.run(_cost(plan))


def evaluate_judge(
    plan: ExperimentPlan, tell: Callable[[dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """Asks the questions under every condition and judges the answers, in the form of ``--json``.

    ``tell`` is given the cost before anything is asked.
    """
    return asyncio.run(_run(plan, tell))


async def _cost(plan: ExperimentPlan) -> dict[str, Any]:
    experiment = await _prepared(plan)
    return await experiment.cost()


async def _run(
    plan: ExperimentPlan, tell: Callable[[dict[str, Any]], None] | None
) -> dict[str, Any]:
    experiment = await _prepared(plan)
    if tell is not None:
        tell(await experiment.cost())
    return await experiment.run()


async def _prepared(plan: ExperimentPlan) -> _Experiment:
    index = await asyncio.to_thread(open_index, plan.context)
    judge = plan.context.model_copy(update={"model": plan.judge} if plan.judge else {})
    asker = await open_asker(index, judge, "A judge")
    names = plan.conditions or await asyncio.to_thread(default_conditions, index)
    ways = await asyncio.to_thread(ways_of, names, plan.context, index)
    judging = PairwiseJudging([*ways], plan.repeats, plan.apart)
    return _Experiment(plan, index, asker, judge.model, ways, judging)


@dataclass
class _Experiment:
    plan: ExperimentPlan
    index: Index
    asker: Asker
    judge: str
    ways: Mapping[str, Way]
    judging: PairwiseJudging
    notes: list[str] = field(default_factory=list)

    async def cost(self) -> dict[str, Any]:
        """The cost of each part, in the form of ``--json``."""
        writing, known = await self._questions()
        writes = await writing.cost() if writing else Estimate()
        asked = [""] * writing.wanted.total if writing else [one.question for one in known]
        kept = await self._kept([one.question for one in known])
        left = {name: len(asked) - len(answered) for name, answered in kept.items()}
        answers = await asyncio.to_thread(of_answers, self.ways, left, self.index)
        ready = [q for q in asked if all(q in answered for answered in kept.values())]
        shown = _shown(ready, kept)
        judgements = await self.judging.cost(self.asker, shown)
        unknown = [question for question in asked if question not in shown]
        judgements += await of_unknown_judgements(self.judging, self.asker, unknown)
        return {
            "questions_asked": len(asked),
            "conditions": [*self.ways],
            "judge": self.judge,
            **Costs(writes, answers, judgements).told(),
            "notes": self.notes,
        }

    async def run(self) -> dict[str, Any]:
        """The result of the comparison."""
        questions = await self._asked()
        texts = [one.question for one in questions]
        keys = await asyncio.to_thread(keys_of, texts, self.ways, self.index)
        outcomes: dict[str, dict[str, Outcome]] = {}
        for name, way in self.ways.items():
            report = partial(self.plan.report, f"answers {name}")
            found = await outcomes_of(
                way, texts, keys[name], self._ledger, self.plan.parallel, report
            )
            self._check_budget()
            outcomes[name] = dict(zip(texts, found, strict=True))
        answers = _shown(texts, outcomes)
        self._check(answers, outcomes)
        verdicts = await self.judging.verdicts(self.asker, answers, self.plan.report)
        return self._result(questions, outcomes, answers, verdicts)

    async def _questions(self) -> tuple[QuestionWriter | None, list[PersonaQuestion]]:
        """How the questions are to be written, if they are; else the questions that there are."""
        plan, kept = self.plan, kept_file(self.index)
        file = plan.file or kept
        there = plan.file is not None or await asyncio.to_thread(kept.exists)
        known = await asyncio.to_thread(read_questions, file) if there else []
        if there and (plan.file is not None or not plan.new_questions):
            chosen = spread(known, plan.wanted.most)
            self.notes = [f"{len(chosen)} of the {len(known)} questions in {file} are asked."]
            return None, chosen
        material = await asyncio.to_thread(material_of, self.index)
        return QuestionWriter(self.asker, material, plan.wanted, known), []

    async def _asked(self) -> list[PersonaQuestion]:
        writing, known = await self._questions()
        if writing is None:
            return known
        file = kept_file(self.index)
        written = await writing.write(self.plan.report)
        backup = await asyncio.to_thread(keep_questions, file, written)
        self.notes = [
            f"{len(written)} questions of {writing.wanted.total} that were wanted are in {file}; "
            "edit them as you like, they are used from now on."
        ]
        if backup is not None:
            self.notes.append(f"The questions before are in {backup}.")
        return written

    @property
    def _ledger(self) -> Ledger:
        return Ledger(self.index.folder / FILE)

    async def _kept(self, texts: Sequence[str]) -> dict[str, dict[str, Outcome]]:
        """The outcomes that are known, by condition and question."""
        keys = await asyncio.to_thread(keys_of, texts, self.ways, self.index)
        ledger = await asyncio.to_thread(lambda: self._ledger)
        found = {
            name: {text: ledger.get(key) for text, key in zip(texts, own, strict=True)}
            for name, own in keys.items()
        }
        return {name: {q: one for q, one in own.items() if one} for name, own in found.items()}

    def _check_budget(self) -> None:
        budget = self.asker.meter.budget
        if budget is not None and budget.was_reached:
            raise RagraphsError(
                "The limit on tokens or cost was reached while questions were answered. The "
                "replies that came are kept: the same command goes on from here."
            )

    def _check(self, answers: Answers, outcomes: Mapping[str, Mapping[str, Outcome]]) -> None:
        if any(len(given) > 1 for given in answers.values()):
            return
        errors = [o["error"] for own in outcomes.values() for o in own.values() if o["error"]]
        because = f"; the first failure: {errors[0]}" if errors else ""
        raise RagraphsError(f"No question has two answers that could be compared{because}.")

    def _result(
        self,
        questions: Sequence[PersonaQuestion],
        outcomes: Mapping[str, Mapping[str, Outcome]],
        answers: Answers,
        verdicts: Sequence[Preference],
    ) -> dict[str, Any]:
        judging = self.judging
        found = rated(judging, answers, verdicts, self.plan.seed)
        quality = found.pop("quality")
        return {
            "index": self.index.short_name,
            "model": self.plan.context.model,
            "judge": self.judge,
            "questions": len(questions),
            "repeats": judging.repeats,
            "apart": judging.apart,
            "conditions": [
                {"name": name, **_summary(outcomes[name], answers, name), **quality[name]}
                for name in judging.conditions
            ],
            **found,
            "notes": [*self.notes, *self.asker.meter.warnings],
            "usage": self.asker.meter.usage(),
            "asked": [one._asdict() for one in questions],
            "answers": answers,
            "reasons": [one._asdict() for one in verdicts],
        }


def _shown(texts: Sequence[str], outcomes: Mapping[str, Mapping[str, Outcome]]) -> Answers:
    """The answers as the judge is to see them; what failed or is empty is none."""
    return {
        text: {
            name: said
            for name, own in outcomes.items()
            if not own[text]["error"] and (said := as_shown(own[text]["answer"]))
        }
        for text in texts
    }


def _summary(own: Mapping[str, Outcome], answers: Answers, name: str) -> dict[str, Any]:
    """How many questions were answered under a condition, and the means of cost and length."""
    counts = Counter(
        "failed" if one["error"] else "answered" if name in answers[question] else "empty"
        for question, one in own.items()
    )
    lengths = [len(words(given[name])) for given in answers.values() if name in given]
    return {
        **{kind: counts[kind] for kind in ("answered", "failed", "empty")},
        "first_failure": next((one["error"] for one in own.values() if one["error"]), ""),
        "calls": round(mean(one["calls"] for one in own.values()), 2),
        "tokens": round(mean(one["tokens"] for one in own.values()), 1),
        "words": round(mean(lengths), 1) if lengths else None,
    }
