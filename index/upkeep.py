"""All indexes of an operator: listed, renamed, deleted; in folders, or in a database."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..settings import Settings, settings
from ..state.errors import RagraphsError
from ..stores.arrays import ENDING
from ..stores.schema import DATABASE, LOCK
from ..stores.vectors import FIRST
from .location import locate
from .opening import Index, open_index
from .serving import ADVISED

_OURS = (f"{FIRST}*", f"*{ENDING}", "serving.json", ADVISED, "evaluations", f"{LOCK}*")


def index_names(operator: Settings) -> list[str]:
    """The names of the indexes below the operator's root, or in his database. Blocks."""
    if operator.database is not None:
        from ..stores.postgresql import shared_names

        return shared_names(operator.database.get_secret_value())
    return sorted(file.parent.name for file in operator.base.glob(f"*/{DATABASE}"))


def rename_index(name: str, wanted: str) -> None:
    """Gives the index ``name`` the name ``wanted``. Blocks.

    Raises RagraphsError where there is one of that name, or somebody writes to the index.
    """
    operator = settings()
    target = locate(wanted, operator)
    index = open_index(name)
    if target.holds_index(operator) or (not target.in_database and Path(target.name).exists()):
        raise RagraphsError(f"There is an index {wanted} already; name another one.")

    def rename() -> None:
        if not target.in_database:
            _close(index)
            index.folder.rename(target.name)

    _while_locked(index, rename)
    if target.in_database:  # where the lock itself needs the old name
        from ..stores.postgresql import rename_shared

        rename_shared(index.engine, wanted)


def delete_index(name: str) -> str:
    """Deletes an index, and returns the folder that is left with other files; empty for none.

    Blocks. Raises RagraphsError where somebody writes to the index.
    """
    index = open_index(name)
    folder = index.folder

    def delete() -> None:
        index.vectors.delete_all_but([])
        _close(index)
        if index.location.in_database:
            shutil.rmtree(folder, ignore_errors=True)  # this machine's copies
        else:
            for file in folder.glob(f"{DATABASE}*"):
                file.unlink()

    _while_locked(index, delete)
    if index.location.in_database:
        from ..stores.postgresql import drop_shared

        drop_shared(index.engine)
        return ""
    for pattern in _OURS:
        for path in folder.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
    return str(folder) if folder.exists() else ""


def _while_locked(index: Index, work: Callable[[], None]) -> None:
    async def locked() -> None:
        async with index.writing():
            await asyncio.to_thread(work)

    asyncio.run(locked())


def _close(index: Index) -> None:
    from ..stores.queries import close_database

    index.vectors.close()
    close_database(index.engine)
