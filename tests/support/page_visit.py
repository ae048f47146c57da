"""A visit to the page in a real browser, which notes all that must not happen there."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

# Read once, since tests run without the settings of the person who starts them.
REQUIRED = os.environ.get("RAGRAPHS_TEST_BROWSER") == "required"
if not REQUIRED:
    for package in ("playwright", "axe_playwright_python"):
        pytest.importorskip(package, reason=f"the package {package} is not installed")

from axe_playwright_python.sync_playwright import Axe  # noqa: E402
from playwright.sync_api import (  # noqa: E402
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)

expect.set_options(timeout=60_000)
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# One process draws all pages of a site: to read the scripts is half of the work of a visit.
_FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--process-per-site"]
SIZES: dict[str, dict[str, Any]] = {
    "laptop": {"viewport": {"width": 1400, "height": 900}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "has_touch": True,
        "is_mobile": True,
    },
}
# Sizes and colours have nothing to do with each other: two pairs have all of them.
SIZE_AND_COLOURS = pytest.mark.parametrize(
    ("size", "colours"),
    [
        ("laptop", "light"),
        ("phone", "dark"),
        pytest.param("laptop", "dark", marks=pytest.mark.thorough),
        pytest.param("phone", "light", marks=pytest.mark.thorough),
    ],
    indirect=["size"],
)
# Marks what Chromium tells the page only as an event; a script of the debugger is under no policy.
_WATCH = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
globalThis.ran = false;
"""
# An effect of the page runs behind a frame and draws with the next one.
_DRAWN = """async (box) => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  do for (let n = 0; n < 3; n++) await frame();
  while (!(box.dataset.drawn > 0));
  return box.querySelector("canvas").toDataURL();
}"""


