"""The reply table: every good reply of a language model, under the hash of the request."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Engine, delete, select
from sqlalchemy.dialects.sqlite import insert

from ..state.records import NewReply, StoredReply
from . import schema
from .queries import count_rows, delete_with, rows_with


class ReplyStore:
    """Replies in the catalogue's database; each is durable when ``put`` returns.

    >>> replies = ReplyStore(engine)
    >>> replies.put([NewReply(key, "answer", "openai:gpt-4o-mini", reply)])
    >>> [reply] = replies.find([key])
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._used: set[str] | None = None

    def watch(self) -> None:
        """Notes from now on which replies are used, for ``forget_unused``."""
        self._used = set()

    def forget_unused(self, watched: Collection[str], used_too: bool) -> int:
        """Deletes every reply to other prompts than ``watched``, and ends the watch.

        With ``used_too`` also every reply that was not used since ``watch``; their number.
        """
        table, used = schema.replies, self._used
        with self._engine.begin() as connection:
            connection.execute(delete(table).where(table.c.prompt.not_in(watched)))
            keys = set(connection.scalars(select(table.c.key)))
            unused = set() if used is None else keys - used
            if used_too:
                delete_with(connection, table.c.key, unused)
        self._used = None
        return len(unused)

    def find(self, keys: Sequence[str]) -> list[StoredReply | None]:
        """The reply stored under each key, or None."""
        table = schema.replies
        query = select(table.c.key, table.c.value, table.c.input_tokens, table.c.output_tokens)
        found: dict[str, StoredReply] = {
            key: {"value": value, "input_tokens": sent, "output_tokens": received}
            for key, value, sent, received in rows_with(self._engine, query, table.c.key, keys)
        }
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

    def drop(self, keys: Sequence[str]) -> None:
        """Deletes the replies stored under ``keys``."""
        with self._engine.begin() as connection:
            delete_with(connection, schema.replies.c.key, keys)

    def _note(self, keys: Iterable[str]) -> None:
        if (used := self._used) is not None:
            used.update(keys)

    def count(self) -> int:
        """The number of stored replies."""
        return count_rows(self._engine, schema.replies)
