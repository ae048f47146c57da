"""The tables of the catalogue."""

from __future__ import annotations

import zlib
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    text,
)

# Texts are compared by their code points in every database, whatever its language.
WORD = String().with_variant(String(collation="C"), "postgresql")
_TEXT = Text().with_variant(Text(collation="C"), "postgresql")

_SHORT = 200  # characters, which compressed would hardly get fewer


def compressed(text: str | None) -> str | bytes | None:
    """A text as SQLite keeps it: where it is long, its UTF-8 by zlib."""
    return text if text is None or len(text) < _SHORT else zlib.compress(text.encode(), level=1)


class Packed(TypeDecorator[str]):
    """A long text, read as a whole, which SQLite keeps compressed and PostgreSQL compresses."""

    impl = _TEXT
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> Any:
        return compressed(value) if dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Any) -> str | None:
        return zlib.decompress(value).decode() if isinstance(value, bytes) else value


# Without foreign keys: what hangs on a passage is deleted with it by ``passage_rows``, and
# constraints would hold in one database and not in the other.
metadata = MetaData()

properties = Table(
    "properties",
    metadata,
    Column("name", WORD, primary_key=True),
    Column("value", _TEXT, nullable=False),
)
files = Table(
    "files",
    metadata,
    Column("path", WORD, primary_key=True),
    Column("content", WORD, nullable=False),
)
documents = Table(
    "documents",
    metadata,
    Column("id", WORD, primary_key=True),
    Column("path", WORD, nullable=False, index=True),
    Column("title", _TEXT, nullable=False),
    Column("content", WORD, nullable=False, index=True),
    Column("passages", Integer, nullable=False),
    Column("metadata", JSON, nullable=False, server_default="{}"),
)
# Of documents that may be called in several ways: the first choice, and the next ones in order.
document_titles = Table(
    "document_titles",
    metadata,
    Column("document", WORD, primary_key=True),
    Column("first", _TEXT, nullable=False),
    Column("others", JSON, nullable=False),
)

