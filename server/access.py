"""Which indexes a caller of the server may use, and for what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..models.caller import Caller
from ..settings import Settings, settings
from ..state.errors import RagraphsError
from ..stores.schema import DATABASE

Right = Literal["ask", "write", "watch"]


@dataclass(frozen=True)
class User:
    """A caller of `ragraphs serve` whom it knows.

    ``indexes`` are all that it may use; None stands for those of the operator's settings.
    """

    identity: str
    indexes: Sequence[str] | None
    rights: frozenset[Right]
    caller: Caller


@dataclass(frozen=True)
class Access:
    """The indexes that a caller may use: ``default`` where none is named.

    access_of(user).index("notes")

    ``names`` has all of them, the default first; None stands for any index of the server. Who
    ``writes`` may change them as far as the operator's settings allow.
    """

    default: str
    names: tuple[str, ...] | None
    writes: bool = True

    def index(self, named: Any = None) -> str:
        """The index called ``named``, or the default one; raises RagraphsError for any other."""
        if named is None or named == "":
            return self.default
        if not isinstance(named, str) or (self.names is not None and named not in self.names):
            allowed = "a name" if self.names is None else ", ".join(self.names)
            raise RagraphsError(
                f"The index {named!r} is not open to you; choose one of: {allowed}."
            )
        return named


def access_of(user: Any) -> Access:
    """The indexes that ``user`` may use.

    ``user`` is the one whom the server's authentication found, or None. Where it has ``indexes``, a
    list of names, these are all that it may use, the first by default. Any other user, and a server
    without authentication, has what the operator's settings list: RAGRAPHS_INDEX and
    RAGRAPHS_INDEXES. Raises RagraphsError for a user with no index.
    """
    own = getattr(user, "indexes", None)
    operator = settings()
    if own is not None:
        if isinstance(own, str) or not own or not all(isinstance(name, str) for name in own):
            raise RagraphsError("No index is open to you; ask the operator of this server for one.")
        names: list[str] | None = list(own)
    elif operator.indexes or operator.root is None:
        names = [operator.index, *operator.indexes]
    else:
        names = None
    return Access(
        names[0] if names else operator.index,
        None if names is None else tuple(dict.fromkeys(names)),
        "write" in getattr(user, "rights", ("write",)),
    )


def open_names(access: Access, operator: Settings) -> list[str]:
    """The indexes that may be named; where any may, those in folders below the root."""
    if access.names is not None:
        return list(access.names)
    folders = sorted(file.parent.name for file in operator.base.glob(f"*/{DATABASE}"))
    return list(dict.fromkeys([access.default, *folders]))
