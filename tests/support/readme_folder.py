"""A folder of documents and a language model, as a reader of the README is taken to have."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from entities_support import facts_of
from question_set import QUESTIONS, write_set
from set_writer import written
from stub_openai import failure
from tiny_cross_encoder import write_cross_encoder

_TEXTS = {
    "docs/brooklyn-bridge.md": (
        "# Brooklyn Bridge\n\nThe Brooklyn Bridge was designed by John Augustus Roebling. "
        "The Brooklyn Bridge was opened in 1883. It crosses the East River.\n"
    ),
    "docs/roebling.txt": (
        "John Augustus Roebling was an engineer of bridges. "
        "John Augustus Roebling died in Brooklyn in 1869.\n"
    ),
    "docs/forth-bridge.txt": (
        "The Forth Bridge was designed by John Fowler. The Forth Bridge was opened in 1890.\n"
    ),
    "docs/songs.md": (
        "# Songs about bridges\n\nMarley wrote of the Brooklyn Bridge. "
        "Later Jacob Marley wrote of the Tay Bridge, and J. Marley wrote of the Forth Bridge.\n"
    ),
    "docs/브루클린-다리.md": (
        "# 브루클린 다리\n\n브루클린 다리는 1883년에 개통되었다. "
        "브루클린 다리는 존 로블링이 설계하였다.\n"
    ),
    "docs/존-로블링.md": (
        "# 존 로블링\n\n존 로블링은 다리 기술자이다. 존 로블링은 1869년에 사망하였다.\n"
    ),
    "docs/포스-다리.md": "# 포스 다리\n\n포스 다리는 존 파울러가 설계하였다.\n",
    "reports/2024/tower.md": "# Tower Bridge\n\nTower Bridge was opened in 1894 in London.\n",
}
_TRIPLES = {
    "passage": "reports/2024/tower.md",
    "triples": [["Tower Bridge", "was opened in", "London"]],
}
_BENCH: dict[str, Any] = {
    "Corpus/novel": [{"corpus_name": "Novel-44557", "context": "The Tay Bridge fell in a storm."}],
    "Questions/novel_questions": [
        {
            "id": "Novel-1",
            "source": "Novel-44557",
            "question": "Why did the Tay Bridge fall?",
            "answer": "Because of a storm.",
            "question_type": "Fact Retrieval",
            "evidence": ["The Tay Bridge fell in a storm."],
        }
    ],
}
_PARTS = [{"question": "Who designed the Forth Bridge?"}, {"question": "Where was #1 born?"}]
_NAME = r"(?:[A-Z]\. )?[A-Z]\w+(?: [A-Z]\w+)*"
_FACT = re.compile(rf"({_NAME}) (was designed by|wrote of|died in|crosses) (?:the )?({_NAME})")
_TEXT = re.compile(r'<text id="(.*?)" title="(.*?)">\n(.*?)\n</text>', re.DOTALL)


def write_folder(sets: Iterable[str], pdf: bytes) -> None:
    """Writes the documents into the working folder, and a question set into each of ``sets``."""
    for name, text in _TEXTS.items():
        file = Path(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    Path("notes.pdf").write_bytes(pdf)
    Path("openie.jsonl").write_text(json.dumps(_TRIPLES) + "\n", encoding="utf-8")
    for name, rows in _BENCH.items():
        file = Path(f"GraphRAG-Benchmark/Datasets/{name}.json")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(rows), encoding="utf-8")
    Path("prices.json").write_text(json.dumps({"prices": {}}), encoding="utf-8")
    write_cross_encoder(Path("models/ms-marco"), _TEXTS.values())
    write_set([question | {"decomposition": _PARTS} for question in QUESTIONS])
    for folder in sets:
        shutil.copytree("set", folder)


def reply(body: Any) -> Any:
    """A model that reads passages, writes reports, and answers with the most similar sentence."""
    kind, human = body["response_format"]["json_schema"]["name"], body["messages"][1]["content"]
    texts = _TEXT.findall(human)
    match kind:
        case "PassageReading":
            title, text = texts[0][1:]
            questions = {"incoming": [f"What is {title}?"], "outgoing": ["Who designed it?"]}
            return questions | facts_of(_FACT.findall(text))
        case "Description":
            return {"description": texts[0][2]}
        case "CommunityReport":
            finding = {"statement": "They built bridges.", "evidence": ["1"]}
            return {"title": "Bridges", "summary": texts[0][2][:200], "findings": [finding]}
        case "Points":
            return {"points": [{"point": "Bridges.", "score": 90, "evidence": [texts[0][0]]}]}
        case "CombinedAnswer":
            return {
                "answer": "Marley wrote of the Brooklyn Bridge, opened in 1883.",
                "used": ["1"],
                "sufficient": True,
            }
        case "NextStep":
            return {"finish": True, "question": "", "source": "retrieve", "reason": "enough"}
        case "CheckedClaims":
            return {"claims": [{"claim": "It fell.", "texts": ["1"], "verdict": "supported"}]}
        case "MatchedStatements":
            gold = {"statement": "It fell.", "in_answer": True}
            return {
                "answer": [{"statement": "It fell.", "in_reference": True}],
                "reference": [gold],
            }
        case "Answer":
            asked = set(human.rpartition("Question: ")[2].lower().rstrip("?\n").split())
            lines = [
                (title, *line.split(" ", 1))
                for _, title, text in texts
                for line in text.splitlines()
            ]
            said = [line for line in lines if all(line[1:]) and not line[-1].startswith("#")]
            _, number, told = max(
                said,
                key=lambda line: sum(map(len, asked & set(f"{line[0]} {line[2]}".lower().split()))),
            )
            return {"from": [number], "sufficient": True, "answer": told}
        case "ClosedBookAnswer":
            return {"known": True, "answer": "John Fowler"}
        case "Grades":
            return {"needed": [texts[0][0]], "related": []}
        case "NextStep":
            return {"finish": True}
        case "HopLabels":
            return {"necessary": [], "indirect": []}
        case "Personas":
            return {"personas": [{"persona": "An engineer.", "tasks": ["Compare bridges."]}]}
        case "CollectionQuestions":
            return {"tasks": [{"task": "A", "questions": ["How do the bridges differ?"]}]}
        case "Verdicts":
            verdict = {"criterion": "directness", "reason": "It is shorter.", "winner": 1}
            return {"verdicts": [verdict]}
    if (of_set := written(kind, human)) is not None:
        return of_set
    return failure(402, f"Nobody wrote a reply to {kind}")