@contextmanager
def browsing() -> Iterator[Browser]:
    """A running Chromium of this machine; a test without one is skipped, or fails if REQUIRED."""
    program = next((found for name in _PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        missing = f"no browser on PATH (looked for {', '.join(_PROGRAMS)})"
        if REQUIRED:
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_FLAGS)
        yield browser
        browser.close()


class Contexts:
    """Contexts of a browser: each has one visit at a time, and forgets it before the next.

    A page without scripts stays open, and with it the process that knows the scripts of its server.

    contexts = Contexts(browser)
    context = contexts.take("http://127.0.0.1:8000", {"locale": "en-GB"})
    contexts.give_back(context)
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: list[tuple[str, BrowserContext]] = []
        self._kinds: dict[BrowserContext, str] = {}

    def take(self, url: str, options: dict[str, Any]) -> BrowserContext:
        """A context of those ``options`` that knows nothing of an earlier visit to ``url``."""
        kind = f"{url} {options}"
        for place, (known, context) in enumerate(self._idle):
            if known == kind:
                del self._idle[place]
                return context
        context = self._browser.new_context(**options)
        context.add_init_script(_WATCH)
        if url.startswith("http"):
            context.new_page().goto(f"{url}/live")
            self._kinds[context] = kind
        return context

    def give_back(self, context: BrowserContext) -> None:
        """Ends a visit: pages are closed, and all that they kept is deleted."""
        if context not in self._kinds:
            context.close()
            return
        kept, *visited = context.pages
        for page in visited:
            page.close()
        context.clear_cookies()
        kind = self._kinds[context]
        wanted = {"origin": kind.partition(" ")[0], "storageTypes": "all"}
        debugger = context.new_cdp_session(kept)
        debugger.send("Storage.clearDataForOrigin", wanted)
        debugger.detach()
        self._idle.append((kind, context))


class Visit:
    """A page at one of the sizes, and what it complained of or asked of others.

    visit = Visit(Contexts(browser), "http://127.0.0.1:8000", "phone")
    visit.open("#documents")
    visit.part("document").first.click()
    visit.end()
    """

    def __init__(self, contexts: Contexts, url: str, size: str, **options: Any) -> None:
        self.url = url
        self.size = size
        self.complaints: list[str] = []
        self.expected = ""
        given: dict[str, Any] = {"locale": "en-GB", "reduced_motion": "reduce", **SIZES[size]}
        self._contexts = contexts
        self._context = contexts.take(url, {**given, **options})
        self._context.on("request", self._asked)
        self.page: Page = self._context.new_page()
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("dialog", self._dialog)
        self.page.set_default_timeout(60_000)

    def open(self, fragment: str = "") -> Visit:
        """Opens the page, or another part of it, and waits until it is there."""
        self.page.goto(f"{self.url}/{fragment}")
        expect(self.page.locator("main > section:not([hidden])")).to_be_visible()
        return self

    def choose_index(self, name: str) -> None:
        """Has the page show another index."""
        if self.size == "phone":
            self.page.locator(".ways > summary").tap()
        self.page.get_by_role("combobox", name="Index").select_option(name)
        if self.size == "phone":
            self.page.locator(".ways > summary").tap()
        expect(self.page.locator("main")).to_have_attribute("data-index", name)

    def part(self, name: str) -> Locator:
        """The parts of the view that is shown which the page calls ``name``."""
        return self.page.locator(f'[data-part="{name}"]').filter(visible=True)

    def press(self, button: Locator) -> None:
        """Clicks, or taps where there is no mouse."""
        if self.size == "phone":
            button.tap()
        else:
            button.click()

    def tab_to(self, selector: str, back: bool = False) -> None:
        """Presses the tabulator until the focus is on what ``selector`` names."""
        for _ in range(60):
            self.page.keyboard.press("Shift+Tab" if back else "Tab")
            if self.page.evaluate("what => document.activeElement.matches(what)", selector):
                return
        raise AssertionError(f"the tabulator does not lead to {selector}")

    def ask(self, question: str, method: str = "") -> Locator:
        """The newest turn, after a question was written and sent; ``method`` as the menu has it."""
        if method:
            self.page.locator(".composer .menu > summary").click()
            name = re.compile(rf"^{re.escape(method)}")
            self.page.get_by_role("radio", name=name).click()
        self.page.locator("textarea").fill(question)
        self.page.locator("textarea").press("Enter")
        turn = self.part("turn").filter(has_text=question).last
        expect(turn).to_be_visible()
        return turn

    def how(self) -> Locator:
        """How the newest answer was found: opened beside it, or below."""
        expect(self.part("turn").last).not_to_have_attribute("data-status", "running")
        if self.size == "phone":
            below = self.page.locator("details.how-below").last
            if below.get_attribute("open") is None:
                below.locator("summary").first.click()
        else:
            details = self.part("turn").last.get_by_role("button", name="Details")
            if details.get_attribute("aria-pressed") == "false":
                details.click()
        return self.part("found").last

    def violations(self) -> list[str]:
        """Serious faults that axe-core finds, each with its elements."""
        found = Axe().run(self.page).response["violations"]
        return [
            f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

    def drawn(self) -> str:
        """The picture of the drawing that is shown, when it is at rest."""
        return str(self.part("graph").locator(".graph-canvas").evaluate(_DRAWN))

    def evaluate(self, script: str, *given: Any) -> Any:
        """The value of a script that the debugger runs."""
        return self.page.evaluate(script, *given)

    def expects(self, pattern: str) -> None:
        """From now on complaints that match ``pattern`` are right, such as a refused request."""
        self.expected = pattern

    def end(self) -> None:
        """Closes the page; raises AssertionError where it complained of anything."""
        ran = self.page.evaluate("globalThis.ran")
        self._context.remove_listener("request", self._asked)
        self._contexts.give_back(self._context)
        assert ran is False, "a script of a document ran"
        expected = re.compile(self.expected) if self.expected else None
        wrong = [said for said in self.complaints if not (expected and expected.search(said))]
        assert not wrong, wrong

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self.complaints.append(f"{message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        there = urlsplit(request.url)
        own = there.scheme in ("data", "blob") or request.url.startswith(f"{self.url}/")
        if not own:
            self.complaints.append(f"another host: {request.url}")

    def _dialog(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()
