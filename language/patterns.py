"""Regular expressions that are compiled where they are first used."""

from __future__ import annotations

import re
from typing import Any, cast

_USES = ("search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn")


class LatePattern:
    """A pattern that costs nothing until one of its methods is asked for."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__.update({use: getattr(compiled, use) for use in _USES})
        return getattr(compiled, name)


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """``pattern`` as ``re.compile`` gives it, compiled at its first use."""
    return cast(re.Pattern[str], LatePattern(pattern, flags))
