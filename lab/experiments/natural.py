"""Questions as people ask them, on documents as people have them: what is found, what is claimed.

A set is a folder of ``documents`` and ``questions.jsonl``, whose rows have ``question``, ``kind``
(fact, yes_no, open, unanswerable), ``source`` (the kind of document), ``language``, ``answers`` and
``quotes``: the sentences of the documents that each support the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

from ragraphs.context import IndexContext, QuestionContext, RetrieverName
from ragraphs.evaluation.datasets import QUESTIONS, read_questions
from ragraphs.evaluation.figures import check_record
from ragraphs.evaluation.intervals import share_of
from ragraphs.evaluation.metrics import containment, normalised
from ragraphs.evaluation.plots import Bar, Plot, bars, measured_bar
from ragraphs.evaluation.retrieval import Report, indexed, unreported
from ragraphs.graphs import graph_of
from ragraphs.index.opening import Index
from ragraphs.index.retrieval import search
from ragraphs.language.analyser import one_line
from ragraphs.state.answering import AnswerOutput
from ragraphs.state.errors import RagraphsError

from .keeping import keep, others

CUTOFFS = (1, 3, 10)
HIGHLIGHTS = 6
_MARKS = ("answered", "right", "sufficient", "precision", "highlighted", "first", "unspoken")
_FIELDS = "'question', 'kind', 'source', 'language', 'answers' and 'quotes'"
_LARGER_PART = 2 / 3


class NaturalQuestion(NamedTuple):
    """A question with the short answers that are right and the sentences that support them.

    ``source`` is the kind of document, with its language.
    """

    question: str
    kind: str
    source: str
    answers: tuple[str, ...]
    quotes: tuple[str, ...]


class QuestionOutput(NamedTuple):
    """A question, the output of the method, and the texts that each retriever found, best first."""

    question: NaturalQuestion
    output: AnswerOutput
    found: Mapping[str, Sequence[str]]


def evaluate_natural(
    folder: str,
    method: str,
    context: IndexContext,
    report: Report = unreported,
    outputs: Path | None = None,
) -> dict[str, Any]:
    """Claims by kind of question, and quotes found by kind of document.

    In the form of ``--json``. Every retriever is measured that the index has the layers for; shares
    come with their number n and Wilson's interval of 95 %. The marks of each question are added to
    the file ``outputs``, if one is named. Raises RagraphsError.
    """
    check_record(outputs)
    path = Path(folder).expanduser().resolve()
    questions, documents = natural_questions(path), path / "documents"
    context = context.model_copy(update={"layers": [*context.layers, "sentences"]})
    with indexed({"sources": [str(documents)]}, context, report) as (index, _):
        chosen = context_of(method, context, index)
        asked = asyncio.run(_ask(method, chosen, questions, index, report))
        embeddings = index.embedder.name
        notes = others(index, documents, path.name)
    rows = [row for one in asked for row in _kept(method, one)]
    keep(outputs, path / QUESTIONS, documents, notes, rows)
    answerable = [one for one in asked if one.question.quotes]
    return {
        "set": path.name,
        "method": method,
        "model": context.model,
        "embeddings": embeddings,
        "questions": len(questions),
        "answers": _grouped(asked, lambda one: one.kind, _claims),
        "answers_by_source": _grouped(asked, lambda one: one.source, _claims),
        "quotes": {
            name: _grouped(answerable, lambda one: one.source, partial(_finds, name))
            for name in get_args(RetrieverName)
        },
        "notes": notes,
        "rows": [_row(one) for one in asked],
    }


def natural_bars(result: Mapping[str, Any]) -> list[Plot]:
    """Claims by kind of question, and the first three passages of each retriever."""
    claims: dict[str, list[Bar]] = {
        kind: [measured_bar(name, share) for name, share in shares.items()]
        for kind, shares in result["answers"].items()
    }
    found = [measured_bar(name, one["all"]["3"]) for name, one in result["quotes"].items()]
    title = f"{result['set']}, {result['method']}, {result['model']}"
    return [
        bars(title, claims),
        bars("A supporting sentence among the first three passages", {"retriever": found}),
    ]


def natural_questions(folder: Path) -> list[NaturalQuestion]:
    """The questions on the documents in ``folder``. Raises RagraphsError."""
    questions = read_questions(folder / QUESTIONS, _question, _FIELDS)
    if not (folder / "documents").is_dir() or not questions:
        raise RagraphsError(
            f"{folder} is no set of natural questions; name a folder that holds questions.jsonl "
            "and a folder called documents."
        )
    return questions


def _question(row: Any) -> NaturalQuestion:
    return NaturalQuestion(
        row["question"],
        row["kind"],
        f"{row['source']} {row['language']}",
        tuple(row["answers"]),
        tuple(map(one_line, row["quotes"])),
    )


def context_of(method: str, context: IndexContext, index: Index) -> QuestionContext:
    """The settings of a method or of the router on ``index``, as far as ``context`` has them."""
    kind = graph_of(method)[1]
    given = {name: getattr(context, name) for name in context.model_fields_set}
    known = {name: value for name, value in given.items() if name in kind.model_fields}
    return kind(**{**known, "index": index.name})


async def _ask(
    method: str,
    context: QuestionContext,
    questions: Sequence[NaturalQuestion],
    index: Index,
    report: Report,
) -> list[QuestionOutput]:
    graph, asked = graph_of(method)[0], []
    for done, one in enumerate(questions, start=1):
        output = await graph.ainvoke({"question": one.question}, context=context)
        found = {
            name: [
                one_line(passage["text"])
                for passage in await asyncio.to_thread(
                    search, index, one.question, name, CUTOFFS[-1]
                )
            ]
            for name in get_args(RetrieverName)
        }
        asked.append(QuestionOutput(one, cast(AnswerOutput, output), found))
        report("ask", done, len(questions))
    return asked


def is_right(question: NaturalQuestion, answer: str) -> bool:
    """Whether ``answer`` holds one of the right answers, or begins with it, where it is yes or no.

    Nothing is right where there is no right answer.
    """
    if question.kind == "yes_no":
        return normalised(answer)[:1] in map(normalised, question.answers)
    return bool(containment(answer, question.answers))


def stands_in(quote: str, text: str) -> bool:
    """Whether ``text`` has ``quote``, or its larger part: a passage may end within a sentence."""
    part = max(1, round(len(quote) * _LARGER_PART))
    return quote[:part] in text or quote[-part:] in text


def is_highlighted(
    question: NaturalQuestion, output: AnswerOutput, first: int = HIGHLIGHTS
) -> bool:
    """Whether one of the ``first`` citations is a quote of ``question``, or most of one."""
    shown = [one_line(citation["quote"]) for citation in output["citations"][:first]]
    return any(
        stands_in(quote, text) or (text in quote and len(text) >= len(quote) * _LARGER_PART)
        for quote in question.quotes
        for text in shown
    )


def _grouped(
    asked: Sequence[QuestionOutput],
    key: Callable[[NaturalQuestion], str],
    measure: Callable[[Sequence[QuestionOutput]], dict[str, Any]],
) -> dict[str, Any]:
    """``measure`` of each group of questions by ``key``, and of all."""
    names = sorted({key(one.question) for one in asked})
    groups = {name: [one for one in asked if key(one.question) == name] for name in names}
    return {name: measure(group) for name, group in [*groups.items(), ("all", asked)]}


def _claims(asked: Sequence[QuestionOutput]) -> dict[str, Any]:
    marks = [_marks(one) for one in asked]
    known = {name: [one[name] for one in marks if one[name] is not None] for name in _MARKS}
    return {name: share_of([bool(mark) for mark in found]) for name, found in known.items()}


def _marks(asked: QuestionOutput) -> dict[str, float | None]:
    """Each mark of a claim, 1 or 0; None where a question has no part in it."""
    question, output, _ = asked
    is_short = question.kind != "open"  # else there is no short answer to compare
    right = float(is_right(question, output["answer"])) if is_short else None
    return {
        "answered": float(bool(output["answer"])),
        "right": right,
        "sufficient": float(output["sufficient"]),
        "precision": right if output["sufficient"] else None,
        "highlighted": float(is_highlighted(question, output)) if question.quotes else None,
        "first": float(is_highlighted(question, output, first=1)) if question.quotes else None,
        "unspoken": float(not output["answer"] and bool(output["missing"])),
    }


def _finds(retriever: str, asked: Sequence[QuestionOutput]) -> dict[str, Any]:
    return {str(k): share_of([_is_found(one, retriever, k) for one in asked]) for k in CUTOFFS}


def _is_found(asked: QuestionOutput, retriever: str, first: int) -> bool:
    texts = asked.found[retriever][:first]
    return any(stands_in(quote, text) for quote in asked.question.quotes for text in texts)


def _kept(method: str, asked: QuestionOutput) -> list[dict[str, Any]]:
    """The rows of files of figures: of ``method``, and of each retriever."""
    about = {"id": asked.question.question, "kind": asked.question.kind}
    told = {"answer": asked.output["answer"], "sufficient": asked.output["sufficient"]}
    finds = {
        name: {f"found@{k}": float(_is_found(asked, name, k)) for k in CUTOFFS}
        for name in (asked.found if asked.question.quotes else ())
    }
    rows = [{"method": name, **about, "scores": scores} for name, scores in finds.items()]
    return [{"method": method, **about, **told, "scores": _marks(asked)}, *rows]


def _row(asked: QuestionOutput) -> dict[str, Any]:
    question, output = asked.question, asked.output
    ranks = {
        name: next((k for k in range(1, CUTOFFS[-1] + 1) if _is_found(asked, name, k)), None)
        for name in asked.found
    }
    return {
        "question": question.question,
        "kind": question.kind,
        "source": question.source,
        "answer": output["answer"],
        "sufficient": output["sufficient"],
        "right": is_right(question, output["answer"]),
        "highlighted": is_highlighted(question, output),
        "rank": ranks,
    }
