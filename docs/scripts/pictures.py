"""Takes pictures of answers and of the page: ``python docs/scripts/pictures.py docs/images``.

The answers are of real runs over the English part of the demo's documents, without a model. One
picture is of what ``ragraphs export --format html --answer`` writes, the others are of the page
that ``ragraphs serve`` shows, all in Chromium. It needs a Korean font, in which the page names
Korean.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import ragraphs
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

_QUESTION = "Who learned the mathematics of the cables?"
_SIZE = "1200,640"
_COMMAND = "from ragraphs.cli.main import main; main()"


def answer_page(folder: Path) -> Path:
    """The page of the answer, as the commands of the documentation make it in ``folder``."""
    documents = folder / "bridges"
    documents.mkdir()
    for file in (Path(ragraphs.__file__).parent / "demo").glob("*.md"):
        if file.name.isascii():
            shutil.copy(file, documents)
    built = ["--layers", "sentences,hops,entities,communities", "--embeddings", "lexical"]
    _run(folder, ["index", "bridges", "--index", "Bridges", *built])
    asked = ["ask", _QUESTION, "--index", "Bridges", "--method", "hoprag", "--json"]
    answer, page = folder / "answer.json", folder / "answer.html"
    answer.write_text(_run(folder, asked), encoding="utf-8")
    shown = ["export", "--format", "html", "--index", "Bridges", "--answer", "answer.json"]
    page.write_text(_run(folder, shown), encoding="utf-8")
    return page


def _run(folder: Path, arguments: Sequence[str]) -> str:
    """The standard output of a ``ragraphs`` command."""
    command = [sys.executable, "-c", _COMMAND, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of the page on the index in ``folder``."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    command = [sys.executable, "-c", _COMMAND, "serve", "--index", "Bridges", "--port", port]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as server:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def program() -> str:
    """The path of Chromium; ends the command where there is none."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        sys.exit("Chromium takes the pictures; install it, or put it on the path.")
    return found


def take(page: Path, picture: Path) -> None:
    """Writes what Chromium shows of ``page`` as PNG."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--window-size={_SIZE}"]
    # The page draws itself in some frames; virtual time waits for the last of them.
    flags += ["--virtual-time-budget=4000", f"--screenshot={picture.resolve()}"]
    subprocess.run([program(), *flags, page.as_uri()], check=True, capture_output=True)
    make_small(picture)


def make_small(picture: Path) -> None:
    """Writes the picture again, with fewer colours."""
    Image.open(picture).convert("RGB").quantize(128).save(picture, optimize=True)


def take_page(url: str, folder: Path) -> None:
    """Writes the pictures of the page that stands at ``url`` into ``folder``."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=["--no-sandbox"])
        page = _opened(browser, url, 1280, 800)
        _ask(page, "HopRAG")
        _shoot(page, folder / "page_ask.png")
        page.get_by_role("button", name="New conversation").click()
        _ask(page, "CRAG")
        page.get_by_role("button", name="Details").last.click()
        expect(page.locator("[data-part=verdict]")).to_be_visible()
        _shoot(page, folder / "page_found.png", "aside.side")
        page.goto(f"{url}/#explore/communities")
        page.locator("[data-part=community-list]").get_by_role("link").first.click()
        expect(page.locator("[data-part=report]")).to_be_visible()
        _shoot(page, folder / "page_map.png")
        phone = _opened(browser, url, 390, 844)
        _ask(phone, "HopRAG")
        _shoot(phone, folder / "page_phone.png")
        browser.close()


def _opened(browser: Browser, url: str, width: int, height: int) -> Page:
    context = browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce", locale="en-GB"
    )
    page = context.new_page()
    page.set_default_timeout(120_000)
    for _ in range(600):  # the server begins
        try:
            page.goto(url)
            break
        except Exception:
            page.wait_for_timeout(100)
    return page


def _ask(page: Page, method: str) -> None:
    """Asks the question of all pictures by ``method``, and waits for the answer."""
    page.locator(".composer .menu > summary").click()
    page.get_by_role("radio", name=method).click()
    page.locator("textarea").fill(_QUESTION)
    page.locator("textarea").press("Enter")
    turn = page.locator("[data-part=turn]").last
    expect(turn).to_have_attribute("data-status", "answered", timeout=120_000)


def _shoot(page: Page, picture: Path, part: str = "body") -> None:
    page.mouse.move(0, 0)
    page.wait_for_timeout(1_000)  # the drawing comes to rest
    page.locator(part).screenshot(path=picture)
    make_small(picture)


if __name__ == "__main__":
    images = Path(sys.argv[1])
    with TemporaryDirectory() as temporary:
        take(answer_page(Path(temporary)), images / "answer.png")
        with serving(Path(temporary)) as address:
            take_page(address, images)
