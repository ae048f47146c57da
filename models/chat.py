"""A language model over any LangChain chat model.

Behind this seam, and nowhere else: structured output with its fallbacks, repair and one re-ask,
the reply table, the limit on concurrent requests, and the counting of usage. Retries of transport
errors are the client's own.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, cast
from weakref import WeakValueDictionary

from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import (
    Runnable,
    RunnableBinding,
    RunnableConfig,
    RunnableParallel,
    RunnableSequence,
)

from ..algorithms.text import count_tokens
from ..prompts.prompt import Excerpt, Prompt
from ..prompts.replies import PromptReply
from ..state.records import StoredReply
from .failures import explain, secrets_of
from .language import NoReplyError, ReplyTable
from .meter import AnswerListener, Meter, current_meter
from .streamed import ANSWER_KEY, BrokenStreamError, NothingStreamedError, streamed
from .structured import MalformedReplyError, read_reply, reply_schema

R = TypeVar("R", bound=PromptReply)

Mode = Literal["json_schema", "function_calling", "plain"]
_MODES: tuple[Mode, ...] = ("json_schema", "function_calling", "plain")
_LONGEST_ECHO = 4000
_OVERFLOW = re.compile(r"context.{0,20}(length|window|size)|too long|too many tokens", re.I)
# What replies are made of is JSON, which is not for those who follow a run's messages.
_UNSEEN: RunnableConfig = {"tags": ["nostream"]}
_CUT_OFF = "The reply was cut off because it was too long; be brief."


@dataclass(frozen=True)
class _Raw:
    """The text of one reply, whether the model refused or ran out of room, and its tokens."""

    text: str
    refusal: str | None
    cut_off: bool
    input_tokens: int
    output_tokens: int


class ChatLanguageModel:
    """Answers prompts with a chat model and keeps every good reply in ``replies``.

    ``settings_key`` is what besides the prompt decides a reply (temperature and so on), ``strict``
    asks the server to hold replies to their schema. One instance belongs to one event loop, and
    sends at most ``concurrency`` requests at a time.
    """

    def __init__(
        self,
        name: str,
        chat: BaseChatModel,
        replies: ReplyTable | None = None,
        *,
        settings_key: str = "",
        concurrency: int = 16,
        prompts: Path | None = None,
        strict: bool = False,
    ) -> None:
        self.name = name
        self._chat = chat.model_copy(update={"disable_streaming": True})
        self._disabled = chat.disable_streaming
        self._streams = self._disabled is not True
        self._replies = replies
        self._settings_key = settings_key
        self._prompts = prompts
        self._options = {"strict": True} if strict else {}
        self._mode = 0
        self._runnables: dict[tuple[int, str, Mode, bool], Runnable[Any, Any]] = {}
        self._slots = asyncio.Semaphore(concurrency)
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> R:
        """The reply to ``prompt``, from the table if it was ever given. Raises NoReplyError."""
        system, human = await asyncio.to_thread(prompt.render, inputs, self._prompts)
        schema = reply_schema(prompt.reply)
        key = self._key(prompt.name, system, human, schema)
        lock = self._asking.setdefault(key, asyncio.Lock())
        async with lock:  # the same question asked twice at once is paid for once
            return await self._answer(prompt, key, schema, system, human)

    def key(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> str:
        """The key under which the reply to ``prompt`` is, or would be, stored. Blocks."""
        system, human = prompt.render(inputs, self._prompts)
        return self._key(prompt.name, system, human, reply_schema(prompt.reply))

    def missing_tokens(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> int:
        """The tokens that a request for this reply would send; 0 where it is stored. Blocks."""
        system, human = prompt.render(inputs, self._prompts)
        key = self._key(prompt.name, system, human, reply_schema(prompt.reply))
        if self._replies is not None and self._replies.get(key) is not None:
            return 0
        return count_tokens(system) + count_tokens(human)

    def _key(self, *asked: Any) -> str:
        parts = [*asked, self.name, self._settings_key]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    async def _answer(
        self, prompt: Prompt[R], key: str, schema: dict[str, Any], system: str, human: str
    ) -> R:
        meter = current_meter()
        if (stored := await self._stored(key)) is not None:
            meter.count(self.name, reused=1)
            return prompt.reply.model_validate_json(stored["value"])
        value, raw = await self._ask(prompt, schema, system, human, meter)
        if self._replies is not None:
            reply: StoredReply = {
                "value": value.model_dump_json(),
                "input_tokens": raw.input_tokens,
                "output_tokens": raw.output_tokens,
            }
            await asyncio.to_thread(self._replies.put, key, prompt.name, self.name, reply)
        return value

    async def _stored(self, key: str) -> StoredReply | None:
        if self._replies is None:
            return None
        return await asyncio.to_thread(self._replies.get, key)

    async def _ask(
        self, prompt: Prompt[R], schema: dict[str, Any], system: str, human: str, meter: Meter
    ) -> tuple[R, _Raw]:
        """The reply, asked for once more where the first is malformed or was cut off."""
        messages: list[BaseMessage] = [SystemMessage(system), HumanMessage(human)]
        problem = ""
        for last in (False, True):
            raw = await self._request(messages, schema, meter)
            if raw.refusal is not None:
                raise NoReplyError("refused", f"The model refused to reply ({raw.refusal[:200]}).")
            problem = _CUT_OFF if raw.cut_off else ""
            try:
                value, left_out = read_reply(raw.text, prompt.reply)
            except MalformedReplyError as error:
                problem = f"{error} {problem}".strip()
            else:
                if last or not raw.cut_off:
                    _warn(meter, prompt.name, left_out, raw.cut_off)
                    return value, raw
            messages = [
                *messages[:2],
                AIMessage(raw.text[:_LONGEST_ECHO] or "(empty)"),
                HumanMessage(f"{problem} Reply again with the JSON object only."),
            ]
        raise NoReplyError("malformed", f"The model's {prompt.name} reply was no use: {problem}")

    async def _request(
        self, messages: list[BaseMessage], schema: dict[str, Any], meter: Meter
    ) -> _Raw:
        """One reply, by the first mode of structured output that the server accepts.

        It is streamed where someone listens to answers, as long as the server can do so.
        """
        mode = self._mode
        listener = meter.listener if self._streams and ANSWER_KEY in schema["properties"] else None
        unstreamed: int | None = None
        while True:
            if not meter.take_call():
                raise NoReplyError("budget", "The limit on requests to the model was reached.")
            chat = self._chat
            try:
                async with self._slots:
                    message = await self._invoke(chat, messages, schema, _MODES[mode], listener)
            except Exception as error:
                meter.count(self.name, calls=1)
                if listener is not None and _may_lack_streaming(error):
                    listener = None
                    unstreamed = None if isinstance(error, BrokenStreamError) else mode
                elif _rejects_temperature(error, chat):
                    self._chat = chat.model_copy(update={"temperature": None})
                elif _may_reject_mode(error) and mode + 1 < len(_MODES):
                    mode += 1
                else:
                    raise self._no_reply(error) from error
                continue
            self._mode = max(self._mode, mode)
            self._streams = self._streams and unstreamed != mode
            raw = _read_message(message, messages)
            meter.count(self.name, calls=1, sent=raw.input_tokens, received=raw.output_tokens)
            return raw

    async def _invoke(
        self,
        chat: BaseChatModel,
        messages: list[BaseMessage],
        schema: dict[str, Any],
        mode: Mode,
        listener: AnswerListener | None,
    ) -> AIMessage:
        asked = self._asked(chat, schema, mode, listener is not None)
        if listener is not None and isinstance(asked, BaseChatModel | RunnableBinding):
            return await streamed(asked, messages, _UNSEEN, listener)
        try:
            result = await asked.ainvoke(messages, _UNSEEN)
        except Exception as error:
            if (partial := _partial_message(error)) is None:
                raise
            return partial
        return cast(AIMessage, result["raw"] if isinstance(result, dict) else result)

    def _asked(
        self, chat: BaseChatModel, schema: dict[str, Any], mode: Mode, streams: bool
    ) -> Runnable[Any, Any]:
        """The chat model in a mode of structured output, kept for the next time."""
        key = (id(chat), schema["title"], mode, streams)
        if key not in self._runnables:
            if streams:
                chat = chat.model_copy(update={"disable_streaming": self._disabled})
            if mode == "plain":
                return self._runnables.setdefault(key, chat)
            try:
                self._runnables[key] = _without_parser(
                    chat.with_structured_output(
                        schema, method=mode, include_raw=True, **self._options
                    )
                )
            except (TypeError, ValueError) as error:
                raise NotImplementedError(f"{type(chat).__name__} has no {mode}") from error
        return self._runnables[key]

    def _no_reply(self, error: Exception) -> NoReplyError:
        reason = explain(error, secrets_of(self._chat))
        if _is_filtered(error):
            return NoReplyError("refused", f"The model refused to reply ({reason}).")
        return NoReplyError("unreachable", f"The model {self.name} did not reply ({reason}).")


def _without_parser(structured: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """What gives the raw message alone, where it can be told: replies are read here anyway.

    openai's client checks a format against its types key by key, and parses what is read here
    again; in ``extra_body`` it is sent as it is.
    """
    first = structured.first if isinstance(structured, RunnableSequence) else None
    raw = first.steps__["raw"] if isinstance(first, RunnableParallel) else structured
    if isinstance(raw, RunnableBinding) and "response_format" in raw.kwargs:
        return raw.bound.bind(extra_body={"response_format": raw.kwargs["response_format"]})
    return raw


def _partial_message(error: Exception) -> AIMessage | None:
    """The reply that openai's client raised an error for, because it stopped at the limit."""
    completion = getattr(error, "completion", None)
    if completion is None or not completion.choices or _is_filtered(error):
        return None
    choice, usage = completion.choices[0], completion.usage
    return AIMessage(
        choice.message.content or "",
        response_metadata={"finish_reason": choice.finish_reason},
        usage_metadata=usage
        and {
            "input_tokens": usage.prompt_tokens or 0,
            "output_tokens": usage.completion_tokens or 0,
            "total_tokens": usage.total_tokens or 0,
        },
    )


