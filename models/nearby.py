"""Language models within reach of the command line, which are named and never used unasked."""

from __future__ import annotations

from ..settings import Settings


def advice(operator: Settings) -> str:
    """One sentence that says how to get answers here: the commands that connect a model."""
    return (
        "For answers, connect a language model: export OPENAI_API_KEY=... and add "
        "--model openai:gpt-4o-mini, or see the README for a local one."
    )
