"""A real browser, driven through its debugging protocol, where one is installed."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --disable-dev-shm-usage "
    "--window-size=1300,850 --remote-debugging-port=0"
).split()
_SECONDS = 60


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