passages = Table(
    "passages",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", WORD, nullable=False, unique=True),
    Column("document", WORD, nullable=False, index=True),
    Column("title", _TEXT, nullable=False),
    Column("text", _TEXT, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("before", _TEXT, nullable=False, server_default=""),
    Column("metadata", JSON, nullable=False, server_default="{}"),
    Column("turns", JSON, nullable=False, server_default="[]"),
)
# Passages that moved to another document, whose vectors stand under the ids ``before`` as yet.
moved_passages = Table(
    "moved_passages",
    metadata,
    Column("passage", WORD, primary_key=True),
    Column("before", WORD, nullable=False),
)
# Passages beside whose vectors other metadata stands than here.
outdated_entries = Table("outdated_entries", metadata, Column("passage", WORD, primary_key=True))
failures = Table(
    "failures",
    metadata,
    Column("place", WORD, primary_key=True),
    Column("path", WORD, nullable=False, index=True),
    Column("reason", _TEXT, nullable=False),
)
readings = Table(
    "readings",
    metadata,
    Column("passage", WORD, primary_key=True),
    Column("kind", WORD, primary_key=True),
    Column("model", WORD, nullable=False),
    Column("value", Packed),
    Column("reason", _TEXT),
    Column("words", WORD, nullable=False, server_default=""),
    # By which a run finds the passages that another model has read, without what it read.
    Index(
        "ix_readings_by",
        *("kind", "model", "words", "passage"),
        sqlite_where=text("value IS NOT NULL"),
    ),
)
# Hashes of what was read in passages, so that a run need not read all of it.
reading_codes = Table(
    "reading_codes",
    metadata,
    Column("passage", WORD, primary_key=True),
    Column("kind", WORD, primary_key=True),
    Column("code", WORD, nullable=False),
)
# ``size`` is the number of bytes and of numbers together, by which damage shows.
sentence_vectors = Table(
    "sentence_vectors",
    metadata,
    Column("passage", WORD, primary_key=True),
    Column("sentences", Integer, nullable=False),
    Column("dimension", Integer, nullable=False),
    Column("vectors", LargeBinary, nullable=False),
    Column("size", Integer, nullable=False, server_default="0"),
)
question_vectors = Table(
    "question_vectors",
    metadata,
    Column("id", WORD, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
    Column("dimension", Integer, nullable=False, server_default="0"),
    Column("size", Integer, nullable=False, server_default="0"),
)
# Vectors that are made anew stand beside those in use until all are there.
sentence_vectors_beside = sentence_vectors.to_metadata(metadata, name="sentence_vectors_beside")
question_vectors_beside = question_vectors.to_metadata(metadata, name="question_vectors_beside")
entities = Table(
    "entities",
    metadata,
    Column("id", WORD, primary_key=True),
    Column("name", _TEXT, nullable=False),
    Column("type", WORD, nullable=False),
    Column("description", _TEXT, nullable=False),
    Column("pending", Boolean, nullable=False),
    Index("ix_entities_pending", "pending", "id", sqlite_where=text("pending = 1")),
)
descriptions = Table(
    "descriptions",
    metadata,
    Column("entity", WORD, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("text", _TEXT, nullable=False),
)
aliases = Table(
    "aliases",
    metadata,
    Column("entity", WORD, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("spelling", _TEXT, nullable=False),
    Column("name", _TEXT, nullable=False, index=True),
)
entity_passages = Table(
    "entity_passages",
    metadata,
    Column("entity", WORD, primary_key=True),
    Column("passage", WORD, primary_key=True, index=True),
)
mentions = Table(
    "mentions",
    metadata,
    Column("passage", WORD, primary_key=True),
    Column("start", Integer, primary_key=True),
    Column("end", Integer, primary_key=True),
    Column("entity", WORD, primary_key=True, index=True),
)
relations = Table(
    "relations",
    metadata,
    Column("id", WORD, primary_key=True),
    Column("source", WORD, nullable=False, index=True),
    Column("target", WORD, nullable=False, index=True),
    Column("relation", _TEXT, nullable=False),
    Column("weight", Float, nullable=False),
)
relation_passages = Table(
    "relation_passages",
    metadata,
    Column("relation", WORD, primary_key=True),
    Column("passage", WORD, primary_key=True, index=True),
)
claims = Table(
    "claims",
    metadata,
    Column("id", WORD, primary_key=True),
    Column("subject", WORD, nullable=False, index=True),
    Column("object", WORD, nullable=False),
    Column("passage", WORD, nullable=False),
    Column("claim", _TEXT, nullable=False),
)
merges = Table(
    "merges",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("kept", _TEXT, nullable=False),
    Column("kept_id", WORD, nullable=False),
    Column("merged", _TEXT, nullable=False),
    Column("merged_id", WORD, nullable=False),
    Column("reason", WORD, nullable=False),
    Column("score", Float, nullable=False),
)
# The grounds on which names are merged, so that an update reads only those near a change.
merged_passages = Table(
    "merged_passages",
    metadata,
    Column("passage", WORD, primary_key=True),
    Column("document", WORD, nullable=False, index=True),
    Column("start", Integer, nullable=False),
    Column("facts", WORD, nullable=False),
)
said_names = Table(
    "said_names",
    metadata,
    Column("passage", WORD, primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("spelling", _TEXT, nullable=False),
    Column("slot", _TEXT, nullable=False, index=True),
    Column("own", WORD, nullable=False, index=True),
    Column("short", WORD, nullable=False),
    Column("name", WORD, nullable=False, index=True),
    Column("entity", WORD, nullable=False, index=True),
)
related_names = Table(
    "related_names",
    metadata,
    Column("name", WORD, primary_key=True),
    Column("other", WORD, primary_key=True),
    Column("passage", WORD, primary_key=True, index=True),
)
names = Table(
    "names",
    metadata,
    Column("id", WORD, primary_key=True),
    Column("spelling", _TEXT, nullable=False),
    Column("kinds", _TEXT, nullable=False),
)
name_forms = Table(
    "name_forms",
    metadata,
    Column("form", BigInteger, primary_key=True, autoincrement=False),
    Column("name", WORD, primary_key=True),
)
# Other names that texts explain; without a name those that would be, were they names.
explained_names = Table(
    "explained_names",
    metadata,
    Column("passage", WORD, primary_key=True),
    Column("alias", _TEXT, primary_key=True, index=True),
    Column("name", WORD, primary_key=True),
)
corrections = Table(
    "corrections",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("action", WORD, nullable=False),
    Column("a", _TEXT, nullable=False),
    Column("b", _TEXT, nullable=False),
)
communities = Table(
    "communities",
    metadata,
    Column("id", WORD, primary_key=True),
    Column("level", Integer, nullable=False, index=True),
    Column("parent", WORD, nullable=False, index=True),
    Column("size", Integer, nullable=False),
    Column("title", _TEXT),
    Column("summary", Packed),
    Column("rating", Float),
    Column("findings", Packed),
    Column("writer", WORD),
)
community_members = Table(
    "community_members",
    metadata,
    Column("community", WORD, primary_key=True),
    Column("entity", WORD, primary_key=True, index=True),
    sqlite_with_rowid=False,
)
# A hash of what a report was written from: while that is the same, so is the report.
report_sources = Table(
    "report_sources",
    metadata,
    Column("community", WORD, primary_key=True),
    Column("source", WORD, nullable=False),
)
# The tokens of all rows that a report may be written from, of parts of large communities.
report_tokens = Table(
    "report_tokens",
    metadata,
    Column("community", WORD, primary_key=True),
    Column("tokens", Integer, nullable=False),
)
# A hierarchy stands beside the one in use until there is a report on each of its communities.
communities_beside = communities.to_metadata(metadata, name="communities_beside")
community_members_beside = community_members.to_metadata(metadata, name="community_members_beside")
report_sources_beside = report_sources.to_metadata(metadata, name="report_sources_beside")
replies = Table(
    "replies",
    metadata,
    Column("key", WORD, primary_key=True),
    Column("prompt", WORD, nullable=False),
    Column("model", WORD, nullable=False),
    Column("value", _TEXT, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("words", WORD, nullable=False, server_default=""),
)

# The passages that a reply was made from. The row without a passage says that there are no others;
# where it is missing, the reply may hold any text of the index.
reply_passages = Table(
    "reply_passages",
    metadata,
    Column("key", WORD, primary_key=True),
    Column("passage", WORD, primary_key=True),
)

# The ids of vectors embedded in the folder, and those of the last changes; see ``recent_vectors``.
recent_vectors = Table(
    "recent_vectors",
    metadata,
    Column("collection", WORD, primary_key=True),
    Column("id", WORD, primary_key=True),
    Column("state", Integer, nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("vector", LargeBinary),
    Index("ix_recent_vectors_waiting", "collection", "id", sqlite_where=text("state > 0")),
)

# The files of a layer's arrays, of an index in a database; elsewhere they are files of its folder.
array_chunks = Table(
    "array_chunks",
    metadata,
    Column("arrays", WORD, primary_key=True),
    Column("file", WORD, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("data", LargeBinary, nullable=False),
)

# In SQLite the rows of pairs stand in their key, instead of a second time beside it.
for _table in (
    *(descriptions, aliases, entity_passages, mentions, relation_passages, reply_passages),
    *(name_forms, related_names, explained_names, reading_codes, recent_vectors),
):
    _table.dialect_options["sqlite"]["with_rowid"] = False
