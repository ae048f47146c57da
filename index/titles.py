"""Giving other titles to documents whose title turns out to be that of many."""

from __future__ import annotations

from ..state.records import Passage
from ..stores.catalogue import DocumentRow
from ..stores.pieces import NewDocument, Piece
from .opening import Index


def renew_titles(index: Index) -> None:
    """Stores the documents anew, without reading them, that are to be called otherwise. Blocks.

    The title of a document depends on all documents of the index, and not on their order.
    """
    for id, title in list(index.catalogue.titles.outdated()):
        document = index.catalogue.document(id)
        if document is not None:
            index.catalogue.write_documents([_renamed(index, document, title)])


def _renamed(index: Index, document: DocumentRow, title: str) -> NewDocument:
    id = document["id"]
    passages = index.catalogue.passages_of([id]).get(id, [])
    pieces = [_piece(passage, document["title"]) for passage in passages]
    return NewDocument(
        id, document["path"], title, document["content"], pieces, document["metadata"]
    )


def _piece(passage: Passage, title: str) -> Piece:
    header = passage["title"].removeprefix(title).removeprefix(" (").removesuffix(")")
    return Piece(
        passage["start"],
        passage["end"],
        passage["text"],
        header,
        passage["metadata"],
        passage.get("turns", ()),
    )
