"""A small question set, English and Korean, in the working folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PASSAGES = {
    "forth": ("Forth Bridge", "The Forth Bridge was designed by John Fowler."),
    "fowler": ("John Fowler", "John Fowler was born in Sheffield in 1817."),
    "tower": ("Tower Bridge", "Tower Bridge was opened in 1894."),
    "hangul": ("훈민정음", "훈민정음은 세종대왕이 1446년에 반포하였다."),
}
QUESTIONS: tuple[dict[str, Any], ...] = (
    {
        "id": "designer",
        "question": "Who designed the Forth Bridge?",
        "answer": "Sir John Fowler",
        "aliases": ["John Fowler"],
        "type": "single",
        "supporting": ["forth"],
    },
    {
        "id": "birth",
        "question": "Where was the designer of the Forth Bridge born?",
        "answer": "Sheffield",
        "type": "bridge",
        "supporting": ["forth", "fowler"],
    },
    {
        "id": "hangul",
        "question": "훈민정음은 언제 반포되었습니까?",
        "answer": "1446년",
        "type": "single",
        "supporting": ["hangul"],
    },
)


def write_set(questions: Sequence[dict[str, Any]] = QUESTIONS, **changed: str) -> None:
    """Writes the question set into ``set``; ``changed`` gives other texts to passages."""
    folder = Path("set")
    folder.mkdir(exist_ok=True)
    passages = [
        {"id": id, "title": title, "text": changed.get(id, text)}
        for id, (title, text) in PASSAGES.items()
    ]
    for name, rows in (("passages", passages), ("questions", questions)):
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
