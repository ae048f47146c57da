"""Documents on the page: added by choosing and by dropping, read, removed, refused in words."""

from __future__ import annotations

import pytest
from page_visit import expect

pytestmark = pytest.mark.slow
TAY = "# Tay Bridge\n\nThe Tay Bridge was designed by Thomas Bouch. It fell in a storm."


def test_files_are_chosen_indexed_read_and_removed(visit, searching):
    title = f"Tay Bridge on a {visit.size}"
    page = visit(searching, "#documents")
    good = {"name": f"tay-{visit.size}.md", "mimeType": "text/markdown"}
    bad = {"name": "run.exe", "mimeType": "application/x-msdownload", "buffer": b"MZ"}
    text = TAY.replace("Tay Bridge", title, 1).encode()
    page.page.locator("input[type=file]").set_input_files([{**good, "buffer": text}, bad])
    planned = page.part("indexing-planned")
    expect(planned).to_contain_text("1 document")
    expect(planned.locator('[data-part="price"]')).to_contain_text("costs nothing")
    expect(planned).to_contain_text("1 file could not be read")
    planned.get_by_role("button", name="Go").click()
    expect(page.part("indexing-done")).to_contain_text("1 added")
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
def test_files_are_dropped(visit, searching):
    page = visit(searching, "#documents")
    page.evaluate("globalThis.dropped = new DataTransfer()")
    page.evaluate(
        """text => dropped.items.add(new File([text], "dropped.md", {type: "text/markdown"}))""",
        TAY.replace("Tay Bridge", "A dropped bridge", 1),
    )
    transfer = page.page.evaluate_handle("dropped")
    page.part("drop").dispatch_event("dragover", {"dataTransfer": transfer})
    page.part("drop").dispatch_event("drop", {"dataTransfer": transfer})
    expect(page.part("indexing-planned")).to_contain_text("1 document")
    page.part("indexing-planned").get_by_role("button", name="Cancel").click()
    expect(page.part("indexing-planned")).to_have_count(0)


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
