"""The page in a real Chromium, over the real server, with and without a scripted model.

Each test is run at the size of a laptop and of a phone, unless it names one of them: the picture of
an answer is the same in both, and tests of it take turns. Whatever a test does, the page may ask no
other host, run no script of a document, and complain of nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from page_site import Site, make_indexes, serving_site
from scripted_model import Script

if TYPE_CHECKING:  # where the package is missing, the tests are skipped and not this file
    from page_visit import Contexts, Visit


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the indexes, which no test may change."""
    root = tmp_path_factory.mktemp("made")
    make_indexes(root)
    return root


@pytest.fixture(scope="session")
def modelled(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that asks a scripted model and a scripted web."""
    with serving_site(_copied(made, tmp_path_factory), model=True) as site:
        yield site


@pytest.fixture(scope="session")
def searching(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server without a model."""
    with serving_site(_copied(made, tmp_path_factory), model=False) as site:
        yield site


def _copied(made: Path, folders: pytest.TempPathFactory) -> Path:
    root = folders.mktemp("site") / "root"
    shutil.copytree(made, root)
    return root


@pytest.fixture
def script(modelled: Site) -> Script:
    """The model's replies, anew for each test."""
    modelled.web.pages.clear()
    return Script(modelled.openai)


@pytest.fixture(scope="module")
def contexts() -> Iterator[Contexts]:
    """A browser of the file's tests: its loop would be in the way of other files' own."""
    from page_visit import Contexts, browsing

    with browsing() as browser:
        yield Contexts(browser)


@pytest.fixture(params=["laptop", "phone"])
def size(request: pytest.FixtureRequest) -> str:
    """The size of the page."""
    return str(request.param)


class Visiting:
    """Opens the page of a site, at one ``size``."""

    def __init__(self, contexts: Contexts, size: str) -> None:
        self.size = size
        self._contexts = contexts
        self._visits: list[Visit] = []

    def __call__(self, site: Site, fragment: str = "", **options: Any) -> Visit:
        from page_visit import Visit

        self._visits.append(Visit(self._contexts, site.url, self.size, **options))
        return self._visits[-1].open(fragment)

    def end(self) -> None:
        """Closes all pages; raises AssertionError where one complained."""
        for visit in self._visits:
            visit.end()


@pytest.fixture
def visit(contexts: Contexts, size: str) -> Iterator[Visiting]:
    """Visits to the page; what it complains of fails the test."""
    visiting = Visiting(contexts, size)
    yield visiting
    visiting.end()
