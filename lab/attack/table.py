"""The table of an attack: what was tried, and the problems met."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import get_args

from .trials import Sign, TrialRow

# Figures of a part that the table shows at their largest, with the words for them.
_LARGEST = {
    "honest_seconds": "slowest honest answer {:.1f} s",
    "index_ratio": "index {:.0f} times the text",
    "memory_ratio": "memory {:.0f} times the text",
    "paid_twice": "{:.0f} requests paid twice",
}
_SHORT = 110


def table(rows: Sequence[TrialRow]) -> str:
    """One line of Markdown for each part: things tried, their kinds, trials with a problem."""
    signs = get_args(Sign)
    lines = ["| part | tried | kinds | " + " | ".join(signs) + " | slowest | largest |"]
    lines.append("|---|" + "---:|" * (len(signs) + 3) + "---|")
    for part in dict.fromkeys(row.part for row in rows):
        own = [row for row in rows if row.part == part]
        labels = Counter(label for row in own for label in row.labels)
        met = Counter(sign for row in own for sign in {problem["sign"] for problem in row.problems})
        cells = [part, f"{labels.total():,}", str(len(labels)), *(str(met[sign]) for sign in signs)]
        cells += [f"{max(row.seconds for row in own):.0f} s", _largest(own)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def faults(rows: Sequence[TrialRow]) -> Iterator[str]:
    """Each different problem, the most frequent first, with the arguments that repeat it."""
    met: Counter[str] = Counter()
    repeats: dict[str, tuple[float, str, str]] = {}
    for row in rows:
        for problem in row.problems:
            key = f"{row.part} {problem['sign']} {_outline(problem['words'])}"
            met[key] += 1
            seen = (row.seconds, problem["words"], row.repeat)
            repeats[key] = min(repeats.get(key, seen), seen)
    for key, times in met.most_common():
        _, words, repeat = repeats[key]
        yield f"{times} x {key.split()[1]}: {words}\n    {repeat}"


def _largest(rows: Sequence[TrialRow]) -> str:
    found = []
    for name, words in _LARGEST.items():
        values = [row.figures[name] for row in rows if name in row.figures]
        if values:
            found.append(words.format(max(values)))
    return ", ".join(found)


def _outline(words: str) -> str:
    """The beginning of ``words`` without what differs from trial to trial."""
    return re.sub(r"\d[\d.,]*|'[^']*'|\"[^\"]*\"|/tmp/\S*", "#", words)[:_SHORT]
