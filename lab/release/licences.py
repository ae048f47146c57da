"""Writes the table of what an installation brings along, with licences.

    python -m lab.release.licences docs/licences.md

The table stands between two comments of the page; the text around it stays.
"""

from __future__ import annotations

import re
import sys
from email.message import Message
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple, cast

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

BEGIN, END = "<!-- licences -->", "<!-- end of licences -->"
_LONGEST = 60
_CLASSIFIER = "License :: OSI Approved :: "
_COPYLEFT = re.compile(r"\b(A|L)?GPL|General Public License|Mozilla Public|\bMPL", re.IGNORECASE)


class Dependency(NamedTuple):
    """An installed package, and the licence that it states."""

    name: str
    licence: str

    @property
    def is_copyleft(self) -> bool:
        """Whether the licence asks something of those who pass the package on."""
        return _COPYLEFT.search(self.licence) is not None


def dependencies(name: str = "ragraphs") -> list[Dependency]:
    """All packages that ``name`` needs, directly or not, without its extras, by name."""
    found: dict[str, Dependency] = {}
    waiting = [(name, frozenset[str]())]
    seen = set(waiting)
    while waiting:
        package, extras = waiting.pop()
        try:
            known = distribution(package)
        except PackageNotFoundError:  # of another platform
            continue
        if package != name:
            found[package] = Dependency(package, licence_of(package))
        for text in known.requires or ():
            required = Requirement(text)
            marker = required.marker
            if marker and not any(marker.evaluate({"extra": e}) for e in extras or {""}):
                continue
            following = (canonicalize_name(required.name), frozenset(required.extras))
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return sorted(found.values())


def licence_of(package: str) -> str:
    """The licence that ``package`` states, in short."""
    stated = cast(Message, distribution(package).metadata)
    classified = [
        line.removeprefix(_CLASSIFIER)
        for line in stated.get_all("Classifier", [])
        if line.startswith(_CLASSIFIER)
    ]
    text = stated.get("License-Expression") or "; ".join(classified) or stated.get("License") or ""
    first = text.strip().splitlines()[0].strip() if text.strip() else "not stated"
    return first if len(first) <= _LONGEST else f"{first[: _LONGEST - 1]}…"


def table(found: list[Dependency]) -> str:
    """The Markdown table of ``found``, those with copyleft first."""
    ordered = sorted(found, key=lambda one: (not one.is_copyleft, one.name))
    rows = [f"| {one.name} | {one.licence.replace('|', '/')} |" for one in ordered]
    return "\n".join(["| package | licence |", "|---|---|", *rows])


def main() -> None:
    """Writes the table into the page that is named."""
    page = Path(sys.argv[1])
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    written = f"{before}{BEGIN}\n\n{table(dependencies())}\n\n{END}{after}"
    page.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
