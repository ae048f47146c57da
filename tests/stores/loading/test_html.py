"""Web pages."""

from __future__ import annotations

import warnings

import pytest
from loading_support import KOREAN, Write, only, reason, text_of
from ragraphs.stores.loading.load import load
from ragraphs.stores.loading.types import Limits


class TestHtml:
    def test_only_what_a_visitor_sees_is_text(self, write: Write) -> None:
        page = """<!DOCTYPE html><html><head><title> A &amp;
            B </title><style>p {color: red}</style></head><body><!-- no -->
            <script>var hidden = 1</script><noscript>no</noscript><template>no</template>
            <p hidden>no</p><div style="color:red; display: none">no</div>
            <h1>Big</h1><p>One <b>bold</b>
            line,<br>broken&nbsp;here.</p><ul><li>first<li>second</ul>
            <svg><text>no</text></svg><p>Last</p></body></html>"""
        loaded = only(write("a.html", page))
        assert loaded.title == "A & B"
        assert text_of(loaded) == ("Big\n\nOne bold line,\nbroken here.\n\nfirst\nsecond\n\nLast")

    def test_preformatted_text_keeps_its_lines(self, write: Write) -> None:
        page = "<p>Code:</p><pre>def f():\n    return 1\n</pre><p>End"
        assert text_of(only(write("a.html", page))) == "Code:\n\ndef f():\n    return 1\n\nEnd"

    def test_the_title_falls_back_to_a_heading_and_the_file_name(self, write: Write) -> None:
        assert only(write("a.html", "<h1>The <i>heading</i></h1>text")).title == "The heading"
        assert only(write("page.html", "<p>text")).title == "page"

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp949", "cp1252"])
    def test_the_encoding_is_recognised(self, write: Write, encoding: str) -> None:
        text = "crème brûlée, déjà vu" if encoding == "cp1252" else KOREAN.strip()
        assert text_of(only(write("a.html", f"<p>{text}</p>", encoding))) == text

    def test_a_declared_encoding_decides_where_guessing_is_open(self, write: Write) -> None:
        text = "Lietuvos sostinė yra Vilnius, gražus miestas."
        page = f'<meta charset="windows-1257"><p>{text}</p>'
        assert text_of(only(write("a.html", page, "cp1257"))) == text

    def test_a_page_declared_latin_1_is_read_as_browsers_do(self, write: Write) -> None:
        text = "Plain words. " * 100 + "“quoted”"
        page = f'<meta charset="iso-8859-1"><p>{text}</p>'
        assert text_of(only(write("b.html", page, "cp1252"))) == text

    def test_a_declared_encoding_that_is_wrong_does_no_harm(self, write: Write) -> None:
        for declared in ("iso-8859-1", "nonsense", "base64"):
            page = f'<meta charset="{declared}"><p>{KOREAN.strip()}</p>'
            assert text_of(only(write("a.html", page))) == KOREAN.strip()

    def test_xhtml_is_read_without_a_warning(self, write: Write) -> None:
        page = (
            '<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml">'
            '<head><title>T</title><script src="x.js"/></head><body><p>text</p></body></html>'
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            loaded = only(write("a.html", page))
            short = only(write("b.html", "http://example.org/page"))
            fragment = only(write("c.html", '<?xml version="1.0"?><p>text</p>'))
        assert (loaded.title, text_of(loaded)) == ("T", "text")
        assert text_of(short) == "http://example.org/page"
        assert text_of(fragment) == "text"

    def test_pages_without_text_are_empty(self, write: Write) -> None:
        assert "is empty" in reason(write("a.html", "<html><script>x</script><img src=x>"))

    @pytest.mark.slow
    def test_deep_nesting_loses_nothing(self, write: Write) -> None:
        page = "".join(f"<div>x{i} " for i in range(5000))
        assert text_of(only(write("a.html", page))).split() == [f"x{i}" for i in range(5000)]

    @pytest.mark.parametrize("piece", ["<!--", "<a ", "<![CDATA[", "</", "<a b='"])
    def test_markup_that_never_closes_is_read_in_time(self, write: Write, piece: str) -> None:
        # A reader that looks again and again for the end would need hours.
        assert list(load(write("a.html", "text " + piece * 100_000)))

    def test_pages_beyond_the_limits_are_refused(self, write: Write) -> None:
        path = write("a.html", "<p>text</p>" * 1000)
        assert "larger than 2 KB" in reason(path, limits=Limits(html_bytes=2048))
        assert "more than 100 tags" in reason(path, limits=Limits(html_tags=100))

    def test_characters_that_cannot_be_stored_are_replaced(self, write: Write) -> None:
        text = text_of(only(write("a.html", "<p>a&#0;b&#xD83D;c</p>")))
        assert "\0" not in text
        assert text.encode().decode() == text
