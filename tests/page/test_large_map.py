"""The map of a large index. ``pytest -m thorough -s tests/page/test_large_map.py`` prints how fast.

Three thousand entities are more than the page draws whole while they move.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from large_graph import index_large_graph
from page_site import Site
from page_visit import expect
from tool_server import serving_questions

pytestmark = pytest.mark.slow
RELATIONS = 3  # of an entity
_DRAWN = "[data-drawn]"
_FEW_LEFT_OUT = 50  # entities to which no relation of the made-up ones happens to lead
_COUNT = """() => {
  globalThis.frames = [];
  const count = (now) => globalThis.frames?.push(now) && requestAnimationFrame(count);
  requestAnimationFrame(count);
}"""
_COUNTED = "() => { const all = globalThis.frames; globalThis.frames = null; return all; }"
_LOADED = """() => {
  const all = performance.getEntriesByType("resource").filter((one) => one.name.includes("static"));
  const paints = performance.getEntriesByType("paint").map((one) => [one.name, one.startTime]);
  const files = all.reduce((sum, one) => sum + one.decodedBodySize, 0);
  return { files, count: all.length, paint: Object.fromEntries(paints)["first-contentful-paint"] };
}"""


@pytest.fixture(scope="module", params=[3_000, pytest.param(10_000, marks=pytest.mark.thorough)])
def entities(request: pytest.FixtureRequest) -> int:
    """The number of entities of the index."""
    return int(request.param)


@pytest.fixture(scope="module")
def large(entities: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of an index with that many entities."""
    root = tmp_path_factory.mktemp("large")
    index_large_graph(root / "large", entities, RELATIONS * entities)
    with serving_questions(root, RAGRAPHS_ROOT=".", RAGRAPHS_INDEX="large") as url:
        yield Site(url, root, None, None)  # type: ignore[arg-type]


def test_thousands_of_entities_are_drawn_moved_and_chosen(visit, large, entities, size):
    page = visit(large)
    measured = {"load": os.getloadavg()[0], "size": size, **page.evaluate(_LOADED)}
    measured["cold_ms"] = opened(page)
    measured["entities"] = int(page.page.locator(_DRAWN).get_attribute("data-drawn"))
    assert measured["entities"] > entities - _FEW_LEFT_OUT
    page.open()
    measured["warm_ms"] = opened(page)
    if size == "laptop":
        measured["panning"], measured["zooming"] = panned(page), zoomed(page)
    print(json.dumps(measured))
    circle = page.part("community-list").get_by_role("link").first
    circle.click()
    expect(page.part("report")).to_be_visible()


def opened(page: Any) -> float:
    """Milliseconds from opening the map to its drawing."""
    page.evaluate("() => { globalThis.begun = performance.now(); }")
    page.evaluate("() => { location.hash = '#explore/communities'; }")
    page.page.wait_for_selector(_DRAWN, timeout=60_000)
    return round(page.evaluate("() => performance.now() - globalThis.begun"))


def panned(page: Any) -> dict[str, float]:
    """Frames while a mouse drags the map around for some seconds."""
    mouse, (across, down) = page.page.mouse, middle(page)
    mouse.move(across, down)
    mouse.down()
    page.evaluate(_COUNT)
    for step in range(150):
        mouse.move(across + 2 * (step % 100), down + step % 60)
        page.page.wait_for_timeout(10)
    frames = counted(page)
    mouse.up()
    page.page.wait_for_selector(_DRAWN)
    return frames


def zoomed(page: Any) -> dict[str, float]:
    """Frames while a wheel zooms into the map and out again for some seconds."""
    page.page.mouse.move(*middle(page))
    page.evaluate(_COUNT)
    for step in range(150):
        page.page.mouse.wheel(0, -30 if step % 100 < 50 else 30)
        page.page.wait_for_timeout(10)
    frames = counted(page)
    page.page.wait_for_selector(_DRAWN)
    return frames


def counted(page: Any) -> dict[str, float]:
    """Frames a second since counting began, and the longest time between two."""
    times = page.evaluate(_COUNTED)
    gaps = [b - a for a, b in pairwise(times)]
    return {"fps": round(1000 * len(gaps) / sum(gaps), 1), "longest_ms": round(max(gaps))}


def middle(page: Any) -> tuple[float, float]:
    """The middle of the drawing."""
    box = page.part("graph").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
