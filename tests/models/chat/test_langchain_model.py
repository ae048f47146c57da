"""Chat models by LangChain: the message is wanted, not what a parser makes of it."""

from __future__ import annotations

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableLambda
from ragraphs.models.chat.langchain_model import LangChainModel, OpenedModel
from ragraphs.models.chat.request import ChatRequest
from ragraphs.models.chat.structured import reply_schema
from ragraphs.prompts.replies import Queries


class Bound(GenericFakeChatModel):
    """Gives the model with a parser behind it, as LangChain's integrations do."""

    def with_structured_output(self, schema, *, include_raw=False, **options) -> Runnable:
        assert not include_raw
        return self.bind(schema=schema) | RunnableLambda(lambda message: 1 / 0)


class Opaque(GenericFakeChatModel):
    """Gives a runnable of which nothing can be told."""

    def with_structured_output(self, schema, *, include_raw=False, **options) -> Runnable:
        def ask(messages):
            raw = self.invoke(messages)
            return {"raw": raw, "parsed": None, "parsing_error": None} if include_raw else {}

        return RunnableLambda(ask)


@pytest.mark.parametrize("kind", [Bound, Opaque])
async def test_the_message_is_given_whatever_the_structure_around_the_model(kind):
    chat = kind(messages=iter([AIMessage("not JSON")]))
    model = LangChainModel(lambda: OpenedModel(chat, None), strict=False)
    request = ChatRequest([HumanMessage("Who?")], reply_schema(Queries), "json_schema", 0.0)
    assert (await model.complete(request)).text == "not JSON"
