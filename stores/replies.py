"""The reply table: every good reply of a language model, under the hash of the request."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Engine, delete, exists, func, or_, select, true

from ..state.records import NewReply, StoredReply
from . import tables
from .queries import add_missing, count_rows, delete_with, persistent, rows_with, upsert


@persistent
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

    def forget_unused(self, watched: Collection[str], used_too: bool, others: bool) -> int:
        """Deletes the replies that may quote removed texts, and ends the watch.

        Of prompts other than ``watched`` these are the replies that were made from passages that
        are gone or from texts of unknown origin, or all ``others``. With ``used_too`` also every
        reply to a watched prompt that was not used since ``watch``; their number.
        """
        table, sources, used = tables.replies.c, tables.reply_passages, self._used
        # PostgreSQL compares each row of a NOT IN with all others, once they are many.
        its_own = sources.c.key == table.key
        known = exists().where(its_own, sources.c.passage == "")
        stored = exists().where(tables.passages.c.id == sources.c.passage)
        gone = exists().where(its_own, sources.c.passage != "", ~stored)
        quoting = true() if others else or_(~known, gone)
        with self._engine.begin() as connection:
            connection.execute(delete(tables.replies).where(table.prompt.not_in(watched), quoting))
            keys = set(connection.scalars(select(table.key).where(table.prompt.in_(watched))))
            unused = set() if used is None else keys - used
            if used_too:
                delete_with(connection, table.key, unused)
            connection.execute(delete(sources).where(~exists().where(its_own)))
        self._used = None
        return len(unused)

    def find(self, keys: Sequence[str]) -> list[StoredReply | None]:
        """The reply stored under each key, or None."""
        table = tables.replies
        query = select(table)
        found: dict[str, StoredReply] = {
            row.key: {
                "value": row.value,
                "words": row.words,
                "input_tokens": row.input_tokens,
                "output_tokens": row.output_tokens,
            }
            for row in rows_with(self._engine, query, table.c.key, keys)
        }
        self._note(found)
        return [found.get(key) for key in keys]

    def put(self, replies: Sequence[NewReply]) -> None:
        """Stores replies, in one transaction.

        A key that is there already keeps its reply, unless the new one is to other words.
        """
        rows = [
            {"key": new.key, "prompt": new.prompt, "model": new.model, **new.reply}
            for new in replies
        ]
        sources = [
            {"key": new.key, "passage": passage}
            for new in replies
            if new.passages is not None
            for passage in ("", *new.passages)
        ]
        with self._engine.begin() as connection:
            table = tables.replies.c
            upsert(connection, tables.replies, rows, lambda new: table.words != new.words)
            add_missing(connection, tables.reply_passages, sources)
        self._note(new.key for new in replies)

    def drop(self, keys: Sequence[str]) -> None:
        """Deletes the replies stored under ``keys``."""
        with self._engine.begin() as connection:
            delete_with(connection, tables.replies.c.key, keys)

    def used(self) -> frozenset[str]:
        """The keys of the replies that were found or stored since ``watch``."""
        return frozenset(self._used or ())

    def note_used(self, keys: Iterable[str]) -> None:
        """Counts the replies under ``keys``, which another process used, as used."""
        self._note(keys)

    def _note(self, keys: Iterable[str]) -> None:
        if (used := self._used) is not None:
            used.update(keys)

    def outdated(self, prompt: str, words: str) -> tuple[int, int]:
        """The number of replies to ``prompt`` in other ``words``, and the tokens sent for them."""
        table = tables.replies.c
        query = select(func.count(), func.coalesce(func.sum(table.input_tokens), 0)).where(
            table.prompt == prompt, table.words != words
        )
        with self._engine.connect() as connection:
            count, tokens = connection.execute(query).one()
        return count, tokens

    def forget_outdated(self, prompt: str, words: str) -> None:
        """Deletes the replies to ``prompt`` in other ``words``."""
        table = tables.replies.c
        with self._engine.begin() as connection:
            outdated = (table.prompt == prompt) & (table.words != words)
            connection.execute(delete(tables.replies).where(outdated))

    def tokens(self) -> dict[str, tuple[int, int]]:
        """The tokens sent and received for all stored replies, by the model that gave them."""
        table = tables.replies.c
        query = (
            select(table.model, func.sum(table.input_tokens), func.sum(table.output_tokens))
            .where(table.model != "")
            .group_by(table.model)
        )
        with self._engine.connect() as connection:
            return {model: (sent, received) for model, sent, received in connection.execute(query)}

    def count(self) -> int:
        """The number of stored replies; a note on a server, which no model wrote, is none."""
        return count_rows(self._engine, tables.replies, tables.replies.c.model != "")
