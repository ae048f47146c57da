"""A community's report without a model: its most central names, and sentences that say most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ...algorithms.quotable import whole_sentences
from ...language.analyser import STOP_WORDS
from ...prompts.graphrag_replies import CommunityReport, ReportFinding
from ...prompts.prompt import Excerpt

_ROW = re.compile(r"(Entity|Relation|Claim|Report): (.*)", re.DOTALL)
_TYPE = re.compile(r"^[a-z][a-z _-]{0,30}\.(?:\s+|$)")
_ENDS = {"Relation": " – ", "Report": ", "}
_MOST_NAMES = 3
_MOST_FINDINGS = 8
_SUMMARY = 3
_TYPICAL_ROWS = 25
_REPORTED = 5
_LEAST = 0.12


def write_report(texts: Sequence[Excerpt]) -> CommunityReport:
    """The report of the community whose context has the rows ``texts``: extracts, nothing written.

    A title says "Entity: Scrooge", "Relation: Scrooge – Marley", "Claim: ..." or "Report: ...";
    an entity's text is its type, if known, and its description. Findings are sentences with the
    rows that say them; the summary has the first of them, and the names.
    """
    rows = list(map(_row, texts))
    weights: Counter[str] = Counter()
    for kind, names, _, _ in rows:
        weights.update(dict.fromkeys(names, _REPORTED if kind == "Report" else 1))
    sources: dict[str, list[str]] = {}
    for kind, names, said, id in rows:
        found = whole_sentences(said) if kind != "Relation" else []
        for sentence in found or [told for told in sources if all(n in told for n in names)]:
            sources.setdefault(sentence, []).append(id)
    if not sources and not any(said for kind, _, said, _ in rows if kind == "Entity"):
        # Triples that were found elsewhere describe nothing.
        sources = {said: [id] for kind, _, said, id in rows if kind == "Relation"}
    chosen = _ranked(list(sources), weights)
    members = [name for name, _ in weights.most_common()]
    title = ", ".join(_central(weights))
    if not chosen or not title:
        return CommunityReport.model_construct(title=title, summary="", rating=0.0, findings=[])
    said_by = [(one, list(dict.fromkeys(sources[one]))) for one in chosen]
    return CommunityReport(
        title=title,
        summary="\n".join([*chosen[:_SUMMARY], ", ".join(members)]),
        # half of ten at a leaf's usual number of rows
        rating=round(10 * len(rows) / (len(rows) + _TYPICAL_ROWS), 1),
        findings=[ReportFinding(statement=one, evidence=ids) for one, ids in said_by],
    )


def _row(text: Excerpt) -> tuple[str, list[str], str, str]:
    """The kind of a row, the names that it joins, the text that may be quoted, and its number."""
    match = _ROW.match(text["title"])
    kind, name = (match[1], match[2].strip()) if match else ("Entity", text["title"].strip())
    said = _TYPE.sub("", text["text"], count=1) if kind == "Entity" else text["text"]
    names = name.split(_ENDS[kind]) if kind in _ENDS else [name]
    return kind, [one for one in names if one], said, text["id"]


def _central(weights: Counter[str]) -> list[str]:
    """The names for the title, without those that weigh far less than the first."""
    kept: list[str] = []
    for name, weight in weights.most_common():
        part = any(name in other or other in name for other in kept)
        if len(kept) < _MOST_NAMES and weight >= _LEAST * max(weights.values()) and not part:
            kept.append(name)
    return kept


def _ranked(said: Sequence[str], weights: Counter[str]) -> list[str]:
    """Sentences by the weight of their names, new ones counting most; "He ...", "But ..." less."""
    named = {one: [name for name in weights if name in one] for one in said}
    seen: Counter[str] = Counter()

    def gain(one: str) -> float:
        leaning = one.partition(" ")[0].strip("\"'“‘,").lower() in STOP_WORDS
        worth = sum(weights[name] / (1 + seen[name]) ** 2 for name in named[one])
        return worth * (0.5 if leaning else 1.0)

    left = dict.fromkeys(said)
    order: list[str] = []
    while left and len(order) < _MOST_FINDINGS:
        order.append(max(left, key=gain))
        del left[order[-1]]
        seen.update(named[order[-1]])
    return order
