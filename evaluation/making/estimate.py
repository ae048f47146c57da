"""Cost of making a set: requests, and tokens sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import islice
from statistics import mean
from typing import Any, NamedTuple, TypeVar

from ...index.concurrency import to_its_end
from ...index.opening import Index
from ...language.analyser import count_tokens
from ...prompts.evaluation import (
    CHECK_QUESTIONS,
    WRITE_CHAIN_QUESTION,
    WRITE_FACT_QUESTIONS,
    WRITE_OPEN_QUESTIONS,
)
from ...prompts.prompt import Prompt, number_passages
from ...state.records import Passage
from ...stores.queries import batches
from ..asking import Asker, Estimate
from .checking import SEARCHED, retrievers_of
from .drafts import Kind
from .material import Chain, drawn_chains, drawn_passages
from .rounds import BATCH, TRIES, Order
from .writing import shown_chain

T = TypeVar("T")

_QUESTION = 40  # tokens of a question with the lines around it
_AROUND = 15  # tokens of the lines around a text


class _Checks(NamedTuple):
    """The checks of questions of a kind, by the tokens of a passage and how many are found."""

    kind: Kind
    passage: float
    found: int

    def of(self, questions: int) -> list[int]:
        """The tokens of each request that checks so many ``questions`` of one batch."""
        searched = [self._sent(self.found, 1)] * questions
        if self.kind == "fact":
            return [self._sent(questions, questions), *searched]
        if self.kind == "two_hop":
            both, alone = (self._sent(n * questions, questions) for n in (2, 1))
            return [both, alone, alone, *searched]
        return searched

    def _sent(self, passages: int, questions: int) -> int:
        empty = CHECK_QUESTIONS.render({"texts": [], "questions": []})
        texts = passages * (self.passage + _AROUND) + questions * _QUESTION
        return sum(map(count_tokens, empty)) + round(texts)


async def estimate(index: Index, asker: Asker, order: Order) -> Estimate:
    """The cost of ``order``: at least, if all questions stand their checks; at most, all tries.

    Checks are counted by the mean length of the passages that are drawn. Where the reply of the
    writer is kept, the replies of its checks may be, too: then they cost nothing at least.
    """
    held = await to_its_end(index.catalogue.count_passages)
    found = min(SEARCHED * len(retrievers_of(index)), held)
    total = Estimate()
    if order.facts:
        passages = await _drawn(index, order.seed_of("fact"), order.facts)
        price = partial(_one_request, asker, WRITE_FACT_QUESTIONS)
        checks = _Checks("fact", _mean_tokens(passages), found)
        total += await _priced(passages, order.facts, price, checks)
    if order.two_hop:
        pairs = drawn_chains(index, order.seed_of("two_hop"))
        chains = await to_its_end(lambda most: list(islice(pairs, most)), order.two_hop * TRIES)
        passages = [passage for chain in chains for passage in (chain.first, chain.second)]
        checks = _Checks("two_hop", _mean_tokens(passages), found)
        total += await _priced(chains, order.two_hop, partial(_request_each, asker), checks)
    if order.unanswerable:
        passages = await _drawn(index, order.seed_of("unanswerable"), order.unanswerable)
        price = partial(_one_request, asker, WRITE_OPEN_QUESTIONS)
        checks = _Checks("unanswerable", _mean_tokens(passages), found)
        total += await _priced(passages, order.unanswerable, price, checks)
    return total


async def _drawn(index: Index, seed: str, wanted: int) -> list[Passage]:
    ids = await to_its_end(drawn_passages, index, seed)
    return await to_its_end(index.catalogue.passages, ids[: wanted * TRIES])


def _mean_tokens(passages: Sequence[Passage]) -> float:
    tokens = [count_tokens(f"{passage['title']} {passage['text']}") for passage in passages]
    return mean(tokens) if tokens else 0.0


async def _one_request(asker: Asker, prompt: Prompt[Any], passages: Sequence[Passage]) -> Estimate:
    return await asker.missing(prompt, texts=number_passages(passages))


async def _request_each(asker: Asker, chains: Sequence[Chain]) -> Estimate:
    total = Estimate()
    for chain in chains:
        total += await asker.missing(WRITE_CHAIN_QUESTION, texts=shown_chain(chain))
    return total


async def _priced(
    material: Sequence[T],
    wanted: int,
    price: Callable[[Sequence[T]], Awaitable[Estimate]],
    checks: _Checks,
) -> Estimate:
    """The cost of trying ``material``: the first ``wanted`` in batches, and at most the rest.

    The rest is tried for one question at a time, at worst.
    """
    first = list(batches(material[:wanted], BATCH))
    rest = list(batches(material[wanted:], 1))
    total = Estimate()
    for place, batch in enumerate([*first, *rest]):
        written = await price(batch)
        sent = checks.of(len(batch))
        least = sent if written.calls_least and place < len(first) else []
        all_least = written if place < len(first) else Estimate()
        total += Estimate(
            all_least.calls_least + len(least),
            written.calls_most + len(sent),
            all_least.tokens_least + sum(least),
            written.tokens_most + sum(sent),
        )
    return total
