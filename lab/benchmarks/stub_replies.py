"""Replies for a stub in the model's place: the form that was asked for, the prompt's own words."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from .stub_model import as_written, texts_of


def stub_reply(kind: str, human: str) -> Any:
    """Some reply of the ``kind`` asked for, made of the prompt's own words.

    The numbers are drawn one after another: a draw that is moved changes all replies.
    """
    texts = texts_of(human) or [("1", "", human)]
    if kind in {"Answer", "StepReading", "LocalAnswer"}:
        texts = [(id, title, as_written(text)) for id, title, text in texts]
    chance = random.Random(human)
    words = [word.strip(".,;:!?") for word in texts[0][2].split()]
    names = sorted({word for word in words if word.istitle() and len(word) > 3})[:6]
    some = " ".join(words[:12])
    pointers = [f"{id}.1" for id, _, _ in texts[:2]]
    answer = {"from": pointers, "sufficient": chance.random() < 0.4, "answer": some}
    evidence = [id for id, _, _ in texts[:2]]
    points = [{"point": some, "score": chance.randint(0, 99), "evidence": evidence}]
    follow_ups = [{"question": f"Who is {name}?", "score": 50} for name in names[:2]]
    replies: dict[str, Any] = {
        **_readings(names, some, evidence[:1]),
        **_gradings(texts, some, chance),
        **_steps(names, some, chance),
        "Answer": {**answer, "missing": [f"Who is {name}?" for name in names[:2]]},
        "AgentTurn": {**answer, "next": [{"tool": "search_words", "query": n} for n in names[:1]]},
        "StepReading": {**answer, "next": follow_ups[-1]["question"] if names else ""},
        "AnswerCheck": {"unsupported": [], "sufficient": True},
        "StatementVerdict": {"from": answer["from"], "verdict": "supported", "missing": []},
        "ClosedBookAnswer": {"known": False, "answer": "Ann"},
        "Points": {"points": points},
        "CombinedAnswer": {"answer": some, "used": ["1"], "sufficient": chance.random() < 0.5},
        "PrimedAnswer": {"points": points, "follow_ups": follow_ups},
        "LocalAnswer": {**answer, "score": chance.randint(0, 99), "follow_ups": follow_ups},
    }
    return replies[kind]


def _readings(names: list[str], some: str, evidence: list[str]) -> dict[str, Any]:
    questions = {
        "incoming": [f"Who is {name}?" for name in names[:2]],
        "outgoing": [f"What did {name} do?" for name in names],
    }
    facts = {
        "entities": [{"name": n, "type": "person", "description": f"{n} {some}"} for n in names],
        "relations": [
            {"source": a, "relation": "is near", "target": b, "strength": 2}
            for a, b in pairwise(names)
        ],
    }
    findings = [{"statement": some, "evidence": evidence}]
    return {
        "PassageQuestions": questions,
        "Facts": facts,
        "PassageReading": {**questions, **facts, "claims": []},
        "MoreToFind": {"missed": False},
        "Description": {"description": some},
        "SameThings": {"same": []},
        "CommunityReport": {"title": some, "summary": some, "rating": 5, "findings": findings},
    }


def _gradings(
    texts: list[tuple[str, str, str]], some: str, chance: random.Random
) -> dict[str, Any]:
    ids = [id for id, _, _ in texts]
    lines = [line.split()[0] for _, _, text in texts for line in text.split("\n") if line.strip()]
    return {
        "Grades": {"needed": ids[::3], "related": ids[1::3]},
        "HopLabels": {"labels": [{"id": id, "label": "necessary"} for id in lines[::3]]},
        "KeptTexts": {"keep": ids[:3]},
        "RelationScores": {"scores": [{"id": id, "score": chance.random()} for id in lines]},
        "Judgement": {"sufficient": chance.random() < 0.2, "clue": some},
    }


def _steps(names: list[str], some: str, chance: random.Random) -> dict[str, Any]:
    return {
        "Queries": {"queries": [some]},
        "StandAloneQuestion": {"question": some},
        "NextStep": {
            "finish": chance.random() < 0.3,
            "question": f"Who is {chance.choice(names or ['it'])}?",
            "source": chance.choice(["retrieve", "earlier"]),
            "reason": "chance",
        },
        "StepAnswer": {"found": chance.random() < 0.5, "answer": " ".join(names[:1])},
        "SubQuestions": {
            "questions": [{"question": f"What is {name}?", "atomic": True} for name in names[:3]]
        },
    }
