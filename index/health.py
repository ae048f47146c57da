"""Whether the stores of an index answer, for load balancers."""

from __future__ import annotations

from ..state.errors import UnavailableError
from ..stores.queries import patience
from .opening import VECTORS_WRITTEN, Index


def check(index: Index) -> None:
    """Looks into the database and the vectors of ``index``, and waits for neither. Blocks.

    Raises UnavailableError where one does not answer, or the vectors of its passages are lost.
    """
    before = patience.set(0.0)
    try:
        were_written = index.catalogue.property(VECTORS_WRITTEN) is not None
        held = were_written and index.catalogue.count_passages()
        if held and index.vectors.lacks("passages"):
            raise UnavailableError(
                f"The index at {index.name} has lost its vectors; put back a copy of them, or make "
                f"them anew with: ragraphs index --repair --index {index.name}"
            )
    finally:
        patience.reset(before)
