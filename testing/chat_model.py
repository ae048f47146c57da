"""Checks of a chat model of one's own: that it replies, and in which forms it can be asked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..models.meter import start_meter
from ..models.protocol import NoReplies
from ..prompts.library import STAND_ALONE
from ..prompts.prompt import Excerpt
from ..prompts.replies import StandAloneQuestion
from ..state.own import label_of
from .report import PartReport, report_on, require

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from ..models.chat.request import Mode

_QUESTION = "When was he born?"
_HISTORY: list[Excerpt] = [
    {"id": "1", "title": "question", "text": "Who designed the Forth Bridge?"},
    {"id": "2", "title": "answer", "text": "John Fowler"},
]
_AT_ONCE = 4


def check_chat_model(llm: BaseChatModel) -> PartReport:
    """The report on a chat model for ``build(..., llm=...)``.

    print(check_chat_model(ChatOpenAI(model="gpt-4o-mini")))

    It is asked about a dozen short questions. What its answers are worth is another matter, which
    ``ragraphs try`` tells of a model by name.
    """
    more = (structured_output, tool_calls, plain_text, usage, streams)
    return report_on(label_of(llm), llm, (replies, replies_at_once), more)


async def replies(llm: BaseChatModel) -> None:
    """Replies to a prompt of ragraphs in the form that it asks for, in one way or another."""
    await _ask(llm, _QUESTION)


async def replies_at_once(llm: BaseChatModel) -> None:
    """Replies to four prompts at the same time."""
    await asyncio.gather(*(_ask(llm, f"{_QUESTION} ({n})") for n in range(_AT_ONCE)))


async def structured_output(llm: BaseChatModel) -> None:
    """Takes a JSON schema for its reply."""
    await _replies_by(llm, "json_schema")


async def tool_calls(llm: BaseChatModel) -> None:
    """Replies by the call of a tool."""
    await _replies_by(llm, "function_calling")


async def plain_text(llm: BaseChatModel) -> None:
    """Replies with JSON in its text where only words ask for it."""
    await _replies_by(llm, "plain")


async def usage(llm: BaseChatModel) -> None:
    """Tells the tokens of a request, which limits count; else they are guessed."""
    told = (await llm.ainvoke(_QUESTION)).usage_metadata
    require(told and told["input_tokens"] > 0, "no tokens were told")


async def streams(llm: BaseChatModel) -> None:
    """Streams its reply piece by piece."""
    pieces = [piece.text async for piece in llm.astream(_QUESTION)]
    require(sum(map(bool, pieces)) > 1, "the reply came in one piece")


async def _ask(llm: BaseChatModel, question: str) -> None:
    from ..models.chat.langchain_model import LangChainModel, OpenedModel
    from ..models.chat.model import ChatLanguageModel

    start_meter(None)
    model = ChatLanguageModel(
        label_of(llm),
        LangChainModel(lambda: OpenedModel(llm, None), strict=False),
        None,
        NoReplies(),
        temperature=getattr(llm, "temperature", None),
        concurrency=_AT_ONCE,
        prompts=None,
    )
    reply = await model.run(STAND_ALONE, question=question, history=_HISTORY)
    require(reply.question.strip(), "the reply was empty")


async def _replies_by(llm: BaseChatModel, mode: Mode) -> None:
    from langchain_core.messages import HumanMessage

    from ..models.chat.envelope import read_envelope
    from ..models.chat.langchain_model import LangChainModel, OpenedModel
    from ..models.chat.request import ChatRequest
    from ..models.chat.structured import read_reply, reply_schema

    schema = reply_schema(StandAloneQuestion)
    said = f'Name him in full: {_QUESTION} He is John Fowler. Reply with JSON: {{"question": ...}}'
    request = ChatRequest([HumanMessage(said)], schema, mode, getattr(llm, "temperature", None))
    model = LangChainModel(lambda: OpenedModel(llm, None), strict=False)
    message = await model.complete(request)
    if mode == "function_calling":
        require(getattr(message, "tool_calls", None), "no tool was called")
    read_reply(read_envelope(message, request.messages).text, StandAloneQuestion)
