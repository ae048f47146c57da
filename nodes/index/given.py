"""The input of the index graph: its form, and how much of it a run may take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired

from pydantic import InstanceOf, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from ...models.meter import current_meter
from ...settings import Settings
from ...state.errors import RagraphsError
from ...state.records import Document, Metadata
from ...stores.loading.types import LONGEST_ID, Limits
from ...stores.metadata import checked_metadata, size_of, storable

_Text = InstanceOf[str]
_Texts = list[_Text] | None
_A_LIST = "a list of texts, even of one"
_FORMS = {
    "sources": _A_LIST,
    "documents": "a list, even of one, of {'id': text, 'text': text}, with a 'title' or without, "
    "and with 'metadata' or without",
    "remove": _A_LIST,
    "triples": _A_LIST,
    "wait": "true or false",
}


class _Document(TypedDict):
    id: NotRequired[_Text | None]
    text: NotRequired[_Text | None]
    title: NotRequired[_Text | None]
    metadata: NotRequired[dict[Any, Any] | None]


class _Given(TypedDict, total=False):
    sources: _Texts
    documents: list[_Document] | None
    remove: _Texts
    triples: _Texts
    wait: InstanceOf[bool] | None


_FORM = TypeAdapter(_Given)


def check_given(given: Mapping[str, Any]) -> None:
    """Raises RagraphsError for input that does not have the form that ``IndexInput`` says.

    Keys of documents that nobody uses are told in a warning.
    """
    try:
        _FORM.validate_python({key: given[key] for key in _FORMS if key in given})
    except ValidationError as error:
        key, *inner = error.errors()[0]["loc"]
        place = str(key) + "".join(f"[{part!r}]" for part in inner)
        raise RagraphsError(f"{key!r} must be {_FORMS[str(key)]}, which {place} is not.") from error
    ids: set[str] = set()
    unused: set[str] = set()
    for document in given.get("documents") or []:
        id, text = document.get("id"), document.get("text")
        if not id or not id.strip() or storable(id) != id:
            raise RagraphsError("A document has no id; give each one an 'id' and a 'text'.")
        if len(id) > LONGEST_ID:
            raise RagraphsError(
                f"A document has an id of over {LONGEST_ID:,} characters; shorten it."
            )
        if not text or not text.strip():
            raise RagraphsError(f"The document {id!r} has no text; give it a 'text'.")
        if id in ids:
            raise RagraphsError(f"Two documents have the id {id!r}; give each its own.")
        given_metadata(document)
        ids.add(id)
        unused.update(map(str, document.keys() - _Document.__annotations__.keys()))
    if unused:
        names = ", ".join(repr(name[:50]) for name in sorted(unused)[:5])
        current_meter().warn(
            f"Of documents 'id', 'title', 'text' and 'metadata' are used, but not: {names}."
        )


def given_metadata(document: Document) -> Metadata:
    """The metadata that the caller gave ``document``. Raises RagraphsError for what does not fit.

    >>> given_metadata({"id": "a", "text": "One.", "metadata": {"year": 1843}})
    {'year': 1843}
    """
    return checked_metadata(document.get("metadata") or {}, f"the document {document['id']!r}")


def check_size(documents: Sequence[Document], files: Iterable[Path], by: Settings) -> int:
    """The bytes of the documents and files of a run.

    Blocks. Raises RagraphsError where they are more than the operator allows, or one of the
    documents is longer.
    """
    most = Limits.by(by).plain_characters
    for one in documents:
        if len(one["text"]) > most:
            raise RagraphsError(
                f"The document {one['id']!r} has more than {most:,} characters of text; split it, "
                "or have the operator raise RAGRAPHS_MAX_CHARACTERS."
            )
    sizes = [
        sum(len(storable(text).encode()) for text in (one["text"], one.get("title") or ""))
        + (size_of(given_metadata(one)) if one.get("metadata") else 0)
        for one in documents
    ]
    sizes += [file.stat().st_size for file in files if file.exists()]
    require(len(sizes), "documents", by.bound("max_documents"))
    require(sum(sizes), "bytes", by.bound("max_bytes"))
    return sum(sizes)


def require(count: int, of: str, most: int | None) -> None:
    """Raises RagraphsError where a run would take more than ``most`` documents, bytes, ..."""
    if most is not None and count > most:
        raise RagraphsError(
            f"A run takes at most {most:,} {of} here, and this would be {count:,} or more; give "
            f"less at a time, or have the operator raise RAGRAPHS_MAX_{of.upper()}."
        )
