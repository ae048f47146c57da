"""The page of a graph in a real browser: it reads, finds and highlights, and nothing in it acts."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any

import pytest
from ragraphs.algorithms.community_page import (
    PageCommunity,
    PageFinding,
    PagePassage,
    to_community_html,
)
from ragraphs.algorithms.drawing import (
    DrawnEdge,
    DrawnGraph,
    DrawnNode,
    Path,
    path_of_answer,
    to_html,
)
from websockets.sync.client import ClientConnection, connect

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --disable-dev-shm-usage "
    "--window-size=1300,850 --remote-debugging-port=0"
).split()
_SECONDS = 60
_ATTACKS = [
    "</script><script>window.ran = 1</script>",
    "<img src=http://127.0.0.1:9/x onerror='window.ran = 1'>",
    "<!--<script>window.ran = 1</script>",
    "\"'><svg onload=window.ran=1>",
    "javascript:window.ran=1",
    "</style><style>@import 'http://127.0.0.1:9/x'</style>{{script}}",
    "\u2028window.ran = 1\u2029`${window.ran = 1}`",
    "__proto__",
    "constructor",
]
_FILMS = DrawnGraph(
    "Films",
    [
        DrawnNode("film", "Red Kite (film)", text="A drama directed by Ada Quill."),
        DrawnNode("director", "Ada Quill", text="Born in Bergen.", attributes={"document": "a.md"}),
        DrawnNode("place", "Bergen", "entity", "A city in Norway."),
        DrawnNode("king", "세종대왕", text="세종대왕은 훈민정음을 창제하였다."),
    ],
    [
        DrawnEdge("film", "director", "Who directed Red Kite?", 0.8, "question"),
        DrawnEdge("director", "place", "Where was she born?", 0.6, "question"),
        DrawnEdge("place", "king", "누가 창제하였는가?", 0.1, "question"),
    ],
)
_ANSWER: dict[str, Any] = {
    "answer": "In Bergen.",
    "evidence": [
        {"id": "place", "title": "Bergen"},
        {"id": "film", "title": "Red Kite (film)"},
        {"id": "https://example.org/", "title": "A page of the web"},
    ],
    "hops": [
        {
            "source": "film",
            "target": "director",
            "question": "Who directed it?",
            "label": "retrieved",
        },
        {"source": "director", "target": "place", "question": "Born where?", "label": "necessary"},
    ],
}


class Browser:
    """A headless browser, driven over the DevTools protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._events: list[dict[str, Any]] = []

    def send(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        while True:
            reply = json.loads(self._socket.recv(timeout=_SECONDS))
            if reply.get("id") != number:
                self._events.append(reply)
            elif "error" in reply:
                raise AssertionError(reply["error"])
            else:
                return dict(reply["result"])

    def open(self, file: FilePath, fragment: str = "", **media: str) -> Page:
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.send(f"{domain}.enable")
        features = [{"name": name.replace("_", "-"), "value": media[name]} for name in media]
        page.send("Emulation.setEmulatedMedia", features=features)
        page.send("Page.navigate", url=file.as_uri() + fragment)
        page.wait("document.readyState === 'complete' && document.querySelector('#size').innerText")
        page.settle()
        return page

    def events(self, session: str, method: str) -> list[dict[str, Any]]:
        return [
            event["params"]
            for event in self._events
            if event.get("sessionId") == session and event.get("method") == method
        ]


class Page:
    """A page that is open in the browser."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        return self._browser.send(method, self._session, **params)

    def evaluate(self, script: str) -> Any:
        reply = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in reply, reply
        return reply["result"].get("value")

    def wait(self, condition: str) -> None:
        until = time.monotonic() + _SECONDS
        while not self.evaluate(condition):
            assert time.monotonic() < until, condition
            time.sleep(0.02)

    def settle(self) -> None:
        """Waits until what was asked for is drawn."""
        self.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def text(self, selector: str) -> str:
        return str(self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText"))

    def lines(self, selector: str) -> list[str]:
        return [line for line in self.text(selector).splitlines() if line]

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def press(self, key: str, code: int, modifiers: int = 0) -> None:
        for kind in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                windowsVirtualKeyCode=code,
                modifiers=modifiers,
            )
        self.settle()

    def find(self, words: str) -> None:
        self.evaluate("document.querySelector('#search').focus()")
        self.send("Input.insertText", text=words)
        self.settle()

    def pixels(self, colour: str) -> int:
        """How many pixels of the drawing have the colour of this name."""
        script = f"""(() => {{
            const copy = document.createElement("canvas");
            const {{ width, height }} = Object.assign(copy, {{ width: 900, height: 700 }});
            const pen = copy.getContext("2d", {{ willReadFrequently: true }});
            pen.drawImage(document.querySelector("#drawing"), 0, 0);
            const colour = parseInt(drawing.colours["{colour}"].trim().slice(1), 16);
            const data = new DataView(pen.getImageData(0, 0, width, height).data.buffer);
            let sum = 0;
            for (let i = 0; i < data.byteLength; i += 4) sum += data.getUint32(i) >>> 8 === colour;
            return sum;
        }})()"""
        return int(self.evaluate(script))

    def complaints(self) -> list[Any]:
        """Errors, warnings, dialogs, and requests for anything but the page itself."""
        self.settle()
        names = ("Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening")
        found: list[Any] = [each for name in names for each in self._events(name)]
        found += [
            event
            for event in self._events("Runtime.consoleAPICalled")
            if event["type"] in ("error", "warning", "assert")
        ]
        requests = [event["request"]["url"] for event in self._events("Network.requestWillBeSent")]
        return found + requests[1:]

    def _events(self, method: str) -> list[dict[str, Any]]:
        return self._browser.events(self._session, method)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"no browser on PATH (looked for {', '.join(_BROWSERS)})")
    profile = tmp_path_factory.mktemp("profile")
    command = [program, *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            port, path = _endpoint(profile / "DevToolsActivePort", process)
            address = f"ws://127.0.0.1:{port}{path}"
            with connect(address, max_size=None, compression=None, proxy=None) as socket:
                yield Browser(socket)
        finally:
            process.terminate()


def _endpoint(file: FilePath, process: subprocess.Popen[bytes]) -> tuple[str, str]:
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until and process.poll() is None:
        lines = file.read_text().splitlines() if file.exists() else []
        if len(lines) == 2:
            return lines[0], lines[1]
        time.sleep(0.05)
    raise AssertionError("the browser did not start")


def _written(folder: FilePath, graph: DrawnGraph, path: Path | None = None) -> FilePath:
    file = folder / "graph.html"
    file.write_text(to_html(graph, path=path), encoding="utf-8")
    return file


def _hostile() -> tuple[DrawnGraph, Path]:
    nodes = [
        DrawnNode(text, text, text, text, {text: text, "n": float("inf")}) for text in _ATTACKS
    ]
    edges = [
        DrawnEdge(source, target, source + target, 1.0, target, {source: target})
        for source, target in itertools.pairwise(_ATTACKS)
    ]
    hops = [{"source": e.source, "target": e.target, "question": e.label} for e in edges]
    evidence = [{"id": text, "title": text} for text in [*_ATTACKS, "<script>elsewhere</script>"]]
    answer = {"answer": _ATTACKS[0], "evidence": evidence, "hops": hops}
    return DrawnGraph(_ATTACKS[0], nodes, edges), path_of_answer(answer)


def test_nothing_in_documents_runs_or_loads(browser: Browser, tmp_path: FilePath) -> None:
    graph, path = _hostile()
    page = browser.open(_written(tmp_path, graph, path))
    assert page.text("#title") == _ATTACKS[0]
    for number, attack in enumerate(_ATTACKS):
        page.evaluate(f"select(nodes[{number}])")
        page.settle()
        assert page.evaluate("document.querySelector('#panel .text').textContent") == attack
    assert page.evaluate("typeof window.ran") == "undefined"
    assert page.evaluate("document.querySelectorAll('img, svg, script').length") == 2
    assert page.complaints() == []


def test_the_policy_stops_what_the_page_itself_never_does(
    browser: Browser, tmp_path: FilePath
) -> None:
    page = browser.open(_written(tmp_path, _FILMS))
    page.evaluate("""
        const added = document.createElement("div");
        document.body.append(added);
        added.innerHTML = "<img src='http://127.0.0.1:9/x' onerror='window.ran = 1'>";
        const script = document.createElement("script");
        script.textContent = "window.ran = 1";
        document.body.append(script);
        fetch("http://127.0.0.1:9/x").catch(() => 0);
    """)
    page.settle()
    assert page.evaluate("typeof window.ran") == "undefined"
    assert len(page.complaints()) >= 3


def test_search_finds_and_selects_by_title_and_text(browser: Browser, tmp_path: FilePath) -> None:
    page = browser.open(_written(tmp_path, _FILMS))
    assert page.pixels("match") == 0
    page.find("ada QUILL")
    assert page.text("#found") == "2 found, Enter shows the first"
    assert page.pixels("match") > 50
    page.press("Enter", 13)
    assert (page.text("h2"), page.text("#found")) == ("Ada Quill", "1 of 2")
    assert page.lines("dl") == ["document", "a.md"]
    page.press("Enter", 13)
    assert (page.text("h2"), page.text("#found")) == ("Red Kite (film)", "2 of 2")
    assert page.text("mark") == "Ada Quill"
    page.press("Enter", 13, modifiers=8)
    assert page.text("h2") == "Ada Quill"
    assert page.complaints() == []


def test_a_click_shows_a_node_and_leads_to_its_neighbours(
    browser: Browser, tmp_path: FilePath
) -> None:
    page = browser.open(_written(tmp_path, _FILMS), "#node=director")
    page.evaluate("document.querySelector('.back').click()")
    assert page.text("h2") == "Overview"
    box = page.evaluate("""(() => {
        const box = document.querySelector("#drawing").getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2];
    })()""")
    page.send("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
    assert page.evaluate("drawing.hovered.id") == "director"
    page.click(*box)
    assert page.text("h2") == "Ada Quill"
    assert page.lines("#panel")[-8:] == [
        *("Leads to (1)", "Bergen", "Where was she born?", "question · weight 0.6"),
        *("Reached from (1)", "Red Kite (film)", "Who directed Red Kite?", "question · weight 0.8"),
    ]
    page.evaluate("[...document.querySelectorAll('#panel li button')].at(-1).click()")
    assert page.text("h2") == "Red Kite (film)"
    assert page.complaints() == []


def test_korean_texts_are_marked_as_korean(browser: Browser, tmp_path: FilePath) -> None:
    page = browser.open(_written(tmp_path, _FILMS), "#search=훈민정음")
    assert page.text("h2") == "세종대왕"
    for selector in ("h2", ".text", "#panel li p"):
        assert page.evaluate(f"document.querySelector('{selector}').lang") == "ko"
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.evaluate("document.querySelector('#panel li button').lang") == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_path_of_an_answer_is_highlighted_and_listed(
    browser: Browser, tmp_path: FilePath, scheme: str
) -> None:
    plain = browser.open(_written(tmp_path, _FILMS), prefers_color_scheme=scheme)
    assert plain.pixels("path") == 0
    file = _written(tmp_path, _FILMS, path_of_answer(_ANSWER))
    page = browser.open(file, prefers_color_scheme=scheme)
    assert page.pixels("path") > 300
    assert page.lines("#panel") == [
        "How the answer was found",
        "In Bergen.",
        "Evidence, best first",
        *("1", "Bergen"),
        *("2", "Red Kite (film)"),
        *("3", "A page of the web (not in this graph)"),
        "Edges walked, in order",
        *("1", "Red Kite (film) → Ada Quill", "Who directed it?", "retrieved"),
        *("2", "Ada Quill → Bergen", "Born where?", "necessary"),
    ]
    assert page.complaints() == []


def test_keys_move_zoom_and_clear(browser: Browser, tmp_path: FilePath) -> None:
    page = browser.open(_written(tmp_path, _FILMS), "#node=film")
    page.evaluate("document.querySelector('#drawing').focus()")
    before = page.evaluate("({...drawing.view})")
    page.press("+", 187)
    page.press("ArrowRight", 39)
    after = page.evaluate("({...drawing.view})")
    assert after["zoom"] > before["zoom"] and after["x"] > before["x"]
    page.press("Escape", 27)
    assert page.text("h2") == "Overview"
    page.press("0", 48)
    assert page.evaluate("drawing.nodes.every(node => drawing.onScreen(node))")


def test_an_empty_graph_is_a_page_too(browser: Browser, tmp_path: FilePath) -> None:
    page = browser.open(_written(tmp_path, DrawnGraph("Nothing", [], [])))
    assert page.text("#size") == "0 nodes, 0 edges"
    page.find("x")
    page.press("Enter", 13)
    assert page.text("#found") == "Nothing found"
    assert page.complaints() == []


def test_two_thousand_nodes_stay_usable(browser: Browser, tmp_path: FilePath) -> None:
    chance = random.Random(0)
    nodes = [DrawnNode(str(n), f"Passage {n}", text=f"Text {n}. " * 40) for n in range(2000)]
    ends = [(chance.randrange(2000), chance.randrange(2000)) for _ in range(15_000)]
    edges = [DrawnEdge(str(a), str(b), f"From {a} to {b}?", chance.random()) for a, b in ends]
    started = time.monotonic()
    file = _written(tmp_path, DrawnGraph("Large", nodes, edges))
    assert time.monotonic() - started < 20
    started = time.monotonic()
    page = browser.open(file)
    assert time.monotonic() - started < 10
    frame = page.evaluate("""(() => {
        const started = performance.now();
        for (let i = 0; i < 5; i += 1) { drawing.drawBase(); drawing.drawOverlay(); }
        return (performance.now() - started) / 5;
    })()""")
    assert frame < 500
    page.find("Passage 1234")
    page.press("Enter", 13)
    assert page.text("h2") == "Passage 1234"
    assert page.complaints() == []


def test_communities_are_walked_from_the_root_to_the_passages_of_a_finding(
    browser: Browser, tmp_path: FilePath
) -> None:
    attack = _ATTACKS[0]
    communities = [
        PageCommunity("all", 0, "", ["film", "director", "place", "king"], "Films", "Of films."),
        PageCommunity("pair", 1, "all", ["film", "director"], "Red Kite", attack, 4.5,
                      [PageFinding("It was directed by Ada Quill.", ["p"])]),
        PageCommunity("rest", 1, "all", ["place", "king"]),
    ]  # fmt: skip
    passages = [PagePassage("p", "a.md", attack)]
    file = tmp_path / "communities.html"
    page_of = to_community_html(attack, _FILMS.nodes, _FILMS.edges, communities, passages)
    file.write_text(page_of, encoding="utf-8")
    page = browser.open(file)
    assert page.text("#size") == "4 entities, 3 communities"
    page.evaluate("document.querySelector('#panel details').open = true")
    page.wait("document.querySelectorAll('#panel details li').length === 2")
    page.evaluate("document.querySelector('#panel details li button').click()")
    assert page.text("h2") == "Red Kite"
    assert page.lines("#panel")[-6:-4] == ["1 passage", "Entities (2)"]
    assert page.evaluate("document.querySelector('blockquote .text').textContent") == attack
    assert page.evaluate("shown.level") == 1
    assert page.evaluate("new Set(nodes.map(node => node.colour)).size") == 2
    page.find("ada quill")
    page.press("Enter", 13)
    assert page.text("h2") == "Ada Quill"
    assert page.evaluate("typeof window.ran") == "undefined"
    assert page.complaints() == []
