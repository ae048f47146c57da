"""Adding up the costs of nodes in the state."""

from __future__ import annotations

from dataclasses import dataclass

from .records import ModelUsage, Usage

_DIGITS = 9  # of a dollar: sums of small parts differ beyond them


@dataclass(frozen=True)
class Amounts:
    """Requests to language models, tokens, and US dollars."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(self.calls + other.calls, self.tokens + other.tokens, self.cost + other.cost)

    def __neg__(self) -> Amounts:
        return Amounts(-self.calls, -self.tokens, -self.cost)


@dataclass(frozen=True)
class Ceilings:
    """The most of each of ``Amounts`` that a day may take; None: any."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


def add_usage(left: Usage, right: Usage) -> Usage:
    """The sum of two usages: the reducer of the ``usage`` key."""
    models = {name: ModelUsage(**usage) for name, usage in left.get("models", {}).items()}
    for name, usage in right.get("models", {}).items():
        known = models.get(name)
        models[name] = usage if known is None else _add(known, usage)
    embeddings = dict(left.get("embeddings", {}))
    for name, tokens in right.get("embeddings", {}).items():
        embeddings[name] = embeddings.get(name, 0) + tokens
    total: Usage = {
        "models": models,
        "retrievals": left.get("retrievals", 0) + right.get("retrievals", 0),
        "retrieved_tokens": left.get("retrieved_tokens", 0) + right.get("retrieved_tokens", 0),
        "web_searches": left.get("web_searches", 0) + right.get("web_searches", 0),
    }
    if embeddings:
        total["embeddings"] = embeddings
    one, other = _cost(left), _cost(right)
    if one is not None and other is not None:
        total["cost"] = round(one + other, _DIGITS)
    return total


def _cost(usage: Usage) -> float | None:
    """The cost of a usage in US dollars: nothing for no use, None where it is not known."""
    return usage.get("cost", None if usage.get("models") or usage.get("embeddings") else 0.0)


def _add(left: ModelUsage, right: ModelUsage) -> ModelUsage:
    return {
        "calls": left["calls"] + right["calls"],
        "reused": left["reused"] + right["reused"],
        "input_tokens": left["input_tokens"] + right["input_tokens"],
        "output_tokens": left["output_tokens"] + right["output_tokens"],
        "reused_tokens": left["reused_tokens"] + right["reused_tokens"],
    }


def total_calls(usage: Usage) -> int:
    """Requests sent to language models."""
    return sum(model["calls"] for model in usage.get("models", {}).values())


def total_tokens(usage: Usage) -> int:
    """Tokens sent to models, embeddings included, and received from language models."""
    models = usage.get("models", {}).values()
    asked = sum(model["input_tokens"] + model["output_tokens"] for model in models)
    return asked + sum(usage.get("embeddings", {}).values())


def without_reuse(usage: Usage) -> tuple[int, int]:
    """The requests and tokens that the run would have taken, had no reply been known before."""
    models = usage.get("models", {}).values()
    calls = total_calls(usage) + sum(model["reused"] for model in models)
    return calls, total_tokens(usage) + sum(model["reused_tokens"] for model in models)


def add_warnings(left: list[str], right: list[str]) -> list[str]:
    """Both lists in order, each sentence once: the reducer of the ``warnings`` key."""
    return list(dict.fromkeys([*left, *right]))


def dollars(cost: float) -> str:
    """An amount of US dollars to be read: two digits that say something, and cents."""
    digits = 2
    while digits < 6 and 0 < cost < 10 ** (1 - digits):
        digits += 1
    return f"${cost:,.{digits}f}"
