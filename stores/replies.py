"""The reply table: every good reply of a language model, under the hash of what was asked."""

from __future__ import annotations

from sqlalchemy import Engine, func, select
from sqlalchemy.dialects.sqlite import insert

from ..state.records import StoredReply
from . import schema


class ReplyStore:
    """Replies in the catalogue's database; each is durable when ``put`` returns."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def get(self, key: str) -> StoredReply | None:
        """The reply stored under ``key``."""
        table = schema.replies
        columns = (table.c.value, table.c.input_tokens, table.c.output_tokens)
        with self._engine.connect() as connection:
            row = connection.execute(select(*columns).where(table.c.key == key)).first()
        if row is None:
            return None
        return {"value": row[0], "input_tokens": row[1], "output_tokens": row[2]}

    def put(self, key: str, prompt: str, model: str, reply: StoredReply) -> None:
        """Stores ``reply`` under ``key``; a key that is there already keeps its reply."""
        row = {"key": key, "prompt": prompt, "model": model, **reply}
        with self._engine.begin() as connection:
            connection.execute(insert(schema.replies).values(row).on_conflict_do_nothing())

    def count(self) -> int:
        """How many replies are stored."""
        with self._engine.connect() as connection:
            return connection.scalar(select(func.count()).select_from(schema.replies)) or 0
