"""A small model is shown what the question needs; numbers still name the right sentences."""

from __future__ import annotations

import json
import re
import time

import pytest
from http_stub import Response
from ragraphs.language.analyser import count_tokens
from ragraphs.models.chat.window import most_tokens
from ragraphs.models.short_texts import MOST_TEXTS, MOST_TOKENS, needed
from ragraphs.models.suited import knows_little, trusted
from ragraphs.nodes.citing import answered
from ragraphs.prompts.library import ANSWER, GRADE_PASSAGES
from ragraphs.prompts.prompt import number
from ragraphs.settings import settings

FILLER = "The keeper wrote of wind and weather on that day, and of nothing else at all. "
FACT = "The lighthouse of Orrin was first lit in 1866."
KOREAN = "오린의 등대는 1866년에 처음 불을 밝혔다."
QUESTION = "When was the lighthouse of Orrin first lit?"
NOTHING = {"from": [], "sufficient": False, "answer": "", "missing": []}


def long_text(fact: str = "", before: int = 15, after: int = 15) -> str:
    return FILLER * before + f"{fact} " + FILLER * after


@pytest.mark.parametrize(
    ("fact", "question"), [(FACT, QUESTION), (KOREAN, "오린의 등대는 언제 처음 불을 밝혔나요?")]
)
@pytest.mark.parametrize("place", range(MOST_TEXTS))
def test_the_sentence_that_answers_is_shown_wherever_it_stands(fact, question, place):
    texts = number([("Log", long_text(fact if at == place else "")) for at in range(8)])
    found = ANSWER.render({"question": question, "texts": needed(question, texts)})[1]
    assert fact in found and len(re.findall("<text ", found)) == MOST_TEXTS
    assert count_tokens(found) < 1.5 * MOST_TOKENS < count_tokens(long_text()) * MOST_TEXTS


def test_texts_that_are_short_are_shown_whole():
    texts = number([("Log", f"{FACT} {FILLER}") for _ in range(7)])
    assert needed(QUESTION, texts) == texts[:MOST_TEXTS]


def test_sentences_keep_their_numbers_and_no_others_may_be_pointed_at():
    texts = number([("Log", long_text(FACT)) for _ in range(5)])
    inputs = {"question": QUESTION, "texts": needed(QUESTION, texts)}
    numbers = ANSWER.numbers(inputs)
    shown = dict(re.findall(r"^(\d+\.\d+) (.*)$", ANSWER.render(inputs)[1], re.MULTILINE))
    assert list(shown) == numbers and shown["1.16"] == FACT and "1.40" not in numbers
    evidence = [
        {**one, "document": "d", "start": 0, "end": len(one["text"]), "metadata": {}}
        for one in texts
    ]
    reply = ANSWER.reply.model_validate({**NOTHING, "from": ["1.16"]})
    [citation] = answered(reply, evidence)["citations"]
    assert citation["quote"] == FACT


async def test_a_model_with_a_small_window_reads_little_of_long_passages(openai, open_model):
    openai.answer = lambda _: NOTHING
    grades = {"needed": []}
    texts = number([("Log", long_text(FACT)) for _ in range(3)])

    async def sent() -> str:
        await (await open_model()).run(ANSWER, question=QUESTION, texts=texts)
        return str(openai.chats[-1]["messages"][1]["content"])

    openai.documents["/props"] = Response({"default_generation_settings": {"n_ctx": 3000}})
    small = await sent()
    assert FACT in small and small.count(FILLER.strip()) < 60
    allowed = openai.chats[-1]["response_format"]["json_schema"]["schema"]
    assert allowed["properties"]["from"]["items"]["enum"] == re.findall(
        r"^(\d+\.\d+) ", small, re.M
    )
    openai.answer = lambda _: grades
    await (await open_model()).run(GRADE_PASSAGES, question=QUESTION, texts=texts[:1])
    assert openai.chats[-1]["messages"][1]["content"].count(FILLER.strip()) == 30


async def is_short(openai, open_model, **chosen) -> bool:
    """Whether a model that is asked about long texts is shown little of them."""
    texts = number([("Log", long_text(FACT)) for _ in range(3)])
    await (await open_model(**chosen)).run(ANSWER, question=f"{QUESTION} {chosen}", texts=texts)
    return openai.chats[-1]["messages"][1]["content"].count(FILLER.strip()) < 60


