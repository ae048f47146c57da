"""Many callers at a time: none passes its quota by more than what was under way."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from ragraphs import IndexContext, index_graph
from ragraphs.models import day as days
from ragraphs.server.alone import app
from ragraphs.server.keys import make_key
from ragraphs.server.serving import Serving
from ragraphs.settings import settings
from ragraphs.stores.spending import spending_of
from scripted_model import MODEL, Script
from stub_openai import OpenAIStub

pytestmark = pytest.mark.slow

KEYS = int(os.environ.get("RAGRAPHS_TEST_KEYS", "10"))
EACH = int(os.environ.get("RAGRAPHS_TEST_REQUESTS", "8"))  # of a key
TOKENS = 107  # of a request to the stub, and its reply
FIRST = 1000  # enough for a prompt, of whose tokens more are reserved than the stub counts


async def test_no_key_passes_its_quota_or_sees_the_index_of_another(
    openai: OpenAIStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    Script(openai)
    half = EACH // 2
    quotas: list[dict[str, Any]] = [
        {"requests": half},
        {"calls": half},
        {"tokens": FIRST},
        {"cost": FIRST / 1e6},
        {},
    ]
    keys: dict[str, str] = {}
    for number in range(KEYS):
        name = f"key{number}"
        context = IndexContext(index=str(tmp_path / name), embeddings="lexical")
        text = f"The Forth Bridge was designed by John Fowler. So says {name}."
        await index_graph.ainvoke({"documents": [{"id": name, "text": text}]}, context=context)
        quota = quotas[number % len(quotas)]
        keys[name] = make_key(tmp_path / "keys.json", name, indexes=[name], **quota)
    (tmp_path / "prices.json").write_text(
        f'{{"prices": {{"{MODEL}": {{"input": 1, "output": 1}}}}}}'
    )
    serving = Serving(keys=tmp_path / "keys.json").model_dump_json()
    for name, value in {
        "ROOT": tmp_path,
        "SERVING": serving,
        "MODEL": MODEL,
        "PRICES": tmp_path / "prices.json",
        "QUESTIONS": 64,
    }.items():
        monkeypatch.setenv(f"RAGRAPHS_{name}", str(value))
    settings.cache_clear()
    wanted = [name for name in keys for _ in range(EACH)]
    random.Random(7).shuffle(wanted)
    found = await asked(keys, wanted)
    for number, name in enumerate(keys):
        check(name, quotas[number % len(quotas)], [one for key, one in found if key == name])


async def asked(keys: dict[str, str], wanted: list[str]) -> list[tuple[str, httpx.Response]]:
    """The answers to questions by the keys called so, 32 at a time."""
    turns = asyncio.Semaphore(32)
    transport = httpx.ASGITransport(app)

    async def ask(number: int, name: str) -> tuple[str, httpx.Response]:
        body = {"question": f"Who designed the Forth Bridge, {number}?", "method": "basic"}
        head = {"Authorization": f"Bearer {keys[name]}"}
        async with turns:
            return name, await client.post("/ask", json=body, headers=head)

    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        return await asyncio.gather(*(ask(*one) for one in enumerate(wanted)))


def check(name: str, quota: dict[str, Any], answers: list[httpx.Response]) -> None:
    half, statuses = EACH // 2, Counter(one.status_code for one in answers)
    outputs = [one.json() for one in answers if one.is_success]
    for output in outputs:
        assert all(f"So says {name}" in one["text"] for one in output["evidence"])
    answered = Counter(output["stop_reason"] for output in outputs)
    if "requests" in quota:
        assert statuses == {200: half, 429: EACH - half} and answered == {"answered": half}
        return
    assert statuses == {200: EACH}
    if not quota:
        assert answered == {"answered": EACH}
        return
    assert answered["budget"] == EACH - answered["answered"] > 0
    assert answered["answered"] >= 1
    sums, until = spending_of(settings()).of(f"{days._today()} {name}")
    [(of, most)] = quota.items()
    assert sums.calls >= answered["answered"] and not until
    assert getattr(sums, of) <= most + {"calls": 0, "tokens": TOKENS, "cost": TOKENS / 1e6}[of]