def _warn(meter: Meter, prompt: str, left_out: int, cut_off: bool) -> None:
    if left_out:
        meter.warn(f"{left_out} malformed items of a {prompt} reply were left out.")
    if cut_off:
        meter.warn(f"A {prompt} reply was cut off at the model's limit.")


def _rejects_temperature(error: Exception, chat: BaseChatModel) -> bool:
    return (
        _is_bad_request(error)
        and "temperature" in str(error)
        and getattr(chat, "temperature", None) is not None
    )


def _may_reject_mode(error: Exception) -> bool:
    """Whether another mode of structured output may fare better: servers seldom say why."""
    if isinstance(error, ContextOverflowError) or _OVERFLOW.search(str(error)):
        return False
    return _is_bad_request(error) and not _is_filtered(error)


def _may_lack_streaming(error: Exception) -> bool:
    """Whether the same request may fare better when it is not streamed."""
    return isinstance(error, BrokenStreamError | NothingStreamedError) or _may_reject_mode(error)


def _is_bad_request(error: Exception) -> bool:
    return getattr(error, "status_code", None) in {400, 422, 501} or isinstance(
        error, NotImplementedError
    )


def _is_filtered(error: Exception) -> bool:
    return (
        getattr(error, "code", None) == "content_filter" or "content filter" in str(error).lower()
    )


def _read_message(message: AIMessage, sent: Sequence[BaseMessage]) -> _Raw:
    text: str = message.text
    if message.tool_calls:
        text = json.dumps(message.tool_calls[0]["args"])
    elif message.invalid_tool_calls:
        text = message.invalid_tool_calls[0]["args"] or ""
    # Pieces of a stream may end between the halves of a surrogate pair; half a one cannot be sent.
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    finish = message.response_metadata.get("finish_reason")
    refusal = message.additional_kwargs.get("refusal")
    usage = message.usage_metadata or {"input_tokens": 0, "output_tokens": 0}
    return _Raw(
        text=text,
        refusal=refusal or ("content filter" if finish == "content_filter" else None),
        cut_off=finish in {"length", "max_tokens", "MAX_TOKENS"},
        input_tokens=usage["input_tokens"] or sum(count_tokens(part.text) for part in sent),
        output_tokens=usage["output_tokens"] or count_tokens(text),
    )
