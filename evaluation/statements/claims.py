"""Claims of answers: how many a method makes, how varied they are, and which are supported."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from ...context import Context
from ...index.opening import Index
from ...prompts.evaluation import CHECK_CLAIMS
from ...state.index import IndexInput
from ..answering import AnsweringPlan, answered
from ..asking import Asker, Estimate, gathered, open_asker
from ..conditions import Condition, ways_of
from ..intervals import mean_of, pooled_share
from ..outcomes import Outcome, failures_of
from ..plots import Plot, bars, measured_bar
from .checking import VERDICTS, JudgedClaim, claims_inputs, claims_of
from .forecast import LONGEST_ANSWER, JudgeSettings, Requests, forecast, length_of, require_model
from .likeness import THRESHOLDS, clusters

Against = Literal["passages", "sentences"]
_UNSUPPORTED = ("contradicted", "not said", "uncited")
_USER = "Checking claims"
_LONGEST_CITED = 8000  # tokens


class Questions(NamedTuple):
    """Questions by the ``name`` of their set; ``given`` is indexed before they are asked."""

    name: str
    given: IndexInput
    texts: Sequence[str]


class Cited(NamedTuple):
    """A text that an answer cites, as the judge sees it, with the ``quotes`` from it."""

    title: str
    text: str
    quotes: list[str]


class Checked(NamedTuple):
    """A question, what a condition did with it, and its claims; None where they are not known."""

    question: str
    outcome: Outcome
    cited: list[Cited]
    claims: list[JudgedClaim] | None


def evaluate_claims(
    questions: Questions,
    conditions: Sequence[Condition],
    plan: AnsweringPlan,
    judge: str | None = None,
    against: Against = "passages",
    seed: int = 0,
) -> dict[str, Any]:
    """Numbers of claims and the shares that the cited evidence supports, in the form of ``--json``.

    The model ``judge`` lists and checks the claims, or the model that answers: ``against`` the
    cited sentences alone, or the passages that they stand in. With ``dry_run`` in
    ``plan.context`` nobody is asked, and the cost is estimated. Raises RagraphsError.
    """
    ways = ways_of(conditions, plan)
    context = plan.context.narrowed(Context, **({"model": judge} if judge else {}))
    require_model(context, _USER)
    if plan.context.dry_run:
        judging = JudgeSettings(context, _USER, partial(_requests, against), _unknown)
        return forecast(questions.given, questions.texts, ways, plan, judging)
    with answered(questions.given, questions.texts, ways, plan) as (index, outcomes):
        asker, checked = asyncio.run(
            _check(index, context, questions.texts, outcomes, plan, against)
        )
    return {
        "set": questions.name,
        "model": plan.context.model,
        "judge": context.model,
        "against": against,
        "questions": len(questions.texts),
        "conditions": [_measured(name, rows, seed) for name, rows in checked.items()],
        "usage": asker.meter.usage(),
        "warnings": asker.meter.warnings,
        "answers": [_row(name, one) for name, rows in checked.items() for one in rows],
    }


def claim_plots(result: Mapping[str, Any]) -> list[Plot]:
    """Support of claims and their number for each condition, from ``evaluate_claims``."""
    shares = {
        one["condition"]: [measured_bar(name, one[name]) for name in ("supported", "unsupported")]
        for one in result["conditions"]
    }
    numbers = {
        one["condition"]: [
            measured_bar("claims", one["claims"]),
            *(measured_bar(f"clusters at {cut}", found) for cut, found in one["clusters"].items()),
        ]
        for one in result["conditions"]
    }
    title = f"{result['set']}, {result['judge']}, {result['questions']} questions"
    return [
        bars(f"{title}: claims by the cited {result['against']}", shares),
        bars(f"{title}: claims an answer", numbers, "number"),
    ]


def counted_claims(answers: Sequence[Sequence[str]], seed: int = 0) -> dict[str, Any]:
    """The mean number of claims of ``answers``, and of their clusters at each threshold."""
    grouped = [clusters(claims) for claims in answers]
    return {
        "claims": mean_of(map(len, answers), seed),
        "clusters": {str(cut): mean_of([one[cut] for one in grouped], seed) for cut in THRESHOLDS},
    }


async def _check(
    index: Index,
    context: Context,
    questions: Sequence[str],
    outcomes: Mapping[str, Sequence[Outcome]],
    plan: AnsweringPlan,
    against: Against,
) -> tuple[Asker, dict[str, list[Checked]]]:
    """The claims of every answer; none are asked for where a question failed."""
    asker = await open_asker(index, context, _USER)

    async def one(question: str, outcome: Outcome, cited: list[Cited]) -> Checked:
        if outcome["error"]:
            return Checked(question, outcome, [], None)
        texts = [(one.title, one.text) for one in cited]
        found = await claims_of(asker, question, outcome["answer"], texts)
        return Checked(question, outcome, cited, found)

    works = [
        partial(one, question, outcome, await asyncio.to_thread(cited_by, index, outcome, against))
        for found in outcomes.values()
        for question, outcome in zip(questions, found, strict=True)
    ]
    rows = iter(await gathered("claims", works, plan.report))
    return asker, {name: [next(rows) for _ in found] for name, found in outcomes.items()}


def cited_by(index: Index, outcome: Outcome, against: Against) -> list[Cited]:
    """The sentences that an answer cites, or the passages that they stand in, each once. Blocks.

    A sentence whose passage ``index`` has not, such as one of the web, stands for it.
    """
    sentences = [Cited(one["title"], one["quote"], [one["quote"]]) for one in outcome["citations"]]
    if against == "sentences":
        return sentences
    ids = [one["passage"] for one in outcome["citations"]]
    known = {passage["id"]: passage for passage in index.catalogue.passages(ids)}
    found: dict[str, Cited] = {}
    for id, alone in zip(ids, sentences, strict=True):
        if id not in known:
            found[alone.text] = alone
        elif id in found:
            found[id].quotes.extend(alone.quotes)
        else:
            found[id] = Cited(known[id]["title"], known[id]["text"], [*alone.quotes])
    return list(found.values())


def _requests(
    against: Against, index: Index, place: int, question: str, outcome: Outcome
) -> Requests:
    if outcome["error"] or not outcome["answer"].strip():
        return []
    texts = [(one.title, one.text) for one in cited_by(index, outcome, against)]
    return [(CHECK_CLAIMS, claims_inputs(question, outcome["answer"], texts))]


def _unknown(place: int, question: str) -> Estimate:
    """One request at most: an answer may be empty."""
    most = length_of(CHECK_CLAIMS, claims_inputs(question, "", []))
    return Estimate(0, 1, 0, most + LONGEST_ANSWER + _LONGEST_CITED)


def _measured(name: str, rows: Sequence[Checked], seed: int) -> dict[str, Any]:
    """The measures of a condition.

    ``unsupported`` is the share of claims that the cited evidence contradicts or do not say, or
    whose answer cites none; shares are of the claims with a verdict, ``unclear`` is of all.
    """
    known = [row for row in rows if row.claims is not None]
    verdicts: list[list[str]] = [[claim["verdict"] for claim in row.claims or ()] for row in known]
    claims = [[claim["claim"] for claim in row.claims or ()] for row in known]
    numbers = [len(of_one) for of_one in verdicts]
    judged = [sum(one != "unclear" for one in of_one) for of_one in verdicts]
    counts: dict[str, list[int]] = {
        kind: [of_one.count(kind) for of_one in verdicts] for kind in VERDICTS
    }
    unsupported = [sum(map(of_one.count, _UNSUPPORTED)) for of_one in verdicts]
    failures = failures_of(row.outcome for row in rows)
    return {
        "condition": name,
        "answers": len(known),
        **failures,
        "without_reply": len(rows) - len(known) - failures["failures"],
        "without_claims": numbers.count(0),
        "without_citations": sum(not row.outcome["citations"] for row in known),
        **counted_claims(claims, seed),
        "supported": pooled_share(counts["supported"], judged, seed),
        "unsupported": pooled_share(unsupported, judged, seed),
        **{
            kind.replace(" ", "_"): pooled_share(counts[kind], judged, seed)
            for kind in _UNSUPPORTED
        },
        "unclear": pooled_share(counts["unclear"], numbers, seed),
    }


def _row(name: str, checked: Checked) -> dict[str, Any]:
    question, outcome, cited, claims = checked
    return {
        "condition": name,
        "question": question,
        "answer": outcome["answer"],
        "error": outcome["error"],
        "citations": [" … ".join(one.quotes) for one in cited],
        "claims": claims,
    }
