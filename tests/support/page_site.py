"""Running servers of the page, over indexes that are made once, with and without a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import scripted_model
from communities_support import Script as Reader
from communities_support import texts_of
from deeprag_support import TEXTS
from ragraphs import IndexContext, index_graph
from ragraphs.settings import settings
from ragraphs.state.records import Document
from stub_openai import KEY, OpenAIStub, serving_openai
from stub_tavily import KEY as WEB_KEY
from stub_tavily import TavilyStub, serving_tavily
from tool_server import serving_questions

MODEL = scripted_model.MODEL
PLACE = "The Salginatobel Bridge was designed by Robert Maillart."
WHERE = "Who designed the Salginatobel Bridge?"
_AROUND = "Arches carry their load to the ground, and valleys are wide in the mountains. " * 6
LONG = "\n\n".join([*[_AROUND] * 12, PLACE, *[_AROUND] * 12])
KOREAN = "세종대왕"
BRIDGES = {**TEXTS, KOREAN: scripted_model.TEXTS[KOREAN], "Bridges of the Alps": LONG}

IMAGE = '<img src=x onerror="globalThis.ran=true">'
SCRIPT = "</script><script>globalThis.ran=true</script>"
LINK = "javascript:globalThis.ran=true"
HOSTILE = {
    f"Tower {IMAGE}": f"The tower {SCRIPT} was built by Ada Byron. It is tall {IMAGE}.",
    f"Byron {SCRIPT}": f"Ada Byron was born in London. She wrote to {LINK} about the tower.",
}


@dataclass(frozen=True)
class Site:
    """A running server, and what answers in the place of the model and of the web."""

    url: str
    root: Path
    openai: OpenAIStub
    web: TavilyStub


class HostileReader(Reader):
    """Reads names and reports out of the texts that would be markup, were they taken for it."""

    def facts(self, human: str) -> Any:
        name, other = f"Tower {IMAGE}", f"Byron {SCRIPT}"
        entities = [
            {"name": each, "type": IMAGE[:40], "description": f"{each} {LINK}"}
            for each in (name, other)
        ]
        known = {"source": name, "relation": f"built by {IMAGE}", "target": other, "strength": 5}
        return {"entities": entities, "relations": [known], "claims": []}

    def communityreport(self, human: str) -> Any:
        finding = {"statement": f"Byron built it. {SCRIPT}", "evidence": ["1"]}
        title, summary = f"Circle of {IMAGE}", f"All of it: {SCRIPT} and {LINK}"
        return {"title": title, "summary": summary, "rating": 5, "findings": [finding]}

    def answer(self, human: str) -> Any:
        """An answer of markup, which quotes the first text."""
        id, _, said = texts_of(human)[0]
        answer = f"{IMAGE} {SCRIPT} [here]({LINK})"
        quotes = [{"id": id, "quote": said.splitlines()[-1]}]
        return {"quotes": quotes, "sufficient": True, "answer": answer}


def _documents(texts: dict[str, str]) -> list[Document]:
    return [{"id": title, "title": title, "text": text} for title, text in texts.items()]


def _indexed(folder: Path, texts: dict[str, str], **chosen: Any) -> None:
    layers = ["sentences", "hops", "entities", "communities"]
    context = IndexContext(index=str(folder), embeddings="lexical", layers=layers, **chosen)  # type: ignore[arg-type]
    index_graph.invoke({"documents": _documents(texts)}, context=context)


def make_indexes(root: Path) -> None:
    """Makes the indexes ``bridges``, without a model, and ``hostile`` in a folder."""
    _indexed(root / "bridges", BRIDGES)
    with serving_openai() as openai, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", openai.base_url)
        settings.cache_clear()
        HostileReader(openai)
        _indexed(root / "hostile", HOSTILE, model=MODEL, max_retries=0)
    settings.cache_clear()


@contextmanager
def serving_site(root: Path, model: bool) -> Iterator[Site]:
    """A server of the indexes in ``root``, which may be changed; with a model, or without."""
    named = {
        "RAGRAPHS_ROOT": ".",
        "RAGRAPHS_INDEX": "bridges",
        "RAGRAPHS_INDEXES": "hostile",
        "RAGRAPHS_UPLOADS": "uploads",
        "RAGRAPHS_CORRECTIONS": "true",
    }
    with serving_openai() as openai, serving_tavily() as web:
        if model:
            named |= {
                "OPENAI_BASE_URL": openai.base_url,
                "OPENAI_API_KEY": KEY,
                "RAGRAPHS_MODEL": MODEL,
                "TAVILY_API_KEY": WEB_KEY,
                "RAGRAPHS_TAVILY_BASE_URL": web.url,
            }
        with serving_questions(root, **named) as url:
            yield Site(url, root, openai, web)
