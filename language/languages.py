"""Whether texts are English, told by their script and by the commonest words of languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .analyser import count_tokens

_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ]")
_LONGEST = 4000
_ENGLISH = frozenset(
    """the of and that with is was are this from by it be have has for you they their not which been
    were but at or his her she he""".split()
)
# The commonest words that English lacks: of German, French, Spanish, Italian, Portuguese, Dutch,
# Scandinavian, Polish, Czech, Romanian, Hungarian, Finnish, Turkish, Vietnamese and Indonesian.
_FOREIGN = frozenset(
    """der die das und ist nicht ein eine mit den dem von zu auf le la les et des est une que dans
    pour el los las del por con una es il di che non per della è gli os da em não uma para de het
    een van niet dat zijn og av til det er på att som för är inte na się jest nie że si este în nu
    și és egy hogy nem ja oli että se ve bir bu için ile và của là không được yang dan untuk dengan
    ini""".split()
)


def foreign_share(texts: Iterable[str]) -> float:
    """The share of ``texts``, by their tokens, that is of other languages than English.

    Of each text its beginning counts. Texts in which no language shows, such as tables and code,
    count as English.
    """
    tokens = foreign = 0
    for text in texts:
        size = count_tokens(text[:_LONGEST])
        tokens += size
        if not _is_english(_WORD.findall(text[:_LONGEST])):
            foreign += size
    return foreign / tokens if tokens else 0.0


def _is_english(words: Sequence[str]) -> bool:
    letters = "".join(words)
    if len(_LATIN.findall(letters)) < len(letters) / 2:
        return False
    # As they are written: "Los Angeles" and "La Paz" say nothing of the language around them.
    return sum(word in _ENGLISH for word in words) >= sum(word in _FOREIGN for word in words)
