"""The reply table: every good reply of a language model, under the hash of what was asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Engine, delete, func, select
from sqlalchemy.dialects.sqlite import insert

from ..state.records import NewReply, StoredReply
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
        return self.find([key])[0]

    def find(self, keys: Sequence[str]) -> list[StoredReply | None]:
        """The reply stored under each key, or None."""
        table = schema.replies
        columns = (table.c.key, table.c.value, table.c.input_tokens, table.c.output_tokens)
        found: dict[str, StoredReply] = {}
        with self._engine.connect() as connection:
            for batch in batches(keys, _BATCH):
                query = select(*columns).where(table.c.key.in_(batch))
                for key, value, sent, received in connection.execute(query):
                    found[key] = {"value": value, "input_tokens": sent, "output_tokens": received}
        self._note(found)
        return [found.get(key) for key in keys]

    def put(self, replies: Sequence[NewReply]) -> None:
        """Stores replies, in one transaction; a key that is there already keeps its reply."""
        rows = [
            {"key": new.key, "prompt": new.prompt, "model": new.model, **new.reply}
            for new in replies
        ]
        with self._engine.begin() as connection:
            connection.execute(insert(schema.replies).on_conflict_do_nothing(), rows)
        self._note(new.key for new in replies)

    def _note(self, keys: Iterable[str]) -> None:
        if (used := self._used) is not None:
            used.update(keys)

    def count(self) -> int:
        """How many replies are stored."""
        with self._engine.connect() as connection:
            return connection.scalar(select(func.count()).select_from(schema.replies)) or 0
