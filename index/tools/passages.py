"""Tools that find passages and read them, by meaning, by exact words and by their places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Annotated

from pydantic import Field

from ...language.analyser import count_tokens, one_line
from ...state.errors import RagraphsError
from ...state.places import section_of
from ...state.records import Metadata, Passage
from ...stores.document_texts import DocumentTexts
from ..narrowing import narrowed
from ..opening import Index
from ..retrieval import search
from .tool import (
    MOST_TOKENS,
    Name,
    Text,
    Tokens,
    ToolPart,
    ToolResult,
    TopK,
    Where,
    Words,
    excerpt,
    fitted,
    known_passage,
    of_passage,
    reading_tool,
)

_COUNTED = 1000  # passages with a word or phrase
_MOST_PHRASES = 8
_FAR = 1 << 40
_NEAR = 20_000  # characters around a passage that its neighbours begin in
_LONGEST_VALUE = 100  # characters of metadata
_QUOTED = re.compile(r'["“„]([^"“”„]+)["”“]|(\S+)')
_CUT = "… marks what is left out of a long passage; read shows it."
_LETTER = r"[A-Za-z0-9À-ɏ]"  # of scripts that put no particle behind a word


@reading_tool("Search by meaning")
def search_meaning(
    index: Index,
    query: Annotated[Words, Field(description="Words or a question to search for.")],
    top_k: TopK = 5,
    where: Where = None,
    tokens: Tokens = MOST_TOKENS,
) -> ToolResult:
    """Finds the passages of the documents that are nearest in meaning to a query, best first.

    Each comes with its id and place; of a long one, the sentences nearest to the query are shown,
    and read shows the rest.
    """
    found = search(narrowed(index, where), query, "auto", top_k)
    return _shown(found, query, tokens)


@reading_tool("Search for exact words")
def search_words(
    index: Index,
    query: Annotated[
        Words, Field(description='Words to find as they are written; a phrase in "double quotes".')
    ],
    top_k: TopK = 5,
    where: Where = None,
    tokens: Tokens = MOST_TOKENS,
) -> ToolResult:
    """Finds the passages that hold exact words and phrases, and counts them.

    Those that hold most of them come first. Case and white space do not matter. Use it for names,
    numbers, codes and phrases, and to learn how often something is mentioned.
    """
    part = narrowed(index, where)
    phrases = list(dict.fromkeys(quoted or word for quoted, word in _QUOTED.findall(query)))
    said = [re.compile(_as_written(one), re.IGNORECASE) for one in phrases[:_MOST_PHRASES]]
    counts, held = list[int](), dict[str, Passage]()
    for phrase, pattern in zip(phrases, said, strict=False):
        holding = (one for one in part.catalogue.holding(phrase) if _times(pattern, one))
        found = list(islice(holding, _COUNTED))
        counts.append(len(found))
        held |= {one["id"]: one for one in found}
    times = {id: [_times(one, passage) for one in said] for id, passage in held.items()}
    best = sorted(held, key=lambda id: (-sum(map(bool, times[id])), -sum(times[id])))
    told = [f"“{one}” {_at_least(count)}" for one, count in zip(phrases, counts, strict=False)]
    if len(told) > 1:
        told.append(f"all of them {_at_least(sum(all(one) for one in times.values()))}")
    left = f"Passages that hold: {', '.join(told)}."
    return _shown([held[id] for id in best[:top_k]], query, tokens, left, len(best) - top_k)


@reading_tool("Read a passage or document")
def read(
    index: Index,
    passage: Annotated[Name, Field(description="Id of a passage that another tool gave.")] = "",
    document: Annotated[Name, Field(description="Or the id of a document.")] = "",
    section: Annotated[Name, Field(description="A heading of that document to begin at.")] = "",
    start: Annotated[
        int, Field(ge=0, le=_FAR, description="First character of that document to read.")
    ] = 0,
    end: Annotated[
        int | None, Field(ge=1, le=_FAR, description="Its last character; empty: as fits.")
    ] = None,
    neighbours: Annotated[
        int, Field(ge=0, le=10, description="Passages to read before and after the passage.")
    ] = 1,
    where: Where = None,
    tokens: Tokens = MOST_TOKENS,
) -> ToolResult:
    """Reads a passage with its neighbours, a section of a document, or a range of its characters.

    Says what stands before and after it unread.
    """
    part = narrowed(index, where)
    if passage:
        return _read(part, _around(part, known_passage(part, passage), neighbours, tokens), tokens)
    if not document:
        raise RagraphsError("Name a passage, or a document; the search tools give their ids.")
    if section:
        found = _section(_between(part, document, 0, _FAR), section)
    else:
        found = _between(part, document, start, _FAR if end is None else end)
    if not found:
        raise RagraphsError(
            f"The document {document!r:.80} has no such place, or does not exist; list_documents "
            "has the documents, and read without a section begins at their beginning."
        )
    return _read(part, found, tokens)


@reading_tool("List the documents")
def list_documents(
    index: Index,
    query: Annotated[Text, Field(max_length=1000, description="Words of their titles.")] = "",
    top_k: TopK = 20,
    skip: Annotated[int, Field(ge=0, le=_FAR, description="Documents to leave out first.")] = 0,
    where: Where = None,
    tokens: Tokens = MOST_TOKENS,
) -> ToolResult:
    """Lists documents with their ids, titles, sizes and metadata, which filters can name."""
    words = query.casefold().split()
    rows = index.catalogue.documents()
    if where or index.whole is not None:
        allowed = narrowed(index, where).catalogue.document_dates().keys()
        rows = [row for row in rows if row["id"] in allowed]
    found = [
        row
        for row in rows
        if all(word in f"{row['title']} {row['id']}".casefold() for word in words)
    ]
    shown = found[skip : skip + top_k]
    lengths = DocumentTexts(index.engine).lengths(row["id"] for row in shown)
    parts: list[ToolPart] = [
        {
            "id": row["id"],
            "kind": "document",
            "place": row["title"],
            "text": ", ".join(
                [f"{lengths.get(row['id'], 0):,} characters", *_told(row["metadata"])]
            ),
        }
        for row in shown
    ]
    made = fitted(parts, tokens)
    last = skip + len(made["parts"])
    goes_on = f" skip={last} goes on." if last < len(found) else ""
    return {**made, "left": f"Documents in all: {len(found)}.{goes_on}"}


def _shown(
    found: Sequence[Passage], query: str, tokens: int, left: str = "", others: int = 0
) -> ToolResult:
    share = tokens // max(len(found), 1) - 50  # without its id and place
    parts = [of_passage(one, excerpt(one["text"], query, max(share, 40))) for one in found]
    told = [
        left,
        f"More: {others}; a higher top_k shows them." if others > 0 else "",
        _CUT if any("…" in part["text"] for part in parts) else "",
    ]
    return fitted(parts, tokens, " ".join(filter(None, told)))


def _as_written(words: str) -> str:
    """A pattern of ``words`` in a row, which begin and end where words of their script do."""
    parts = words.split()
    before = rf"(?<!{_LETTER})" if re.match(_LETTER, parts[0]) else ""
    after = rf"(?!{_LETTER})" if re.match(_LETTER, parts[-1][-1]) else ""
    return before + r"\s+".join(map(re.escape, parts)) + after


def _times(pattern: re.Pattern[str], passage: Passage) -> int:
    return len(pattern.findall(passage["text"])) or len(pattern.findall(passage["title"]))


def _at_least(count: int) -> str:
    return f"{count}" if count < _COUNTED else f"{_COUNTED} or more"


def _between(index: Index, document: str, start: int, end: int) -> list[Passage]:
    """The passages of ``document`` from the character ``start`` on, cut at the ends."""
    pieces = DocumentTexts(index.engine).between(document, start, end)
    found = index.catalogue.passages([piece.passage for piece in pieces])
    return [_clipped(one, max(start, one["start"]), min(end, one["end"])) for one in found]


def _clipped(passage: Passage, start: int, end: int) -> Passage:
    text = passage["text"][start - passage["start"] : end - passage["start"]]
    return {**passage, "start": start, "end": end, "text": text}


def _around(index: Index, own: Passage, neighbours: int, tokens: int) -> list[Passage]:
    """``own`` between its neighbours, without those before it that leave no room for the rest."""
    texts = _between(index, own["document"], max(own["start"] - _NEAR, 0), own["end"] + _NEAR)
    at = next((place for place, one in enumerate(texts) if one["id"] == own["id"]), 0)
    before, after = texts[max(at - neighbours, 0) : at], texts[at + 1 : at + 1 + neighbours]
    room = (tokens - count_tokens(own["text"])) // 2 - 100
    while before and sum(count_tokens(one["text"]) for one in before) > room:
        before = before[1:]
    return [*before, own, *after]


def _section(texts: Sequence[Passage], heading: str) -> list[Passage]:
    """The passages under the first heading that has the words of ``heading``, one level or more."""
    wanted = heading.casefold()
    sections = [(section_of("", one["metadata"]), one) for one in texts]
    first = next((told for told, _ in sections if wanted in told.casefold()), None)
    return [one for told, one in sections if first and told.startswith(first)]


def _read(index: Index, texts: Sequence[Passage], tokens: int) -> ToolResult:
    made = fitted(map(of_passage, texts), tokens)
    if not made["parts"]:
        return made
    shown = texts[: len(made["parts"])]
    document, first, last = shown[0]["document"], shown[0]["start"], shown[-1]
    whole = len(made["parts"][-1]["text"]) == len(last["text"])
    until = last["end"] if whole else last["start"] + len(made["parts"][-1]["text"]) - 1
    length = DocumentTexts(index.engine).lengths([document]).get(document, 0)
    unread = [f"before character {first}"] if first else []
    if until < length:
        unread.append(f"from character {until} to {length} (start={until} goes on)")
    left = (
        f"Unread of {document}: {', '.join(unread)}." if unread else f"That is all of {document}."
    )
    return {**made, "left": left}


def _told(metadata: Metadata) -> list[str]:
    """The metadata of a document that a filter can name, in short."""
    return [
        f"{key}: {one_line(str(value))[:_LONGEST_VALUE]}"
        for key, value in metadata.items()
        if key not in ("path", "section")
    ]
