"""A language model over any LangChain chat model.

Behind this seam, and nowhere else: structured output with its fallbacks, repair and one re-ask,
the reply table, the limit on concurrent requests, and the counting of usage. Retries of transport
errors are the client's own.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from ..algorithms.text import count_tokens
from ..prompts.prompt import Excerpt, Prompt
from ..prompts.replies import PromptReply
from ..state.records import StoredReply
from .language import NoReplyError, ReplyTable
from .meter import Meter, current_meter
from .structured import MalformedReplyError, read_reply, reply_schema

R = TypeVar("R", bound=PromptReply)

Mode = Literal["json_schema", "function_calling", "plain"]
_MODES: tuple[Mode, ...] = ("json_schema", "function_calling", "plain")


@dataclass(frozen=True)
class _Raw:
    """The text of one reply, whether the model refused, and the tokens it took."""

    text: str
    refusal: str | None
    input_tokens: int
    output_tokens: int


class ChatLanguageModel:
    """Answers prompts with a chat model and keeps every good reply in ``replies``.

    ``settings_key`` is what besides the prompt decides a reply (temperature and so on). One
    instance belongs to one event loop, and sends at most ``concurrency`` requests at a time.
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
    ) -> None:
        self.name = name
        self._chat = chat
        self._replies = replies
        self._settings_key = settings_key
        self._prompts = prompts
        self._mode = 0
        self._slots = asyncio.Semaphore(concurrency)
        self._asking: dict[str, asyncio.Lock] = {}

    async def run(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> R:
        """The reply to ``prompt``, from the table if it was ever given. Raises NoReplyError."""
        system, human = prompt.render(inputs, self._prompts)
        schema = reply_schema(prompt.reply)
        key = _digest(prompt.name, system, human, schema, self.name, self._settings_key)
        lock = self._asking.setdefault(key, asyncio.Lock())
        try:
            async with lock:  # the same question asked twice at once is paid for once
                return await self._answer(prompt, key, schema, system, human)
        finally:
            if not lock.locked():
                self._asking.pop(key, None)

    def key(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> str:
        """The key under which the reply to ``prompt`` is, or would be, stored."""
        system, human = prompt.render(inputs, self._prompts)
        schema = reply_schema(prompt.reply)
        return _digest(prompt.name, system, human, schema, self.name, self._settings_key)

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
        messages: list[BaseMessage] = [SystemMessage(system), HumanMessage(human)]
        problem = ""
        for _ in range(2):
            raw = await self._request(messages, schema, meter)
            if raw.refusal is not None:
                raise NoReplyError("refused", f"The model refused to reply ({raw.refusal[:200]}).")
            try:
                value, left_out = read_reply(raw.text, prompt.reply)
            except MalformedReplyError as error:
                problem = str(error)
                messages = [
                    *messages[:2],
                    AIMessage(raw.text or "(empty)"),
                    HumanMessage(f"{problem} Reply again with the JSON object only."),
                ]
                continue
            if left_out:
                meter.warn(f"{left_out} malformed items of a {prompt.name} reply were left out.")
            return value, raw
        raise NoReplyError("malformed", f"The model's {prompt.name} reply was no use: {problem}")

    async def _request(
        self, messages: list[BaseMessage], schema: dict[str, Any], meter: Meter
    ) -> _Raw:
        """One reply, by the first mode of structured output that the server accepts."""
        mode = self._mode
        while True:
            if not meter.take_call():
                raise NoReplyError("budget", "The limit on requests to the model was reached.")
            try:
                async with self._slots:
                    message = await self._invoke(messages, schema, _MODES[mode])
            except Exception as error:
                meter.count(self.name, calls=1)
                if _is_bad_request(error) and self._drop_temperature(error):
                    continue
                if _is_bad_request(error) and mode + 1 < len(_MODES):
                    mode += 1
                    continue
                raise NoReplyError("unreachable", _describe(error)) from error
            self._mode = max(self._mode, mode)
            raw = _read_message(message, messages)
            meter.count(self.name, calls=1, sent=raw.input_tokens, received=raw.output_tokens)
            return raw

    def _drop_temperature(self, error: Exception) -> bool:
        """Whether the server rejected the temperature, which is then no longer sent."""
        if "temperature" not in str(error) or getattr(self._chat, "temperature", None) is None:
            return False
        self._chat = self._chat.model_copy(update={"temperature": None})
        return True

    async def _invoke(
        self, messages: list[BaseMessage], schema: dict[str, Any], mode: Mode
    ) -> AIMessage:
        if mode == "plain":
            return await self._chat.ainvoke(messages)
        structured = self._chat.with_structured_output(schema, method=mode, include_raw=True)
        result = await structured.ainvoke(messages)
        return cast(AIMessage, cast(dict[str, Any], result)["raw"])


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _is_bad_request(error: Exception) -> bool:
    return getattr(error, "status_code", None) in {400, 422, 501} or isinstance(
        error, NotImplementedError
    )


def _describe(error: Exception) -> str:
    status = getattr(error, "status_code", None)
    reason = " ".join(str(error).split())[:300] or type(error).__name__
    return f"The model could not be reached ({f'{status}: ' if status else ''}{reason})."


def _read_message(message: AIMessage, sent: Sequence[BaseMessage]) -> _Raw:
    text = message.text
    if message.tool_calls:
        text = json.dumps(message.tool_calls[0]["args"])
    elif message.invalid_tool_calls:
        text = message.invalid_tool_calls[0]["args"] or ""
    usage = message.usage_metadata
    return _Raw(
        text=text,
        refusal=message.additional_kwargs.get("refusal"),
        input_tokens=usage["input_tokens"]
        if usage
        else sum(count_tokens(part.text) for part in sent),
        output_tokens=usage["output_tokens"] if usage else count_tokens(text),
    )
