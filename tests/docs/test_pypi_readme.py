"""The README that PyPI shows has no relative link."""

from __future__ import annotations

import re

from doc_pages import text_of
from pypi_readme import with_addresses

REPOSITORY = "https://example.org/ragraphs"


def test_links_and_pictures_of_the_readme_become_absolute() -> None:
    done = with_addresses(text_of("README.md"), REPOSITORY, "v1.0")
    links = re.findall(r"\]\(([^)]+)\)", done)
    assert links and all(link.startswith("https://") for link in links)
    assert f"]({REPOSITORY}/raw/v1.0/docs/images/answer.png)" in done
    assert f"]({REPOSITORY}/blob/v1.0/docs/models.md#a-local-model)" in done


def test_other_links_stay() -> None:
    assert with_addresses("[a](https://a.org/b)", REPOSITORY, "v1") == "[a](https://a.org/b)"
    assert with_addresses("[a](#b)", REPOSITORY, "v1") == "[a](#b)"


def test_the_release_makes_them_absolute_before_it_builds() -> None:
    workflow = text_of(".github/workflows/release.yml")
    assert workflow.index("docs/scripts/pypi_readme.py") < workflow.index("-m build")
