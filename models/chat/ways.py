"""Ways to ask a server for a reply, from the one that says most to the plainest."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import BaseMessage

from ...prompts.replies import PromptReply
from ..failures import is_filtered
from ..meter import AnswerListener
from .pointing import pointing_at
from .request import ChatRequest, Mode, ReplyLimit
from .streamed import ANSWER_KEY, BrokenStreamError, NothingStreamedError
from .structured import most_tokens, reply_schema

_DECLINED_SECONDS = 3600
_OVERFLOW = re.compile(r"context.{0,20}(length|window|size)|too long|too many tokens", re.I)
_LIMITS = ("max_tokens", "max_completion_tokens")
_ABOUT_LIMITS = re.compile(r"max_(completion_)?tokens|in the completion", re.I)
_TOO_LARGE = re.compile(r"too large|context.{0,20}length", re.I)
_SMALLEST_REPLY, _LARGEST_REPLY = 256, 4096
_THOUGHTS = 12_000  # with any reply less than 16,384, beyond which many models decline it


class _SentForm(NamedTuple):
    """A mode of structured output, and whether texts and lists have bounds in the schema."""

    mode: Mode
    bounded: bool


FORMS = (
    _SentForm("json_schema", True),
    _SentForm("json_schema", False),
    _SentForm("function_calling", False),
    _SentForm("plain", False),
)


@dataclass(frozen=True)
class AskedWay:
    """One way: a place in ``FORMS``, the names of a limit that are left to try, and the rest.

    It ``may_stream`` until a stream was tried in the same form: one that was declined makes it
    ``unstreamed``, one may also have broken off.
    """

    form: int
    limits: tuple[str, ...]
    temperature: float | None
    listener: AnswerListener | None
    unstreamed: bool = False
    may_stream: bool = True


class Ways:
    """Ways that the server of a model takes: forms and streams by a reply's type, for an hour.

    A model on a server of one's ``own`` may write no more than its reply needs; one that is hosted
    may think before it does, as may any that was cut off while it was thinking.
    """

    def __init__(self, temperature: float | None, *, own: bool) -> None:
        self._temperature = temperature
        self._limits: tuple[str, ...] = _LIMITS if own else _LIMITS[::-1]
        self._thoughts = 0 if own else _THOUGHTS
        self._room = _LARGEST_REPLY
        self._forms: dict[str, tuple[int, float]] = {}
        self._unstreamed: dict[tuple[str, int], float] = {}

    def first(self, reply: type[PromptReply], listener: AnswerListener | None) -> AskedWay:
        """The first way that was not declined; it has no listener where no answer is streamed."""
        form, since = self._forms.get(reply.__name__, (0, 0.0))
        form = form if time.monotonic() - since < _DECLINED_SECONDS else 0
        tried = self._unstreamed.get((reply.__name__, form))
        streams = tried is None or time.monotonic() - tried >= _DECLINED_SECONDS
        hears = listener if streams and ANSWER_KEY in reply.model_fields else None
        return AskedWay(form, self._limits, self._temperature, hears)

    def request(
        self,
        way: AskedWay,
        messages: Sequence[BaseMessage],
        reply: type[PromptReply],
        numbers: Sequence[str] = (),
    ) -> ChatRequest:
        """The request for ``reply`` in this way, which may point at the sentences ``numbers``."""
        mode, bounded = FORMS[way.form]
        schema = reply_schema(reply, bounded=bounded)
        if bounded:
            schema = pointing_at(numbers, schema)
        limit = ReplyLimit(way.limits[0], self._most_tokens(reply)) if way.limits else None
        return ChatRequest(
            messages,
            schema,
            mode,
            way.temperature,
            way.listener,
            limit,
            way.may_stream,
            reply.is_weighed,
        )

    def after(self, way: AskedWay, error: Exception) -> AskedWay | None:
        """The way to try after ``error``; None where no other may succeed."""
        refused, said = _is_bad_request(error), str(error)
        if refused and way.limits and _ABOUT_LIMITS.search(said):
            return self._otherwise_limited(way, said)
        if refused and way.temperature is not None and "temperature" in said:
            self._temperature = None
            return replace(way, temperature=None)
        unstreamed = isinstance(error, BrokenStreamError | NothingStreamedError)
        if way.listener is not None and (unstreamed or _may_reject_form(error)):
            declined = not isinstance(error, BrokenStreamError)
            return replace(way, listener=None, unstreamed=declined, may_stream=False)
        if _may_reject_form(error) and way.form + 1 < len(FORMS):
            return replace(way, form=way.form + 1, unstreamed=False, may_stream=True)
        return None

    def note(self, reply: type[PromptReply], way: AskedWay) -> None:
        """Notes the way that succeeded."""
        name = reply.__name__
        if way.form > self.first(reply, None).form:
            self._forms[name] = way.form, time.monotonic()
        if way.unstreamed:
            self._unstreamed[name, way.form] = time.monotonic()

    def let_think(self) -> None:
        """Leaves room for thoughts from now on."""
        self._thoughts += _THOUGHTS

    def fit(self, room: int) -> None:
        """Keeps replies within the ``room`` that the context window leaves them."""
        self._room = min(self._room, room)

    def _most_tokens(self, reply: type[PromptReply]) -> int:
        most = max(_SMALLEST_REPLY, most_tokens(reply_schema(reply, bounded=True)))
        return min(most, reply.most_tokens, self._room) + self._thoughts

    def _otherwise_limited(self, way: AskedWay, said: str) -> AskedWay:
        """The limit by its other name; if it is too large, a lower one from the next request on."""
        if _TOO_LARGE.search(said):
            self._thoughts, self._room = 0, max(_SMALLEST_REPLY, self._room // 2)
            return replace(way, limits=())
        self._limits = tuple(name for name in self._limits if name != way.limits[0])
        return replace(way, limits=way.limits[1:])


def _may_reject_form(error: Exception) -> bool:
    """Whether another form of structured output may succeed: servers seldom say why they refuse."""
    if isinstance(error, ContextOverflowError) or _OVERFLOW.search(str(error)):
        return False
    return _is_bad_request(error) and not is_filtered(error)


def _is_bad_request(error: Exception) -> bool:
    return getattr(error, "status_code", None) in {400, 422, 501} or isinstance(
        error, NotImplementedError
    )
