"""The errors of a PostgreSQL server as sentences, without its address, user and password."""

from __future__ import annotations

from ..state.errors import RagraphsError, UnavailableError

_CHECK = "check the setting RAGRAPHS_DATABASE."
_REFUSED = "08P01"  # after which a pooler closes the connection
_MISSING = "42P01"
_ADVICE = {  # by the classes and codes of PostgreSQL's errors
    "28": f"refuses the user or the password; {_CHECK}",
    "3D": "has no such database; make it with createdb, or name another in RAGRAPHS_DATABASE.",
    "42501": "refuses a right that an index needs; let its owner run: GRANT CREATE ON DATABASE "
    "NAME TO USER",
    "53100": "has no room left on its disk; make room and run the command again.",
    "53300": "has no connection left; raise its max_connections, or run fewer processes.",
    _REFUSED: "or a pooler before it refuses transactions; set its pool_mode to transaction.",
    "25006": "can only be read, as a replica; name the one that is written to in "
    "RAGRAPHS_DATABASE.",
    "22000": "keeps vectors of another length than the embeddings give; make them anew with: "
    "ragraphs index --repair",
    "42704": "does not find the types of pgvector; let a superuser run: ALTER EXTENSION vector SET "
    "SCHEMA public",
    _MISSING: "lacks a table of the index; make its derived parts anew with: ragraphs index "
    "--repair",
}
_IN_WORDS = {  # what a server says before a connection stands, which has no code
    "password authentication failed": "28",
    "no password supplied": "28",
    "no pg_hba.conf entry": "28",
    "does not exist": "3D",
    "too many clients": "53300",
    "remaining connection slots": "53300",
}


class LostConnectionError(UnavailableError):
    """The server went away, or undid a transaction for another's sake: it may be tried again."""


class MissingTableError(RagraphsError):
    """A table is missing, such as one of vectors that another took the place of."""


_KINDS = {"53100": UnavailableError, "53300": UnavailableError, _MISSING: MissingTableError}


def explained(
    error: BaseException, is_disconnect: bool = False, connecting: bool = False
) -> RagraphsError | None:
    """The sentence for an error of the driver; None where it is not the server's."""
    code = code_of(error)
    # The driver does not count a connection as broken whose socket it found closed.
    cut = not code and not connecting and type(error).__name__ == "OperationalError"
    if code != _REFUSED and (is_disconnect or cut or code.startswith(("40", "57P"))):
        return LostConnectionError(
            "The connection to the PostgreSQL server was lost in the middle of a change, of which "
            "nothing is kept; run the command again: it goes on from there."
        )
    for key in (code, code[:2]):
        if key in _ADVICE:
            kind = _KINDS.get(key, RagraphsError)
            return kind(f"The PostgreSQL server {_ADVICE[key]}")
    if connecting:
        return UnavailableError(
            "The PostgreSQL server does not answer; see whether it runs, and check the setting "
            "RAGRAPHS_DATABASE."
        )
    if code.startswith(("08", "53", "54", "55", "57", "58", "XX")):
        return UnavailableError(
            f"The PostgreSQL server cannot do its work (error {code}); see its log."
        )
    return None


def code_of(error: BaseException) -> str:
    """PostgreSQL's code of an error (SQLSTATE); empty where it is not known."""
    if code := getattr(error, "sqlstate", None):
        return str(code)
    said = str(error)
    return next((code for words, code in _IN_WORDS.items() if words in said), "")
