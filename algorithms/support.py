"""Stub."""
from typing import Any


def doubt(answer: str, question: str, citations: Any) -> Any:
    return None
