"""The keys of a server's callers: a file of their hashes, rights, indexes and quotas."""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from ..models.caller import Caller
from ..state.errors import RagraphsError, UnavailableError
from ..state.usage import Ceilings
from .access import Right, User
from .checked_runs import problem_in

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$")]
_logger = logging.getLogger(__package__)
_PREFIX = "rg_"


class Key(BaseModel):
    """A key as its file has it: the hash of the secret, and the rights of its holder.

    The quotas are those of a day (UTC); None: any number.
    """

    model_config = ConfigDict(extra="forbid")

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    indexes: list[str] = Field(min_length=1)
    rights: list[Right] = ["ask"]
    requests: int | None = Field(default=None, ge=1)
    calls: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    cost: float | None = Field(default=None, gt=0)
    expires: datetime | None = None

    @property
    def is_over(self) -> bool:
        """Whether the key has expired; a time without a zone is UTC."""
        ends = self.expires
        if ends is None:
            return False
        return (ends if ends.tzinfo else ends.replace(tzinfo=UTC)) <= datetime.now(UTC)

    def holder(self, name: str) -> User:
        """The caller who has the key called ``name``."""
        quotas = Ceilings(self.calls, self.tokens, self.cost)
        caller = Caller(name, self.requests, quotas)
        return User(name, tuple(self.indexes), frozenset(self.rights), caller)


_FILE = TypeAdapter(dict[Name, Key])


class Keys:
    """The keys in the file at ``path``, which is read again when it has changed.

    keys = Keys(Path("keys.json"))
    user = keys.holder_of("rg_…")

    A file that cannot be read leaves the keys as they were, and the log says so.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._by_hash: dict[str, tuple[str, Key]] = {}
        self._stamp: tuple[int, int, int] | None = None  # of what was read in any case
        self._take(read_keys(path))

    def holder_of(self, secret: str) -> User | None:
        """The caller with the key ``secret``; None where nobody has it any more.

        Raises UnavailableError where the file of keys is gone.
        """
        stamp = _stamp(self._path)
        if stamp != self._stamp:
            self._stamp = stamp
            try:
                self._take(read_keys(self._path))
            except RagraphsError as error:
                _logger.error("%s The keys stay as they were.", error)
        name, key = self._by_hash.get(_hash(secret), ("", None))
        return None if key is None or key.is_over else key.holder(name)

    def _take(self, keys: dict[str, Key]) -> None:
        self._by_hash = {key.sha256: (name, key) for name, key in keys.items()}


def read_keys(path: Path) -> dict[str, Key]:
    """The keys in a file by their names. Blocks; raises RagraphsError where it cannot be used."""
    try:
        return _FILE.validate_json(path.read_bytes())
    except OSError as error:
        raise RagraphsError(
            f"The file of keys {path} cannot be read ({error.strerror}); make a key with: "
            f"ragraphs keys make NAME --file {path}"
        ) from error
    except ValidationError as error:
        raise RagraphsError(f"In the file of keys {path}: {problem_in(error, 'value')}") from error


def make_key(path: Path, name: str, **rights: Any) -> str:
    """The secret of a new key called ``name``, of which the file at ``path`` gets the hash.

    ``rights`` are values of a ``Key``. Blocks. Raises RagraphsError for one of no use, and where
    there is a key of that name.
    """
    secret = _PREFIX + secrets.token_urlsafe(32)
    given = {one: value for one, value in rights.items() if value is not None}
    try:
        made = _FILE.validate_python({name: {**given, "sha256": _hash(secret)}})
    except ValidationError as error:
        raise RagraphsError(problem_in(error, "value")) from error
    with _changed(path) as keys:
        if name in keys:
            raise RagraphsError(
                f"There is a key {name!r} already; choose another name, or take it back with: "
                f"ragraphs keys revoke {name} --file {path}"
            )
        keys |= made
    return secret


def revoke_key(path: Path, name: str) -> None:
    """Takes the key called ``name`` out of the file. Blocks; raises RagraphsError without one."""
    with _changed(path) as keys:
        if keys.pop(name, None) is None:
            known = ", ".join(keys) or "none"
            raise RagraphsError(f"There is no key {name!r} in {path}; its keys are: {known}.")


@contextmanager
def _changed(path: Path) -> Iterator[dict[str, Key]]:
    """The keys of a file, which is written as the block leaves them, all at once."""
    with FileLock(path.with_name(f".{path.name}.lock")):
        keys = read_keys(path) if path.exists() else {}
        yield keys
        number, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(number, "wb") as file:  # its owner's alone
            file.write(_FILE.dump_json(keys, indent=2, exclude_none=True))
        os.replace(beside, path)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogateescape")).hexdigest()


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise UnavailableError(
            f"The file of keys cannot be read ({error.strerror}); tell the operator of this server."
        ) from error
    return found.st_ino, found.st_mtime_ns, found.st_size
