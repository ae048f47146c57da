"""Documents on the page: added by choosing and by dropping, read, removed, refused in words."""

from __future__ import annotations

from urllib.parse import quote

import httpx
import pytest
from page_site import LONG, PLACE, Site
from page_visit import expect
from ragraphs.index.opening import open_index
from tool_server import serving_questions

pytestmark = pytest.mark.slow
TAY = "# Tay Bridge\n\nThe Tay Bridge was designed by Thomas Bouch. It fell in a storm."


def test_files_are_chosen_indexed_read_and_removed(visit, searching):
    title = f"Tay Bridge on a {visit.size}"
    page = visit(searching, "#documents")
    good = {"name": f"tay-{visit.size}.md", "mimeType": "text/markdown"}
    bad = {"name": "run.exe", "mimeType": "application/x-msdownload", "buffer": b"MZ"}
    text = TAY.replace("Tay Bridge", title, 1).encode()
    page.page.locator("input[type=file]").set_input_files([{**good, "buffer": text}, bad])
    expect(page.part("indexing-done")).to_contain_text("1 added")
    expect(page.part("indexing-done")).to_contain_text("1 file could not be read")
    page.part("indexing-done").get_by_role("button", name="Close").click()
    document = page.part("document").filter(has_text=title)
    document.get_by_role("button").first.click()
    expect(page.part("reader")).to_contain_text("Thomas Bouch")
    page.page.keyboard.press("Escape")
    document.get_by_role("button", name=f"Remove {title}").click()
    document.get_by_role("alertdialog").get_by_role("button", name="Remove").click()
    expect(page.part("indexing-done")).to_contain_text("1 removed")
    expect(document).to_have_count(0)


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_files_are_dropped_and_read_at_once_where_that_costs_nothing(visit, searching):
    page = visit(searching, "#documents")
    page.evaluate("globalThis.dropped = new DataTransfer()")
    page.evaluate(
        """text => dropped.items.add(new File([text], "dropped.md", {type: "text/markdown"}))""",
        TAY.replace("Tay Bridge", "A dropped bridge", 1),
    )
    transfer = page.page.evaluate_handle("dropped")
    page.part("drop").dispatch_event("dragover", {"dataTransfer": transfer})
    page.part("drop").dispatch_event("drop", {"dataTransfer": transfer})
    expect(page.part("indexing-done")).to_contain_text("1 added")
    expect(page.part("document").filter(has_text="A dropped bridge")).to_be_visible()
    page.page.get_by_role("button", name="Remove A dropped bridge").click()
    page.page.get_by_role("alertdialog").get_by_role("button", name="Remove").click()
    expect(page.part("indexing-done")).to_contain_text("1 removed")
    assert not (searching.root / "uploads/bridges/dropped.md").exists()


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_an_empty_page_takes_files_and_shows_them_in_every_part(visit, tmp_path):
    good = {"name": "tay.md", "mimeType": "text/markdown", "buffer": TAY.encode()}
    bad = {"name": "run.exe", "mimeType": "application/x-msdownload", "buffer": b"MZ"}
    with serving_questions(tmp_path, RAGRAPHS_UPLOADS="uploads") as url:
        page = visit(Site(url, tmp_path, None, None), "#documents")  # type: ignore[arg-type]
        expect(page.page.get_by_text("There are no documents yet.")).to_be_visible()
        page.open("#ask")
        files = page.page.locator("main > section:not([hidden]) input[type=file]")
        files.set_input_files([bad])
        expect(page.part("indexing-failed")).to_contain_text("None of the files")
        heading = page.page.get_by_role("heading", name="Add your documents").bounding_box()
        assert heading["y"] < page.part("drop").bounding_box()["y"]
        files.set_input_files([good, bad])
        expect(page.part("indexing-done")).to_contain_text("1 added")
        expect(page.part("indexing-done")).to_contain_text("connections")
        expect(page.part("indexing-done")).to_contain_text("1 file could not be read")
        page.open("#documents")
        expect(page.part("document")).to_contain_text("Tay Bridge")
        expect(page.part("layers")).to_have_count(0)
        page.open("#ask")


def uploaded(site, name: str, title: str, index: str = "bridges") -> list[str]:
    file = (name, TAY.replace("Tay Bridge", title, 1).encode())
    url = f"{site.url}/page/upload?index={index}"
    paths: list[str] = httpx.post(url, files=[("files", file)], timeout=60).json()["paths"]
    assert paths
    return paths


