"""Bringing an index that an earlier version of ragraphs made up to date, before it is written."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..settings import settings
from ..state.errors import IndexNotFoundError
from .location import locate

if TYPE_CHECKING:
    from sqlalchemy import Engine


def bring_up_to_date(index: str) -> None:
    """Upgrades the index called ``index`` as its writer, where there is one and it needs that.

    Readers never call this. Blocks, outside of any event loop. Raises RagraphsError where another
    run is writing.
    """
    from ..stores.queries import close_database
    from ..stores.schema import is_up_to_date

    operator = settings()
    location = locate(index, operator)
    try:
        engine = location.open_catalogue(operator, create=False, any_format=True)
    except IndexNotFoundError:
        return
    try:
        if not is_up_to_date(engine):
            asyncio.run(_upgrade(engine, location.name))
    finally:
        close_database(engine)


async def _upgrade(engine: Engine, name: str) -> None:
    from ..stores.lock import writing
    from ..stores.schema import bring_up_to_date

    async with writing(engine, name):
        await asyncio.to_thread(bring_up_to_date, engine)
