"""Passages as the page shows them, with their signs rendered."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow
_SHOWN = """async ([parts, skip, titles]) => {
  const { html, render } = await import("./page/static/html.js");
  const { Markup } = await import("./page/static/markup.js");
  const box = document.createElement("div");
  render(html`<${Markup} parts=${parts} skip=${skip} titles=${titles && new Set(titles)} />`, box);
  return box.innerHTML;
}"""
FRONT = "---\ntitle: Cider\ndate: 2024-10-02\n---\n# Cider\n\nPress the apples."
SIGNS = {
    "front matter": ([{"text": FRONT}], "<p>Press the apples.</p>"),
    "a line between rules": ([{"text": "---\nA line.\n---\nMore."}], "A line."),
    "marked front matter": (
        [
            {"text": "---\ntitle: Cider\n"},
            {"text": "author: Holm", "marked": True},
            {"text": "\n---\nPress."},
        ],
        '<p><mark class="">author: Holm</mark></p><p>Press.</p>',
    ),
    "emphasis over two sentences": (
        [{"text": "**May I?", "marked": True, "best": True}, {"text": "** Yes."}],
        '<p><mark class="best">May I?</mark> Yes.</p>',
    ),
    "a field": ([{"text": ":Author: Ada Byron"}], "<p>Author: Ada Byron</p>"),
    "code below an empty line": (
        [{"text": ".. code-block:: shell\n\n   pip install store\n   store --set 2"}],
        '<pre tabindex="0">pip install store\nstore --set 2</pre>',
    ),
    "code that is further in within": (
        [{"text": ".. code-block:: python\n\n   def one():\n       return 1"}],
        '<pre tabindex="0">def one():\n    return 1</pre>',
    ),
    "a table without a frame": (
        [{"text": "Code| Meaning\n----| -------\nF5  | Fan is stuck\n\nThe end."}],
        "<thead><tr><th>Code</th><th>Meaning</th></tr></thead>"
        "<tbody><tr><td>F5</td><td>Fan is stuck</td></tr></tbody></table></div><p>The end.</p>",
    ),
    "rows of a table of an office file": (
        [{"text": "key | holder\nstore | Tom Wilk\n\nEither a | b\nor nothing."}],
        "<tr><td>key</td><td>holder</td></tr><tr><td>store</td><td>Tom Wilk</td></tr></tbody>"
        "</table></div><p>Either a | b<br>or nothing.</p>",
    ),
    "a line that is cut": (
        [{"text": "The surplus of\n42,180 euros goes into the reserve.", "before": 60}],
        "<p>The surplus of 42,180 euros goes into the reserve.</p>",
    ),
    "an item over two lines": (
        [{"text": "3. It is payable on 1\n   February.\n#. Open the valve::"}],
        "</span> It is payable on 1    February.</p>",
    ),
    "an item of restructuredtext": (
        [{"text": "#. Open the valve::\n\n**Roof of house 3."}],
        '<span aria-hidden="true">•</span> Open the valve:</p><p>Roof of house 3.</p>',
    ),
    "a marked heading": (
        [{"text": "Words.\n\n"}, {"text": "# Prices", "marked": True, "best": True}],
        '<p class="markup-heading"><mark class="best">Prices</mark></p>',
    ),
}


@pytest.fixture
def shown(visit, searching):
    """The markup of parts of a text."""
    page = visit(searching)
    return lambda parts, skip=None, titles=None: page.evaluate(_SHOWN, [parts, skip, titles])


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_signs_are_rendered(shown):
    found = {name: shown(parts, ["Cider"]) for name, (parts, _) in SIGNS.items()}
    assert {name: found[name] for name, (_, part) in SIGNS.items() if part not in found[name]} == {}
    assert found["front matter"] == SIGNS["front matter"][1]


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_a_line_alone_that_is_the_title_of_a_section_is_a_heading(shown):
    parts = [{"text": "Rent\n\nRent\nis due.\n\nNotice\n\nIn writing."}]
    found = shown(parts, titles=["Rent", "Notice"])
    heading = '<p class="markup-heading">{}</p>'.format
    assert found.startswith(heading("Rent") + "<p>Rent<br>is due.</p>" + heading("Notice"))


@pytest.mark.parametrize("size", ["laptop"], indirect=True)
def test_an_excerpt_has_no_heading_without_words_below_and_a_whole_text_has_all(shown):
    parts = [
        {"text": "# One\n\nWords.\n\n# Two\n\n"},
        {"gap": True},
        {"text": "More.\n\n## Three\n\n### Four\n"},
    ]
    whole, cut = shown(parts), shown(parts, [])
    assert [name in whole for name in ("One", "Two", "Three", "Four")] == [True] * 4
    assert [name in cut for name in ("One", "Two", "Three", "Four")] == [True, False, False, False]
    assert "# " not in cut


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_a_table_is_shaded_at_the_edge_towards_which_there_is_more(visit, searching):
    page = visit(searching)
    shades = page.evaluate(_SHADES)
    assert shades.count("local") == 2 and shades.count("scroll") == 2  # covers, and what they hide


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_cells_of_a_wide_table_are_no_narrow_towers(visit, searching):
    page = visit(searching)
    assert page.evaluate(_WIDTHS) >= 100


_WIDTHS = """() => {
  const box = document.createElement("div");
  box.className = "markup-table";
  box.innerHTML = `<table><tr>${"<td>a b c d e f g h</td>".repeat(12)}</tr></table>`;
  document.body.append(box);
  return Math.min(...[...box.querySelectorAll("td")].map((one) => one.offsetWidth));
}"""
_SHADES = """() => {
  const box = document.createElement("div");
  box.className = "markup-table";
  document.body.append(box);
  return getComputedStyle(box).backgroundAttachment.split(", ");
}"""
