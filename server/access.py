"""Which indexes a caller of the server may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..settings import Settings, settings
from ..state.errors import RagraphsError
from ..stores.schema import DATABASE


@dataclass(frozen=True)
class Access:
    """The indexes that a caller may use: ``default`` where none is named.

    access_of(user).index("notes")

    ``names`` has all of them, the default first; None stands for any index of the server.
    """

    default: str
    names: tuple[str, ...] | None

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
    )


def open_names(access: Access, operator: Settings) -> list[str]:
    """The indexes that may be named; where any may, those in folders below the root."""
    if access.names is not None:
        return list(access.names)
    folders = sorted(file.parent.name for file in operator.base.glob(f"*/{DATABASE}"))
    return list(dict.fromkeys([access.default, *folders]))
