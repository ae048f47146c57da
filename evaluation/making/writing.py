"""Writing questions from passages; what a program can check of them is checked here."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ...algorithms.citations import locate
from ...language.analyser import one_line
from ...prompts.evaluation import WRITE_CHAIN_QUESTION, WRITE_FACT_QUESTIONS, WRITE_OPEN_QUESTIONS
from ...prompts.prompt import Excerpt, number_passages
from ...prompts.question_set_replies import ChainQuestion, FactQuestion
from ...prompts.replies import Quote
from ...state.records import Passage
from ..asking import Asker
from ..metrics import containment, normalised
from .drafts import Draft, Reason, Written
from .material import Chain


async def write_facts(asker: Asker, passages: Sequence[Passage]) -> list[Written]:
    """A question of one fact for each passage, in one request."""
    reply = await asker.ask(WRITE_FACT_QUESTIONS, texts=number_passages(passages))
    if reply is None:
        return [Reason.NO_REPLY] * len(passages)
    asked = {question.text: question for question in reversed(reply.questions)}
    return [
        _fact(passage, asked[number]) if number in asked else Reason.NOTHING
        for number, passage in _numbered(passages)
    ]


async def write_open(asker: Asker, passages: Sequence[Passage]) -> list[Written]:
    """A question that comes close to each passage and that it does not answer, in one request."""
    reply = await asker.ask(WRITE_OPEN_QUESTIONS, texts=number_passages(passages))
    if reply is None:
        return [Reason.NO_REPLY] * len(passages)
    asked = {question.text: one_line(question.question) for question in reversed(reply.questions)}
    return [
        Draft("unanswerable", asked[number], (passage,)) if asked.get(number) else Reason.NOTHING
        for number, passage in _numbered(passages)
    ]


async def write_chains(asker: Asker, chains: Sequence[Chain]) -> list[Written]:
    """A question that needs both passages of each chain; a request for each."""

    async def one(chain: Chain) -> Written:
        reply = await asker.ask(WRITE_CHAIN_QUESTION, texts=shown_chain(chain))
        return Reason.NO_REPLY if reply is None else _chain(chain, reply)

    return await asyncio.gather(*map(one, chains))


def shown_chain(chain: Chain) -> list[Excerpt]:
    """The texts of a chain as they are shown: both passages, and the question that joins them."""
    passages = number_passages([chain.first, chain.second])
    hint = "a question that text 1 raises"
    raised: Excerpt = {
        "id": "raised",
        "title": hint,
        "text": chain.raised,
        "passage": chain.first["id"],
    }
    return [*passages, raised]


def _numbered(passages: Sequence[Passage]) -> list[tuple[str, Passage]]:
    return [(str(place), passage) for place, passage in enumerate(passages, start=1)]


def _fact(passage: Passage, asked: FactQuestion) -> Written:
    question, golds = one_line(asked.question), _golds(asked.answer, asked.aliases)
    quote = locate(asked.quote, passage["text"])
    if quote is None:
        return Reason.QUOTE
    if not question or not golds:
        return Reason.NOTHING
    if containment(question, golds):
        return Reason.TELLS
    return Draft("fact", question, (passage,), golds, (quote.text,))


def _chain(chain: Chain, asked: ChainQuestion) -> Written:
    question, bridge = one_line(asked.question), one_line(asked.bridge)
    golds = _golds(asked.answer, asked.aliases)
    parts = one_line(asked.first), one_line(asked.second)
    if not all((question, bridge, golds, *parts)):
        return Reason.NOTHING
    quotes = [
        _quoted(asked.quotes, number, passage)
        for number, passage in _numbered([chain.first, chain.second])
    ]
    wrong = {
        Reason.QUOTE: "" in quotes,
        Reason.NO_BRIDGE: not _names(chain.first, [bridge]),
        Reason.NO_ANSWER: not _names(chain.second, golds),
        Reason.TELLS: bool(containment(question, golds)),
        Reason.TELLS_BRIDGE: bool(containment(question, [bridge])),
    }
    if found := next((reason for reason, holds in wrong.items() if holds), None):
        return found
    answered = tuple(zip(parts, (bridge, golds[0]), strict=True))
    own = chain.first, chain.second
    return Draft("two_hop", question, own, golds, tuple(quotes), answered)


def _golds(answer: str, aliases: Sequence[str]) -> tuple[str, ...]:
    """The answer and its aliases, each once after normalisation; none where it has no word."""
    given = {normalised(one): one_line(one) for one in reversed([answer, *aliases])}
    own = normalised(answer)
    rest = [text for words, text in reversed(given.items()) if words and words != own]
    return (one_line(answer), *rest) if own else ()


def _quoted(quotes: Sequence[Quote], number: str, passage: Passage) -> str:
    """The stretch of ``passage`` that a quote from text ``number`` copies; or empty."""
    found = (locate(one.quote, passage["text"]) for one in quotes if one.id in (number, ""))
    return next((span.text for span in found if span is not None), "")


def _names(passage: Passage, texts: Sequence[str]) -> bool:
    return bool(containment(f"{passage['title']} {passage['text']}", texts))
