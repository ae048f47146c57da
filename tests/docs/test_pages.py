"""The pages of the documentation: their commands and code run, their links lead somewhere."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
import ragraphs
from command_line import Run
from doc_pages import PAGES, QUICKSTARTS, READMES, ROOT, blocks_of, text_of, without_blocks
from doc_reader import Reader
from pdf_files import pdf
from ragraphs.context import LayerName
from ragraphs.settings import settings
from readme_folder import write_folder
from stub_openai import OpenAIStub

ELSEWHERE = {"docs/integrate.md", *QUICKSTARTS}  # tests/integrations, tests/test_readme.py
# tests/evaluation has the commands of measuring as well.
RUNNING = [
    pytest.param(page, marks=pytest.mark.slow) if page.startswith("docs/evaluate/") else page
    for page in PAGES
    if page not in ELSEWHERE and blocks_of(page)
]
LAYERS: list[LayerName] = ["sentences", "hops", "communities"]
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of documents with an index of all layers."""
    folder = tmp_path_factory.mktemp("reader")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        settings.cache_clear()
        write_folder(["data/musique"], pdf("The Golden Gate Bridge was opened in 1937."))
        context = ragraphs.IndexContext(embeddings="lexical", layers=LAYERS)
        ragraphs.index_graph.invoke({"sources": ["docs", "reports", "notes.pdf"]}, context=context)
    shutil.copytree(folder / ".ragraphs", folder / "notes")
    settings.cache_clear()
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", RUNNING)
def test_all_that_a_page_tells_to_run_runs(
    page: str,
    prepared: Path,
    run: Run,
    openai: OpenAIStub,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(prepared, Path.cwd(), dirs_exist_ok=True)
    reader = Reader(run, openai, monkeypatch, capsys)
    for block in blocks_of(page):
        reader.read(block)


@pytest.mark.parametrize("page", [*READMES, *PAGES])
def test_links_lead_to_files_and_headings_that_there_are(page: str) -> None:
    for link in _LINK.findall(without_blocks(text_of(page))):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, heading = link.partition("#")
        file = (ROOT / page).parent / name if name else ROOT / page
        assert file.exists(), f"{page}: {link}"
        assert not heading or heading in anchors_of(file.read_text("utf-8")), f"{page}: {link}"


def anchors_of(text: str) -> set[str]:
    """The names by which links lead to headings."""
    seen: Counter[str] = Counter()
    anchors = set()
    for heading in _HEADING.findall(without_blocks(text)):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        anchors.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return anchors


def test_every_page_is_reached_from_the_readme() -> None:
    reached, open_pages = set(), ["README.md"]
    while open_pages:
        page = open_pages.pop()
        reached.add(page)
        for link in _LINK.findall(without_blocks(text_of(page))):
            name = link.partition("#")[0]
            if name.endswith(".md") and "://" not in name:
                file = os.path.relpath((ROOT / page).parent / name, ROOT)
                if file not in reached:
                    open_pages.append(file)
    assert set(PAGES) <= reached
