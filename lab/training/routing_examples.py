"""Questions of every kind in English and Korean, for what public question sets lack.

Among the facts are many with words that other kinds have ("main", "all", "current", "today"), or
that differ in a few words from a question about the whole.
"""

from __future__ import annotations

import json
from pathlib import Path

from ragraphs.algorithms.router.decision import QuestionKind

_ROWS = [
    json.loads(line)
    for line in Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
]

EXAMPLES: dict[str, list[tuple[str, QuestionKind]]] = {
    name: [(row["question"], row["kind"]) for row in _ROWS if row["language"] == language]
    for name, language in (("English", "en"), ("Korean", "ko"))
}
