"""Makes the links of the README absolute, for PyPI.

    python docs/scripts/pypi_readme.py https://HOST/OWNER/REPOSITORY TAG

On GitHub links and pictures are relative to the file. PyPI shows the README without the repository,
so the release writes the addresses of its tag into it before the package is built.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?!https?://)(?P<path>[^)#\s]+)")


def with_addresses(markdown: str, repository: str, tag: str) -> str:
    """``markdown`` with links to files of the ``repository`` as they are at ``tag``."""

    def absolute(link: re.Match[str]) -> str:
        kind = "raw" if link["picture"] else "blob"
        return f"{link['picture']}[{link['text']}]({repository}/{kind}/{tag}/{link['path']}"

    return _LINK.sub(absolute, markdown)


if __name__ == "__main__":
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    readme = Path(project["readme"])
    text = readme.read_text(encoding="utf-8")
    done = with_addresses(text, *sys.argv[1:])
    readme.write_text(done, encoding="utf-8")