@pytest.mark.parametrize(("parameters", "is_small"), [(134_515_008, True), (3_210_000_000, False)])
@pytest.mark.parametrize("server", ["llama.cpp", "Ollama"])
async def test_a_model_of_few_parameters_reads_little_and_is_not_believed_until_it_is_tried(
    openai, open_model, parameters, is_small, server
):
    openai.answer = lambda _: NOTHING
    if server == "Ollama":
        details = {"parameter_size": f"{parameters / 1e6:.2f}M"}
        openai.documents["/api/tags"] = Response({"models": [{"name": "stub", "details": details}]})
    else:
        row = {"id": "/models/a.gguf", "meta": {"n_params": parameters}}
        openai.documents["/v1/models"] = Response({"data": [row]})
    assert await is_short(openai, open_model) == is_small
    model = await open_model()
    assert trusted(model) == (not is_small) and knows_little(model) == is_small


@pytest.mark.parametrize(
    ("parameters", "reply", "read"), [(134_515_008, 256, 600), (3_210_000_000, 2048, 0)]
)
async def test_a_tiny_models_replies_end_after_256_tokens_and_its_texts_after_600(
    openai, open_model, parameters, reply, read
):
    openai.answer = lambda _: NOTHING
    row = {"id": "/models/a.gguf", "meta": {"n_params": parameters}}
    openai.documents["/v1/models"] = Response({"data": [row]})
    texts = number([("Log", long_text(FACT)) for _ in range(3)])
    await (await open_model()).run(ANSWER, question=QUESTION, texts=texts)
    body = openai.chats[-1]
    assert body["max_tokens"] == reply
    lines = re.findall(r"^\d+\.\d+ (.+)$", body["messages"][1]["content"], re.M)
    assert not read or 0.8 * read < sum(most_tokens(line) + 4 for line in lines) <= read


async def test_a_tiny_model_is_known_to_be_so_while_its_server_is_away(openai, open_model):
    openai.answer = lambda _: NOTHING
    row = {"id": "/models/a.gguf", "meta": {"n_params": 134_515_008}}
    openai.documents["/v1/models"] = Response({"data": [row]})
    texts = number([("Log", long_text(FACT)) for _ in range(3)])
    first = await (await open_model()).run(ANSWER, question=QUESTION, texts=texts)
    openai.close()
    model = await open_model(timeout=61)  # opened anew
    assert await model.run(ANSWER, question=QUESTION, texts=texts) == first
    assert knows_little(model)


@pytest.mark.slow
async def test_a_model_that_reads_slowly_reads_little_from_then_on(openai, open_model, monkeypatch):
    def answer(body):
        time.sleep(seconds)
        return NOTHING

    used = {"prompt_tokens": 1300, "completion_tokens": 7, "total_tokens": 1307}
    used["prompt_tokens_details"] = {"cached_tokens": 1000}
    monkeypatch.setattr("stub_openai.usage_of", lambda body: used)
    openai.answer, seconds = answer, 1.05
    assert not await is_short(openai, open_model, timeout=61)
    seconds = 0
    assert await is_short(openai, open_model, timeout=62), "it is kept by server and model"
    assert not await is_short(openai, open_model, timeout=62), "it had only been busy"
    assert not await is_short(openai, open_model, timeout=63)


async def test_a_model_of_another_window_reads_all(openai, open_model):
    openai.answer = lambda _: NOTHING
    openai.documents["/props"] = Response({"default_generation_settings": {"n_ctx": 32768}})
    texts = number([("Log", long_text(FACT)) for _ in range(3)])
    await (await open_model()).run(ANSWER, question=QUESTION, texts=texts)
    assert openai.chats[-1]["messages"][1]["content"].count(FILLER.strip()) == 90


async def test_a_model_that_a_trial_found_wanting_reads_little(
    openai, open_model, tmp_path, monkeypatch
):
    from ragraphs.models.trials import Score, Trial, keep_trial

    monkeypatch.setenv("RAGRAPHS_CACHE", str(tmp_path / "cache"))
    settings.cache_clear()
    openai.answer = lambda _: NOTHING
    texts = number([("Log", long_text(FACT)) for _ in range(3)])
    none = dict.fromkeys(("cited", "pointed", "sufficient", "sufficient_right"), 0)
    used = dict.fromkeys(("tokens_sent", "tokens_received", "seconds"), 1)
    for right, seconds, most in ((10, 1, 90), (10, 999, 60), (2, 1, 60)):
        scores = {"fact": Score(tasks=10, forms=10, right=right, seconds=seconds)}
        name = f"openai:stub{right}-{seconds}"
        keep_trial(
            Trial(model=name, server=openai.base_url, tried="2026-11-27", scores=scores,
                  **none, **used),
            settings(),
        )  # fmt: skip
        model = await open_model(model=name)
        await model.run(ANSWER, question=QUESTION, texts=texts)
        assert json.dumps(openai.chats[-1]["messages"]).count(FILLER.strip()) <= most
        assert (model.trial.is_small) == (most == 60)
