"""Names in a question put behind placeholders, so that grammar sees the words around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .answer_types import countries, quoted_names

NAME = r"(?:⟦\d+⟧|#\d+)"

_JOINING = re.compile(
    r"(?:of|the|with|for|de|la|le|du|di|da|del|von|van|der|den|al|el|bin|ibn|und|et|y|&"
    r"|(?:on|to)(?= the$))(?: |$)"
)
_OPENING = frozenset(
    """what which who whom whose when where why how in on at of for from to by with is are was were
    do does did has have had can could will would should the a an besides both between among compare
    name tell give list and or if as that this there i""".split()
)
_PLACEHOLDER = re.compile(r"⟦(\d+)⟧")


@dataclass(frozen=True)
class Masked:
    """A question whose names are placeholders ⟦0⟧, ⟦1⟧, ...; ``names`` holds them."""

    text: str
    names: tuple[str, ...]

    def unmask(self, text: str) -> str:
        """``text`` with the names put back."""
        return _PLACEHOLDER.sub(lambda match: self.names[int(match[1])], text)


def mask(question: str, known: Sequence[str] = ()) -> Masked:
    """``question`` with quoted names, ``known`` ones and runs of capitalised words masked.

    A run goes on over "of", "the" and the like, a comma and a parenthesis, where another
    capitalised word follows; a possessive "'s" before a small letter ends it and stays outside.
    """
    names: list[str] = []
    text = " ".join(question.replace("’", "'").replace("⟦", "[").replace("⟧", "]").split())
    for given, around in (
        (quoted_names(text), r"[\"“'‘「『《〈]{},?[\"”'’」』》〉]"),
        (known, r"(?<!\w){}(?!\w)"),
    ):
        for name in sorted(given, key=len, reverse=True):
            pattern = around.format(re.escape(name))
            if re.search(pattern, text):
                text = re.sub(pattern, _keep(names, name), text)
    tokens = text.split(" ")
    out: list[str] = []
    place = 0
    while place < len(tokens):
        end = _run_end(tokens, place, opens=not out)
        run = " ".join(tokens[place:end])
        name = re.sub(r"(?:'s?)?[,?;:]*$", "", run, count=1)  # without possessive and punctuation
        out.append(_keep(names, name) + run[len(name) :] if end > place else tokens[place])
        place = max(end, place + 1)
    return Masked(" ".join(out), tuple(names))


def _keep(names: list[str], name: str) -> str:
    names.append(name)
    return f"⟦{len(names) - 1}⟧"


def _run_end(tokens: list[str], start: int, *, opens: bool) -> int:
    """The end of the name that begins at ``start``; ``start`` itself where none does."""
    first = tokens[start]
    if not _is_capital(first) or (opens and first.lower() in _OPENING):
        return start
    end = start + 1
    while end < len(tokens):
        if tokens[end - 1].endswith(("'s", "s'", "?", ";", ":")) and not _is_capital(tokens[end]):
            break
        ahead = end
        while ahead - end < 2 and _JOINING.match(" ".join(tokens[ahead : ahead + 2])):
            ahead += 1
        aside = ahead == end < len(tokens) and tokens[end].startswith("(")
        if ahead == len(tokens) or not (aside or _is_capital(tokens[ahead])):
            break
        closing = (i for i in range(end, min(end + 8, len(tokens))) if ")" in tokens[i])
        end = 1 + (next(closing, end) if aside else ahead)
    if end - start > 1 and tokens[end - 2].endswith(",") and is_demonym(tokens[end - 1]):
        end -= 1
    run = " ".join(tokens[start:end])
    return end if re.search(r"[^\W\d_]", run) and not is_demonym(run) else start


def is_demonym(word: str) -> bool:
    """Whether ``word`` is an adjective such as "British", and not a country's name."""
    return any(span.text == word != country for span, country in countries(word))


def _is_capital(token: str) -> bool:
    letter = token.lstrip("(\"“'‘.…-¿¡")[:1]
    return letter.isupper() or letter.isdigit()
