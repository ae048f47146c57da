"""Reading an exported page without a browser."""

import base64
import gzip
import json
from html.parser import HTMLParser
from typing import Any

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)><!-- & ]]> {{script}}"


class PageReader(HTMLParser):
    """The elements of a page, with their text and attributes."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), ""))
        self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            tag, attributes, text = self.found[-1]
            self.found[-1] = (tag, attributes, text + data)

    def texts(self, tag: str) -> list[str]:
        return [text for name, _, text in self.found if name == tag]


def data_of(page: str) -> Any:
    """The data that stand in a page."""
    return json.loads(gzip.decompress(base64.b64decode(PageReader(page).texts("script")[0])))
