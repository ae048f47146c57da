"""Sets and measures by LangSmith's own SDK, with nothing sent to it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import langsmith
import pytest
import ragraphs
from http_stub import HttpStub, Response
from ragraphs.evaluation.langsmith import EVALUATORS, examples
from ragraphs.state.errors import RagraphsError
from scripted_model import DOCUMENTS, QUESTION

PARTS = {"id", "inputs", "outputs", "metadata"}
QUESTIONS: list[dict[str, Any]] = [
    {"id": "1", "question": QUESTION, "answer": "John Fowler", "supporting": ["Forth Bridge"]},
    {"id": "2", "question": "Who designed the Severn Bridge?", "type": "unanswerable"},
    {"id": "3", "question": QUESTION, "answer": "Ada Byron", "supporting": ["Nobody"]},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    passages = [{**one, "id": one["title"]} for one in DOCUMENTS]
    for name, rows in (("passages", passages), ("questions", QUESTIONS)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def stub() -> Iterator[HttpStub]:
    stub = HttpStub(lambda path, body: Response([]))
    yield stub
    stub.close()


@pytest.fixture
def client(stub: HttpStub) -> langsmith.Client:
    one_by_one: Any = {"instance_flags": {"dataset_examples_multipart_enabled": False}}
    return langsmith.Client(
        api_url=stub.url, api_key="none", auto_batch_tracing=False, info=one_by_one
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:'upload_results'")
def test_a_set_is_asked_and_measured_by_the_sdk(folder, client, stub):
    context = {"index": str(folder / "notes"), "embeddings": "lexical"}
    ragraphs.build("index", **context).invoke({"sources": [str(folder / "passages.jsonl")]})
    graph = ragraphs.build("basic", index=context["index"], model="offline")

    def ask(inputs: dict[str, str]) -> dict[str, Any]:
        with langsmith.tracing_context(enabled=False):
            return graph.invoke(inputs)

    found = langsmith.evaluate(
        ask, data=examples(folder), evaluators=EVALUATORS, client=client, upload_results=False
    )
    scores = {
        row["example"].metadata["id"]: {
            one.key: one.score for one in row["evaluation_results"]["results"]
        }
        for row in found
    }
    right = {"exact_match": 1, "f1": 1, "containment": 1, "honesty": 1, "evidence_recall": 1}
    assert scores == {"1": right, "2": {"honesty": 1}, "3": dict.fromkeys(right, 0)}
    assert not stub.requests


def test_a_set_is_sent_as_a_dataset_and_again_as_the_same(folder, client, stub):
    for _ in range(2):
        rows = [
            {
                "id": one.id,
                "inputs": one.inputs,
                "reference_outputs": one.outputs,
                "metadata": one.metadata,
            }
            for one in examples(folder, 2)
        ]
        client.create_examples(dataset_id=uuid.uuid4(), examples=rows)
    first, second = (
        [{name: row[name] for name in PARTS} for row in request.body] for request in stub.requests
    )
    assert first == second and len(first) == 2
    assert first[0]["inputs"] == {"question": QUESTION}
    assert first[0]["outputs"] == {"answers": ["John Fowler"], "supporting": ["Forth Bridge"]}
    assert first[1]["metadata"]["type"] == "unanswerable"


def test_a_folder_that_is_no_set_is_told_in_a_sentence(tmp_path):
    with pytest.raises(RagraphsError, match="no question set"):
        examples(tmp_path)
