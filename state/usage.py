"""Adding up the costs of nodes in the state."""

from __future__ import annotations

from .records import ModelUsage, Usage


def add_usage(left: Usage, right: Usage) -> Usage:
    """The sum of two usages: the reducer of the ``usage`` key."""
    models = {name: ModelUsage(**usage) for name, usage in left.get("models", {}).items()}
    for name, usage in right.get("models", {}).items():
        known = models.get(name)
        models[name] = usage if known is None else _add(known, usage)
    return {
        "models": models,
        "retrievals": left.get("retrievals", 0) + right.get("retrievals", 0),
        "web_searches": left.get("web_searches", 0) + right.get("web_searches", 0),
    }


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
    """Tokens sent to and received from language models."""
    models = usage.get("models", {}).values()
    return sum(model["input_tokens"] + model["output_tokens"] for model in models)


def without_reuse(usage: Usage) -> tuple[int, int]:
    """The requests and tokens that the run would have taken, had no reply been known before."""
    models = usage.get("models", {}).values()
    calls = total_calls(usage) + sum(model["reused"] for model in models)
    return calls, total_tokens(usage) + sum(model["reused_tokens"] for model in models)


def add_warnings(left: list[str], right: list[str]) -> list[str]:
    """Both lists in order, each sentence once: the reducer of the ``warnings`` key."""
    return list(dict.fromkeys([*left, *right]))
