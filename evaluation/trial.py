"""A trial of a language model: built-in tasks, asked through the package's own prompts.

The texts of the tasks are made up, so that no model knows them. Nothing is read from or written to
an index.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources
from typing import Any, NamedTuple, cast

from ..context import Context, IndexContext
from ..index.language_model import open_language_model, server_of
from ..models.lexical import LexicalEmbedder
from ..models.protocol import LanguageModel, NoReplies, NoReplyError
from ..models.trials import Score, Trial
from ..nodes.citing import answered, check_citations
from ..offline.model import OfflineLanguageModel
from ..prompts.deeprag_replies import READ_STEP, ShownStep, show_steps
from ..prompts.indexing import EXTRACT_FACTS, READ_PASSAGE, WRITE_REPORT
from ..prompts.library import ANSWER, GRADE_PASSAGES
from ..prompts.prompt import Excerpt, number, number_passages
from ..settings import settings
from ..state.errors import RagraphsError
from ..state.records import Citation, Evidence
from .asking import limited_meter
from .metrics import containment, exact_match, normalised
from .retrieval import Report, unreported

_LONGEST_ANSWER = 25  # words: a whole text that is copied is no answer
_MOST_FOUND = 2 / 3
_LEADS = 3  # the grade of a text that leads to the answer; 4 states it
_PATIENCE = 3  # tasks, after which a server that never replied is given up

Task = Mapping[str, Any]
Texts = Mapping[str, Sequence[str]]


class Done(NamedTuple):
    """A task done: whether it is ``right``, and, where it cites, ``pointed`` at the right place.

    ``sufficient`` is the word of the model; ``said`` is what it answered.
    """

    right: bool
    said: str
    pointed: bool = False
    sufficient: bool = False


class Result(NamedTuple):
    """A task, what came of it (None: no usable reply, by ``error``), and the seconds it took."""

    task: Task
    done: Done | None
    error: NoReplyError | None
    seconds: float


async def tried(context: Context, report: Report = unreported) -> tuple[Trial, list[Result]]:
    """The trial of the model that ``context`` names, and all of its results.

    Raises RagraphsError where the model cannot be opened, or never replies.
    """
    operator, data = settings(), _data()
    model = await open_language_model(
        context, operator, NoReplies(), lambda: OfflineLanguageModel(LexicalEmbedder())
    )
    meter = limited_meter(context)
    results: list[Result] = []
    for task in data["tasks"]:
        report("try", len(results), len(data["tasks"]))
        results.append(await _result(model, task, data["texts"]))
        lost = [one for one in results if one.error and one.error.cause == "unreachable"]
        if len(lost) == len(results) == _PATIENCE:
            raise RagraphsError(f"{results[0].error} Nothing was tried.")
    used = meter.models.get(context.model)
    sent, received = (used["input_tokens"], used["output_tokens"]) if used else (0, 0)
    trial = Trial(
        model=context.model,
        server=server_of(context, operator),
        identity=getattr(model, "identity", ""),
        tokens_sent=sent,
        tokens_received=received,
        **_counted(results),
    )
    return trial, results


def _data() -> Any:
    file = resources.files(__package__).joinpath("trial.json")
    return json.loads(file.read_text(encoding="utf-8"))


async def _result(model: LanguageModel, task: Task, texts: Texts) -> Result:
    started, done, error = time.monotonic(), None, None
    try:
        done = await _TRIED[task["kind"]](model, task, [texts[id] for id in task.get("texts", ())])
    except NoReplyError as failed:
        if failed.ends_run:
            raise RagraphsError(str(failed)) from failed
        error = failed
    return Result(task, done, error, time.monotonic() - started)


async def _answer(model: LanguageModel, task: Task, texts: Sequence[Sequence[str]]) -> Done:
    evidence = [_evidence(title, text) for title, text in texts]
    given = {"question": task["question"], "texts": number_passages(evidence)}
    if "asked" in task:
        steps = show_steps([ShownStep(*step) for step in task["steps"]])
        step = await model.run(READ_STEP, **given, steps=steps, asked=task["asked"])
        cited = check_citations(step.quotes, evidence)
        answer, sufficient = step.final or step.answer, step.sufficient and bool(cited)
    else:
        found = answered(await model.run(ANSWER, **given), evidence)
        cited, answer, sufficient = found["citations"], found["answer"], found["sufficient"]
    golds = task.get("answers", ())
    if not golds:
        return Done(not (answer and sufficient), answer, sufficient=sufficient)
    is_short = len(normalised(answer)) <= _LONGEST_ANSWER
    right = bool(exact_match(answer, golds) or (is_short and containment(answer, golds)))
    return Done(right, answer, _points(cited, task["support"]), sufficient)


def _points(cited: Sequence[Citation], support: Sequence[str]) -> bool:
    """Whether all of ``support`` is cited, and at least half of what is cited is of it."""
    hits = [one for one in cited if any(_meet(one["quote"], said) for said in support)]
    whole = all(any(_meet(one["quote"], said) for one in hits) for said in support)
    return whole and 2 * len(hits) >= len(cited)


def _meet(quote: str, said: str) -> bool:
    return said in quote or quote in said


async def _extract(model: LanguageModel, task: Task, texts: Sequence[Sequence[str]]) -> Done:
    [[title, text]] = texts
    given: dict[str, str | Sequence[Excerpt]] = {
        "texts": number([(title, text)]),
        "entity_types": ", ".join(IndexContext().entity_types),
        "examples": "",
        "claims": "",
    }
    asks = True
    if task["prompt"] == "read_passage":
        reading = await model.run(READ_PASSAGE, **given)
        found, asks = [entity.name for entity in reading.entities], bool(reading.incoming)
    else:
        found = [entity.name for entity in (await model.run(EXTRACT_FACTS, **given)).entities]
    wanted = [name for name in task["names"] if containment("; ".join(found), [name])]
    stated = [name for name in found if containment(f"{title}. {text}", [name])]
    right = asks and _most(wanted, task["names"]) and _most(stated, found)
    return Done(right, "; ".join(found))


async def _grade(model: LanguageModel, task: Task, texts: Sequence[Sequence[str]]) -> Done:
    shown = number([(title, text) for title, text in texts])
    reply = await model.run(GRADE_PASSAGES, question=task["question"], texts=shown)
    needed = [one.id for one in reply.grades if one.grade >= _LEADS]
    support = set(task["support"])
    others = len(set(needed) - support)
    return Done(support <= set(needed) and others <= 1, ", ".join(needed))


async def _report(model: LanguageModel, task: Task, texts: Sequence[Sequence[str]]) -> Done:
    lines = dict(enumerate(task["lines"], start=1))
    listed = "\n".join(f"{place}. {line}" for place, line in lines.items())
    reply = await model.run(WRITE_REPORT, texts=number([("Lines", listed)]))
    grounded = [
        finding
        for finding in reply.findings
        for rests_on in (" ".join(lines.get(int(one or 0), "") for one in finding.evidence),)
        if any(name in finding.statement and name in rests_on for name in task["names"])
    ]
    told = f"{reply.title}. {reply.summary}"
    return Done(
        sum(name in told for name in task["names"]) > 1 and _most(grounded, reply.findings), told
    )


_TRIED: Mapping[str, Callable[..., Any]] = {
    **dict.fromkeys(("fact", "two_step", "unanswerable"), _answer),
    "extraction": _extract,
    "grading": _grade,
    "report": _report,
}


def _most(part: Sequence[Any], whole: Sequence[Any]) -> bool:
    return bool(part) and len(part) >= _MOST_FOUND * len(whole)


def _evidence(title: str, text: str) -> Evidence:
    named = {"id": title, "document": title, "title": title, "text": text}
    place = {"start": 0, "end": len(text), "metadata": {}, "score": 0.0, "found": "retrieved"}
    return cast(Evidence, {**named, **place})


def _counted(results: Sequence[Result]) -> dict[str, Any]:
    scores: dict[str, Score] = {}
    for result in results:
        score = scores.setdefault(result.task["kind"], Score())
        score.tasks += 1
        score.seconds += result.seconds
        score.forms += result.done is not None
        score.right += result.done is not None and result.done.right
    done = [result.done for result in results if result.done is not None]
    sufficient = [one.right for one in done if one.sufficient]
    return {
        "tried": datetime.now(UTC).date().isoformat(),
        "scores": scores,
        "cited": sum(bool(result.task.get("answers")) for result in results),
        "pointed": sum(one.pointed for one in done),
        "sufficient": len(sufficient),
        "sufficient_right": sum(sufficient),
        "seconds": sum(result.seconds for result in results),
    }
