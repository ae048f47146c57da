"""Words that look like names and are none: labels of lines and cells, days, and code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from ...language.answer_types import MONTH
from ...language.code import code_blocks
from ...language.mentions import Mention

_DATE = re.compile(
    rf"(?:(?:Open |Closed )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|Mon|Tue|Wed|Thu|Fri"
    rf"|(?:{MONTH}|Sat|Sun)(?= \d)|Nov|Dec|Sept?)(?:,? (?:{MONTH}|\d+(?:st|nd|rd|th)?))*",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"(?:^|\n|\||[.!?]\s)[^\w\n|]*$")
_AFTER = re.compile(r"\.?(?: (?!(?:said|says|asked|asks|wrote|replied)\b)[a-z]+){0,3}[ \t]*:(?!\S)")
_OF_MAILS = frozenset({"date", "subject", "sent", "cc"})


def without_labels(
    found: Sequence[Mention], text: str, topic: Collection[str]
) -> Iterator[Mention]:
    """The mentions ``found`` in ``text`` but for days, code, and words that stand only as labels.

    A label opens a line or a cell and has a colon, such as "Present: Priya, Tomasz". One that comes
    again outside a table is a speaker; the keys of the ``topic`` are no labels.
    """
    heads = {one for one in found if one.kind == "name" and _heads(one, text)}
    spoken = Counter(one.key for one in heads if "|" not in text[one.end :].partition("\n")[0])
    said = {same for same, times in spoken.items() if times > 1} - _OF_MAILS
    said.update(topic, (one.key for one in found if one not in heads))
    code = [block for block in code_blocks(text) if text[slice(*block)].count("\n") > 1]
    for one in found:
        dated = one.kind == "name" and _DATE.fullmatch(one.text)
        coded = any(start <= one.start < end for start, end in code)
        if not (dated or coded) and (one not in heads or one.key in said):
            yield one


def opens(one: Mention, text: str) -> bool:
    """Whether ``one`` opens a line, a cell or a sentence."""
    return bool(_BEFORE.search(text[max(0, one.start - 20) : one.start]))


def _heads(one: Mention, text: str) -> bool:
    return opens(one, text) and bool(_AFTER.match(text, one.end))