def test_what_waits_is_listed_with_its_reason_and_read_or_discarded(visit, searching):
    title = f"A bridge that waits on a {visit.size}"
    wanted = {"paths": uploaded(searching, f"read-{visit.size}.md", title), "remove": ["none"]}
    answer = httpx.post(f"{searching.url}/page/index", json=wanted, timeout=60)
    assert "There is no document" in answer.text
    uploaded(searching, f"discarded-{visit.size}.md", "Another bridge")
    page = visit(searching, "#documents")
    expect(page.part("waiting-upload")).to_have_count(2)
    expect(page.part("waiting-upload").first).to_contain_text("There is no document")
    page.page.get_by_role("button", name=f"Discard discarded-{visit.size}.md").click()
    expect(page.part("waiting-upload")).to_have_count(1)
    page.part("waiting-uploads").get_by_role("button", name="Read now…").click()
    planned = page.part("indexing-planned")
    expect(planned).to_contain_text("1 document")
    expect(planned.locator('[data-part="price"]')).to_contain_text("costs nothing")
    planned.get_by_role("button", name="Go").click()
    expect(page.part("indexing-done")).to_contain_text("1 added")
    expect(page.part("waiting-uploads")).to_have_count(0)
    document = page.part("document").filter(has_text=title)
    document.get_by_role("button", name=f"Remove {title}").click()
    document.get_by_role("alertdialog").get_by_role("button", name="Remove").click()
    expect(page.part("indexing-done")).to_contain_text("1 removed")


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_a_layer_that_a_run_has_not_finished_is_shown_as_such(visit, searching):
    index = open_index(str(searching.root / "hostile"))
    reported = index.catalogue.property("reported")
    index.catalogue.set_property("reported", None)
    page = visit(searching, "#documents")
    page.choose_index("hostile")
    expect(page.part("layer-communities")).to_contain_text("not finished")
    expect(page.part("layer-communities").get_by_role("button")).to_have_text("Finish…")
    expect(page.part("layer-entities")).to_contain_text("ready")
    index.catalogue.set_property("reported", reported)


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_what_reading_costs_is_told_before_it_starts(visit, modelled, script):
    before = len(script.asked)
    page = visit(modelled, "#documents")
    page.choose_index("hostile")  # a model made its layers
    file = {"name": "cost.md", "mimeType": "text/markdown", "buffer": TAY.encode()}
    page.page.locator("input[type=file]").set_input_files([file])
    planned = page.part("indexing-planned")
    expect(planned).to_contain_text("The language model is asked")
    expect(planned.locator('[data-part="price"]')).to_contain_text("price of this model")
    assert len(script.asked) == before
    planned.get_by_role("button", name="Cancel").click()


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_an_address_opens_a_document_at_its_sentence(visit, searching):
    start = LONG.index(PLACE)
    named = f"bridges/{quote('Bridges of the Alps')}/{start}/{start + len(PLACE)}"
    page = visit(searching, f"#document/{named}")
    expect(page.part("reader").locator("mark")).to_have_text(PLACE)
    page.page.keyboard.press("Escape")
    expect(page.part("reader")).to_have_count(0)
    text = "A \U0001f309\U0001f309 by Ada."
    at = len("A \U0001f309\U0001f309 by ")  # characters, of which JavaScript counts some twice
    marked = "async (given) => (await import('/page/static/reader.js')).marked(...given)"
    found = page.evaluate(marked, [{"text": text, "start": 7}, 7 + at, 7 + at + 3, ""])
    assert text.encode("utf-16-le")[2 * found[0] : 2 * found[1]].decode("utf-16-le") == "Ada"


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_a_file_that_cannot_be_read_is_told_by_its_name_and_reason_and_alone(visit, tmp_path):
    def sent(name: str, text: bytes) -> None:
        page.page.locator("main > section:not([hidden]) input[type=file]").set_input_files(
            [{"name": name, "mimeType": "text/plain", "buffer": text}]
        )

    with serving_questions(tmp_path, RAGRAPHS_UPLOADS="uploads") as url:
        page = visit(Site(url, tmp_path, None, None), "#ask")  # type: ignore[arg-type]
        sent("broken.pdf", b"%PDF-1.4 no more")
        planned = page.part("indexing-planned")
        expect(planned).to_contain_text("Nothing was added.")
        expect(planned.get_by_text("print it to a new PDF")).to_be_visible()
        expect(planned).not_to_contain_text("uploads/")
        expect(planned).not_to_contain_text("costs nothing")
        sent("nothing.txt", b"")
        expect(planned).to_contain_text("nothing.txt is empty")
        expect(planned).to_contain_text("1 file could not be read")
        rows = "item,price\nScarf,9\nFolder,12,black,A4\n" + "Stand,24\n" * 3
        sent("prices.csv", rows.encode())
        done = page.part("indexing-done")
        expect(done).to_contain_text("1 row could not be read")
        expect(done).to_contain_text("put quotes around its text")
        expect(page.part("overview")).to_contain_text("4 rows: Scarf, Stand")
        page.page.get_by_role("link", name="prices.csv").click()
        expect(page.part("document").first).to_contain_text("Scarf")
        expect(page.part("document")).to_have_count(4)
        page.page.goto("about:blank")  # which asks a server no more that ends now
