"""Chat programs at ``/v1``: gradio's chat in Chromium, and the client of LlamaIndex."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from installing import inherited, need, typed, uv
from page_site import LONG, PLACE, WHERE, Site, serving_site
from ragraphs import IndexContext, index_graph
from scripted_model import Script
from server_process import free_port

pytestmark = pytest.mark.slow
PACKAGES = ["gradio>=6", "openai>=2", "llama-index-llms-openai-like>=0.5"]
CHAT = """
import sys
import gradio as gr
chat = gr.load_chat(sys.argv[1] + "/v1", model="bridges/basic", token="none", file_types=None)
chat.launch(server_port=int(sys.argv[2]), quiet=True)
"""
LLAMA = """
import json, sys
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike
llm = OpenAILike(
    model="bridges/basic", api_base=sys.argv[1] + "/v1", api_key="none", is_chat_model=True
)
asked = [ChatMessage(role="user", content=sys.argv[2])]
whole = llm.chat(asked)
pieces = [piece.delta for piece in llm.stream_chat(asked)]
refused = ""
try:
    OpenAILike(
        model="nothing", api_base=sys.argv[1] + "/v1", api_key="none", is_chat_model=True
    ).chat(asked)
except Exception as error:
    refused = str(error)
print(json.dumps([whole.message.content, pieces, whole.raw.ragraphs["sufficient"], refused]))
"""


@pytest.fixture(scope="module")
def python(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of an environment with the programs, which take other versions than this one."""
    folder = tmp_path_factory.mktemp("programs")
    program, python = uv(shared_folder), str(folder / "env/bin/python")
    need([program, "venv", "-q", "--python", sys.executable, str(folder / "env")], folder)
    need([program, "pip", "install", "-q", "--python", python, *PACKAGES], folder)
    return python


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that asks a scripted model."""
    root = tmp_path_factory.mktemp("site")
    context = IndexContext(index=str(root / "bridges"), embeddings="lexical")
    index_graph.invoke({"documents": [{"id": "Alps", "text": LONG}]}, context=context)
    with serving_site(root, model=True) as site:
        script = Script(site.openai)
        script.replies["Answer"] = lambda human: script.quoting(human, PLACE)
        yield site


@pytest.fixture
def chat(python: str, site: Site, tmp_path: Path) -> Iterator[str]:
    """The address of gradio's chat about the index."""
    port = free_port()
    told = {"GRADIO_ANALYTICS_ENABLED": "False", "HOME": str(tmp_path)}
    with subprocess.Popen(
        [python, "-c", CHAT, site.url, str(port)], cwd=tmp_path, env={**inherited(), **told}
    ) as process:
        url, latest = f"http://127.0.0.1:{port}", time.monotonic() + 120
        try:
            while True:
                try:
                    httpx.get(url)
                    break
                except httpx.TransportError:
                    assert process.poll() is None and time.monotonic() < latest
                    time.sleep(0.2)
            yield url
        finally:
            process.terminate()


def test_the_chat_of_gradio_asks_streams_and_opens_the_document_at_the_sentence(chat, site):
    from page_visit import browsing, expect

    released = threading.Event()

    def hold(sent: list[str]) -> None:
        if "The Salginatobel" in "".join(sent).partition('"answer"')[2]:
            released.wait(60)

    site.openai.between = hold
    with browsing() as browser:
        page = browser.new_page()
        page.goto(chat)
        page.locator("textarea").first.fill(WHERE)
        page.locator("textarea").first.press("Enter")
        answer = page.locator(".bot.message").last
        expect(answer).to_contain_text("The Salginatobel")
        assert "Maillart" not in answer.inner_text()  # the rest is not written yet
        released.set()
        expect(answer).to_contain_text(f"[1] “{PLACE}”")
        with page.expect_popup() as opened:
            answer.get_by_role("link").first.click()
        marked = opened.value.locator('[data-part="reader"] mark')
        expect(marked).to_have_text(PLACE)
        expect(marked).to_be_in_viewport()


def test_the_client_of_llamaindex_asks_streams_and_is_refused(python, site, tmp_path):
    (tmp_path / "ask.py").write_text(LLAMA, encoding="utf-8")
    shown = typed(tmp_path, f'{python} ask.py {site.url} "{WHERE}"')
    whole, pieces, sufficient, refused = json.loads(shown.splitlines()[-1])
    assert "Robert Maillart" in whole and f"[1] “{PLACE}”" in whole and sufficient
    assert len(pieces) > 3 and "".join(pieces) == whole
    assert "GET /v1/models lists" in refused
