"""What a server declined: modes of structured output, streams, and how its errors tell it."""

from __future__ import annotations

import re
import time

from langchain_core.exceptions import ContextOverflowError

from ..failures import is_filtered
from .streamed import BrokenStreamError, NothingStreamedError

_DECLINED_SECONDS = 3600
_OVERFLOW = re.compile(r"context.{0,20}(length|window|size)|too long|too many tokens", re.I)


class Declined:
    """Modes and streams that a server declined, by a schema's title; forgotten after an hour."""

    def __init__(self) -> None:
        self._modes: dict[str, tuple[int, float]] = {}
        self._unstreamed: dict[tuple[str, int], float] = {}

    def mode_for(self, title: str) -> int:
        """The place in ``MODES`` of the first mode that was not declined."""
        mode, since = self._modes.get(title, (0, 0.0))
        return mode if time.monotonic() - since < _DECLINED_SECONDS else 0

    def streams(self, title: str, mode: int) -> bool:
        """Whether a stream may be asked for."""
        since = self._unstreamed.get((title, mode))
        return since is None or time.monotonic() - since >= _DECLINED_SECONDS

    def note(self, title: str, mode: int, unstreamed: bool) -> None:
        """Notes the mode that succeeded, and whether it did only when not streamed."""
        if mode > self.mode_for(title):
            self._modes[title] = mode, time.monotonic()
        if unstreamed:
            self._unstreamed[title, mode] = time.monotonic()


def may_reject_mode(error: Exception) -> bool:
    """Whether another mode of structured output may succeed: servers seldom say why they refuse."""
    if isinstance(error, ContextOverflowError) or _OVERFLOW.search(str(error)):
        return False
    return is_bad_request(error) and not is_filtered(error)


def may_lack_streaming(error: Exception) -> bool:
    """Whether the same request may succeed when it is not streamed."""
    return isinstance(error, BrokenStreamError | NothingStreamedError) or may_reject_mode(error)


def is_bad_request(error: Exception) -> bool:
    """Whether the server did not understand the request."""
    return getattr(error, "status_code", None) in {400, 422, 501} or isinstance(
        error, NotImplementedError
    )
