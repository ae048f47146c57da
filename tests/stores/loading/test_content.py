"""Of a web page, the content: no menus, banners and forms; tables whose rows stand alone."""

from __future__ import annotations

import pytest
from loading_support import Write, only, text_of

AROUND = """<a class="skip-link" href="#c">No: skip to content</a>
    <header><form role="search"><input value="no"><button>No</button></form>
    <nav><ul><li><a>No: home</a><li><a>No: cart</a></ul></nav></header>
    <div id="topMenu"><a>No: one</a><a>No: two</a><a>No: three</a></div>
    <div class="cookie-banner" role="dialog"><p>No: we use cookies, do you agree?</p></div>
    <div aria-hidden="true">No: stars</div><aside><p>No: popular posts</p></aside>"""
CONTENT = """<h1>Kettle</h1><header><p>By Ann</p></header><p>It holds two litres and boils.</p>
    <aside><p>Since 2021.</p></aside><ul><li><a>Lid</a><li><a>Spout</a><li><a>Cord</a></ul>
    <blockquote><p>Quick.</p><footer>Ida</footer></blockquote>"""
KEPT = "Kettle By Ann It holds two litres and boils. Since 2021. Lid Spout Cord Quick. Ida"


@pytest.mark.parametrize("wrap", ["main", "article", 'div role="main"', "section"])
def test_what_is_around_the_content_is_left_out(write: Write, wrap: str) -> None:
    inside = f"<{wrap}>{CONTENT}</{wrap.split()[0]}>"
    page = f"<body>{AROUND}<div>{inside}</div><footer>No: imprint</footer></body>"
    assert " ".join(text_of(only(write("a.html", page))).split()) == KEPT


def test_a_main_part_without_text_is_not_preferred(write: Write) -> None:
    page = "<main id=app></main><div><h1>Pool</h1><p>It opens at six every day.</p></div>"
    assert text_of(only(write("a.html", page))) == "Pool\n\nIt opens at six every day."


@pytest.mark.parametrize(
    "wrap", ["nav", "form", 'div class="menu"', "div aria-hidden=true", "footer", "dialog"]
)
def test_a_page_that_is_all_of_one_kind_is_kept(write: Write, wrap: str) -> None:
    page = f"<body><{wrap}><p><a>All</a> <a>that</a> <a>there</a> is.</p></{wrap.split()[0]}>"
    assert text_of(only(write("a.html", page))) == "All that there is."


def test_a_row_of_a_table_has_the_headers_of_its_columns(write: Write) -> None:
    page = """<table><thead><tr><th>City</th> <th>People</th></tr></thead>
        <tr><td>Seoul<td> 9 m <tr><th>Jeju<td></td><tr><td colspan=2>all</table>"""
    expected = "City: Seoul | People: 9 m\nCity: Jeju\nall"
    assert text_of(only(write("a.htm", page))) == expected


def test_tables_without_a_row_of_headers_keep_their_cells(write: Write) -> None:
    page = "<table><tr><th>Power</th><td>9 W</td></tr><tr><th>Size</th><td>2 m</td></tr></table>"
    assert text_of(only(write("a.htm", page))) == "Power | 9 W\nSize | 2 m"
