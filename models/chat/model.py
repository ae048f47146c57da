"""A language model that is asked over the network.

Behind this seam, and nowhere else: structured output with its fallbacks, repair and one re-ask,
the reply table, the turns of concurrent requests, and the counting of usage. Retries of transport
errors are the client's own.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import ValidationError

from ...language.analyser import count_tokens
from ...prompts.prompt import Excerpt, Inputs, Prompt, Templates, passages_shown
from ...prompts.replies import PromptReply
from ...state.errors import RagraphsError
from ...state.records import NewReply, StoredReply
from ..failures import cannot_reach, explain, is_filtered, kind_of, remedy, was_given_up
from ..meter import Meter, current_meter
from ..protocol import NoReplyError, ReplyTable
from .envelope import Envelope, read_envelope
from .gathering import Gathered
from .langchain_model import LangChainModel, is_followed
from .limit import AdaptiveLimit
from .request import ChatRequest
from .served import ServedModel
from .spans import model_span, told_of
from .structured import MalformedReplyError, ReadReply, holds_thoughts_only, read_reply
from .ways import Ways
from .window import SMALLEST_WINDOW, count_texts, fitting, most_tokens, room_for_prompt, was_cut

if TYPE_CHECKING:
    from .openai_server import OpenAIServer

logger = logging.getLogger("ragraphs.models")

R = TypeVar("R", bound=PromptReply)

_LONGEST_ECHO = 4000
_LOST_SECONDS = 10
_READING = 0.1  # of the time that writing a token takes
_READ_AT_ONCE = 4000  # characters; what is longer is read in a thread
_FOUND = ("texts", "knowledge")  # inputs that hold texts of documents
_LARGER = "raise the window of the server (Ollama: OLLAMA_CONTEXT_LENGTH)"
_CUT_OFF = "The reply was cut off because it was too long; be brief."


class _FilledPrompt(NamedTuple):
    """A filled-in prompt; the key of its reply, which is of its inputs; a hash of its words.

    ``retrieved`` is the part of it that was found in documents.
    """

    texts: tuple[str, str]
    key: str
    words: str
    retrieved: str


class ChatLanguageModel:
    """Answers prompts with a chat model and keeps every good reply in ``replies``.

    The usual request goes straight to ``server``, where there is one; all others go through
    ``chat``. One instance belongs to one event loop, and sends at most ``concurrency`` requests at
    a time; to a server of one's own, what is ``served`` there, no more than it answers the faster
    for it. A model that cannot be reached is not asked again for some seconds. A stored reply is
    found by what was shown to the model. It must be to the prompt in the words that it has now,
    unless the prompt is a lasting one and ``refresh`` is false.
    """

    def __init__(
        self,
        name: str,
        chat: LangChainModel,
        server: OpenAIServer | None,
        replies: ReplyTable,
        *,
        temperature: float | None,
        concurrency: int,
        prompts: Templates,
        served: ServedModel | None = None,
        window: int | None = None,
        refresh: bool = False,
    ) -> None:
        self.name = name
        self._chat = chat
        self._server = server
        self._replies = replies
        self._stored = Gathered(replies.find)
        self._store = Gathered(self._put)
        self._settings_key = f"temperature={temperature}"
        self._prompts = prompts
        self._served = served
        self._window = window
        self._refresh = refresh
        self._longest_echo = _LONGEST_ECHO
        self._loaded: set[str] = set()
        self._ways = Ways(temperature, own=served is not None)
        self._concurrency = concurrency
        self._own_limit = AdaptiveLimit(concurrency)
        self._lost: tuple[NoReplyError, float] | None = None
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> R:
        """The reply to ``prompt``, from the table if it is stored there. Raises NoReplyError."""
        async with current_meter().in_time():
            return await self._run(prompt, inputs)

    @property
    def limit(self) -> AdaptiveLimit:
        """The limit on requests at a time, which all models of a server of one's own share."""
        return self._own_limit if self._served is None else self._served.shared.limit

    async def _run(self, prompt: Prompt[R], given: Inputs) -> R:
        if self._served is not None:
            await self._served.know()
        asked = await self._rendered(prompt, given)
        if self._may_be_cut(asked.texts) and not self._usable(
            await self._stored(asked.key), prompt, asked
        ):
            packed = await self._packed(prompt, given, asked.texts)
            if packed is not given:
                given, asked = packed, await self._rendered(prompt, packed)
        lock = self._asking.setdefault(asked.key, asyncio.Lock())
        async with lock:  # the same question asked twice at once is paid for once
            return await self._answer(prompt, asked, given)

    def missing_tokens(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> int:
        """The tokens that a request for this reply would send; 0 where it is stored. Blocks."""
        if self._served is not None:
            self._served.know_soon()
        asked = self._asked(prompt, inputs)
        [stored] = self._replies.find([asked.key])
        return 0 if self._usable(stored, prompt, asked) else sum(map(count_tokens, asked.texts))

    def keep_short(self, tokens: int) -> None:
        """Lets no reply have more than so many ``tokens``; what was cut off is used."""
        self._ways.fit(tokens)

    def _put(self, replies: list[NewReply]) -> list[None]:
        self._replies.put(replies)
        return [None] * len(replies)

    async def aclose(self) -> None:
        """Closes the connections to the server."""
        await self._chat.aclose()
        if self._server is not None:
            await self._server.aclose()

    async def _rendered(self, prompt: Prompt[R], inputs: Inputs) -> _FilledPrompt:
        """The filled-in prompt; the template is read in a thread, a built-in one only once."""
        if self._prompts is None and prompt.name in self._loaded:
            return self._asked(prompt, inputs)
        asked = await asyncio.to_thread(self._asked, prompt, inputs)
        self._loaded.add(prompt.name)
        return asked

    def _asked(self, prompt: Prompt[R], inputs: Inputs) -> _FilledPrompt:
        shown = prompt.filled_in(inputs)
        served = self._served.facts.identity if self._served is not None else ""
        parts = [prompt.name, shown, served or self.name, self._settings_key]
        key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        texts, words = prompt.render(shown, self._prompts), prompt.words(self._prompts)
        found = "\n".join(shown[name] for name in _FOUND if name in shown)
        return _FilledPrompt(texts, key, words, found)

    def _may_be_cut(self, texts: Sequence[str]) -> bool:
        """Whether a prompt is so long that the window must be known."""
        most = room_for_prompt(SMALLEST_WINDOW)
        return self._may_cut and sum(map(most_tokens, texts)) > most

    @property
    def _may_cut(self) -> bool:
        return not (self._window is None and self._served is None)

    async def _packed(self, prompt: Prompt[R], inputs: Inputs, texts: Sequence[str]) -> Inputs:
        """``inputs``, without their last texts where the window has no room for them."""
        window = self._window
        if window is None and self._served is not None:
            window = await self._served.window()
        if window is None:
            return inputs
        self._longest_echo = min(_LONGEST_ECHO, window // 8)
        self._ways.fit(window - room_for_prompt(window))
        excess = sum(map(most_tokens, texts)) - room_for_prompt(window)
        if excess <= 0:
            return inputs
        packed = fitting(prompt, inputs, excess)
        if packed is None:
            raise NoReplyError(
                "too_large",
                f"The {prompt.name} prompt does not fit into the window of {window:,} tokens of "
                f"{self.name}; {_LARGER}.",
            )
        count = count_texts(inputs)
        current_meter().warn_of_sum(
            f"{{}} of {{}} texts did not fit into the window of {window:,} tokens of {self.name} "
            f"and were left out; {_LARGER}.",
            count - count_texts(packed),
            count,
        )
        return packed

    async def _answer(self, prompt: Prompt[R], asked: _FilledPrompt, given: Inputs) -> R:
        meter = current_meter()
        meter.retrieved_tokens += count_tokens(asked.retrieved)
        if (stored := await self._stored(asked.key)) is not None:
            if (usable := self._usable(stored, prompt, asked)) is not None:
                meter.count_reused(self.name, stored["input_tokens"] + stored["output_tokens"])
                return usable
            if _read_stored(stored, prompt.reply) is None:
                meter.warn(f"A stored {prompt.name} reply cannot be used, and was asked for again.")
                await asyncio.to_thread(self._replies.drop, [asked.key])
        # Until the reply is stored: a kill loses no more than are open.
        async with self.limit.turn(self._concurrency) as turn:
            if self._lost is not None and time.monotonic() < self._lost[1]:
                raise self._lost[0]
            numbers = prompt.numbers(given) if self._server is not None else ()
            value, raw = await self._ask(prompt, numbers, *asked.texts, meter)
            turn.work = raw.input_tokens * _READING + raw.output_tokens
            if self._served is not None:
                await self._served.read(raw.input_tokens - raw.cached, turn.waited)
                meter.pace = min(self.limit.now, self._concurrency), time.monotonic() - turn.began
            reply: StoredReply = {
                "value": value.model_dump_json(),
                "words": asked.words,
                "input_tokens": raw.input_tokens,
                "output_tokens": raw.output_tokens,
            }
            shown = passages_shown(given)
            await self._store(NewReply(asked.key, prompt.name, self.name, reply, shown))
        return value

    def _usable(
        self, stored: StoredReply | None, prompt: Prompt[R], asked: _FilledPrompt
    ) -> R | None:
        """The stored reply, or None where it is not of its type, or to words that do not count."""
        current = self._refresh or not prompt.lasting
        if stored is None or (current and stored["words"] != asked.words):
            return None
        return _read_stored(stored, prompt.reply)

    async def _ask(
        self, prompt: Prompt[R], numbers: Sequence[str], system: str, human: str, meter: Meter
    ) -> tuple[R, Envelope]:
        """The reply, asked for once more where the first is malformed.

        Of one that was cut off what has come is used; only if that was thoughts alone, there is
        room for them in the second request.
        """
        messages: list[BaseMessage] = [SystemMessage(system), HumanMessage(human)]
        problem = ""
        for _ in range(2):
            raw = await self._request(messages, prompt.reply, numbers, meter)
            if raw.refusal is not None:
                raise NoReplyError("refused", f"The model refused to reply ({raw.refusal[:200]}).")
            try:
                read = await _read(raw, prompt.reply)
            except MalformedReplyError as error:
                problem = f"{error} {_CUT_OFF}" if raw.cut_off else str(error)
                logger.debug("%s gave a malformed %s reply", self.name, prompt.name)
            else:
                _warn(meter, prompt.name, read, raw.cut_off)
                return read.value, raw
            if raw.cut_off and holds_thoughts_only(raw.text):
                self._ways.let_think()
                continue
            messages = [
                *messages[:2],
                AIMessage(raw.text[: self._longest_echo] or "(empty)"),
                HumanMessage(f"{problem} Reply again with the JSON object only."),
            ]
        raise NoReplyError(
            "malformed",
            f"The {prompt.name} reply of the model {self.name} was no use: {problem} Try again, or "
            "name another --model.",
        )

    async def _request(
        self,
        messages: list[BaseMessage],
        reply: type[PromptReply],
        numbers: Sequence[str],
        meter: Meter,
    ) -> Envelope:
        """One reply, by the first way that the server takes; it may point at ``numbers``.

        It is streamed where someone listens to answers, as long as the server can do so.
        """
        way = self._ways.first(reply, meter.listener)
        while True:
            request = self._ways.request(way, messages, reply, numbers)
            try:
                message, raw = await self._metered(request, meter)
                break
            except (NoReplyError, RagraphsError):
                raise
            except Exception as error:
                other = self._ways.after(way, error)
                if other is None:
                    raise self._no_reply(error) from error
                way = other
        self._ways.note(reply, way)
        if self._may_cut and was_cut(message, messages):
            meter.warn(
                f"The server of {self.name} counted far fewer tokens in a prompt than were "
                f"sent, and may have cut it; {_LARGER}, or set RAGRAPHS_CONTEXT_WINDOW to it."
            )
        return raw

    async def _metered(self, request: ChatRequest, meter: Meter) -> tuple[AIMessage, Envelope]:
        """The reply, and its cost counted. Raises NoReplyError where the run may spend no more."""
        tokens = sum(count_tokens(message.text) for message in request.messages)
        async with meter.turn(self.name, tokens) as turn:
            with model_span(self.name, request) as note:
                started = time.monotonic()
                try:
                    message = await self._send(request)
                except BaseException as error:
                    if turn.refusal is not None:  # all attempts are counted
                        raise turn.refusal from error
                    turn.count(sent=tokens if was_given_up(error) else 0)
                    raise
                raw = read_envelope(message, request.messages)
                turn.count(sent=raw.input_tokens, received=raw.output_tokens)
                note(told_of(raw))
        logger.debug(
            "%s replied with %s after %.2f s: %d tokens sent, %d received",
            self.name,
            request.schema["title"],
            time.monotonic() - started,
            raw.input_tokens,
            raw.output_tokens,
        )
        return message, raw

    async def _send(self, request: ChatRequest) -> AIMessage:
        """The reply, straight from the server where ``request`` allows it."""
        direct = request.mode == "json_schema" and request.listener is None and not is_followed()
        if self._server is not None and direct:
            return await self._server.complete(request)
        return await self._chat.complete(request)

    def _no_reply(self, error: Exception) -> NoReplyError:
        keys = [*self._chat.secrets, *(self._server.secrets if self._server else ())]
        reason = explain(error, keys)
        logger.warning("%s did not reply: %s", self.name, kind_of(error))
        logger.debug("%s did not reply: %s", self.name, reason)
        if is_filtered(error):
            return NoReplyError("refused", f"The model refused to reply ({reason}).")
        names = self._served.facts.names if self._served is not None else ()
        advice = remedy(error, names)
        told = NoReplyError(
            "unreachable",
            f"The model {self.name} did not reply ({reason}){advice}.",
            cannot_reach(error),
        )
        if told.lasts:
            self._lost = told, time.monotonic() + _LOST_SECONDS
        return told


def _read_stored(stored: StoredReply, reply: type[R]) -> R | None:
    """The stored reply, or None where it is not of its type."""
    try:
        return reply.model_validate_json(stored["value"])
    except ValidationError:
        return None


async def _read(raw: Envelope, reply: type[R]) -> ReadReply[R]:
    if len(raw.text) <= _READ_AT_ONCE:
        return read_reply(raw.text, reply, raw.cut_off)
    return await asyncio.to_thread(read_reply, raw.text, reply, raw.cut_off)


def _warn(meter: Meter, prompt: str, read: ReadReply[Any], cut_off: bool) -> None:
    """Says how a reply that is used differs from the one that was sent."""
    if read.left_out:
        meter.warn(f"{read.left_out} malformed items of a {prompt} reply were left out.")
    if read.cut:
        fields = ", ".join(sorted(read.cut))
        meter.warn(f"The {prompt} reply was too large; cut were: {fields}.")
    if cut_off:
        meter.warn(f"The {prompt} reply was cut off at the model's limit.")
    elif read.lost_its_end:
        meter.warn(f"The {prompt} reply was cut off before its end; what had come was used.")
