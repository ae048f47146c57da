"""The reply table: every good reply of a language model, under the hash of what was asked."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Engine, delete, func, select
from sqlalchemy.dialects.sqlite import insert

from ..state.records import StoredReply
from . import schema
from .catalogue import batches

_BATCH = 500


class ReplyStore:
    """Replies in the catalogue's database; each is durable when ``put`` returns."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._used: set[str] | None = None

    def watch(self) -> None:
        """Notes from now on which replies are used, for ``forget_unused``."""
        self._used = set()

    def forget_unused(self, watched: Collection[str], used_too: bool) -> None:
        """Deletes every reply but those to the prompts ``watched``, and ends the watch.

        With ``used_too`` also those of them that were not used since ``watch``.
        """
        table, used = schema.replies, self._used
        with self._engine.begin() as connection:
            connection.execute(delete(table).where(table.c.prompt.not_in(watched)))
            if used_too and used is not None:
                unused = set(connection.scalars(select(table.c.key))) - used
                for batch in batches(sorted(unused), _BATCH):
                    connection.execute(delete(table).where(table.c.key.in_(batch)))
        self._used = None

    def get(self, key: str) -> StoredReply | None:
        """The reply stored under ``key``."""
        table = schema.replies
        columns = (table.c.value, table.c.input_tokens, table.c.output_tokens)
        with self._engine.connect() as connection:
            row = connection.execute(select(*columns).where(table.c.key == key)).first()
        if row is None:
            return None
        self._note(key)
        return {"value": row[0], "input_tokens": row[1], "output_tokens": row[2]}

    def put(self, key: str, prompt: str, model: str, reply: StoredReply) -> None:
        """Stores ``reply`` under ``key``; a key that is there already keeps its reply."""
        row = {"key": key, "prompt": prompt, "model": model, **reply}
        with self._engine.begin() as connection:
            connection.execute(insert(schema.replies).values(row).on_conflict_do_nothing())
        self._note(key)

    def _note(self, key: str) -> None:
        if (used := self._used) is not None:
            used.add(key)

    def count(self) -> int:
        """How many replies are stored."""
        with self._engine.connect() as connection:
            return connection.scalar(select(func.count()).select_from(schema.replies)) or 0
