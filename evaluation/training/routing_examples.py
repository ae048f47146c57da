"""Questions of every kind in English and Korean, for what public question sets lack.

Among the facts are many with words that other kinds have ("main", "all", "current", "today"), or
that differ little from a question about the whole.
"""

from __future__ import annotations

from ...algorithms.router.decision import QuestionKind
from .english_questions import ENGLISH
from .korean_questions import KOREAN

EXAMPLES: dict[str, list[tuple[str, QuestionKind]]] = {
    language: [(line, kind) for kind, lines in questions.items() for line in lines.splitlines()]
    for language, questions in (("English", ENGLISH), ("Korean", KOREAN))
}
