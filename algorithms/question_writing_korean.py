from __future__ import annotations
def write_korean(title: str, text: str) -> tuple[list[str], list[str]]:
    return [], []
