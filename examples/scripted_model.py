"""A chat model that follows a script, so that the notebooks run anywhere; use your own instead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

_TEXT = re.compile(r'<text id="(\d+)"[^>]*>\n(.*?)\n</text>', re.DOTALL)
_UNKNOWN = "The texts do not say."


class ScriptedModel(BaseChatModel):
    """Quotes the first text that has ``fact``, and answers with it; asks a tool before, if any."""

    fact: str
    tool: str = ""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self, tools: Sequence[Any], **how: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        name = convert_to_openai_tool(tools[0])["function"]["name"]
        return self.model_copy(update={"tool": name})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **how: Any,
    ) -> ChatResult:
        said = str(messages[-1].content)
        if isinstance(messages[-1], ToolMessage):
            reply = AIMessage(said)
        elif not self.tool:
            reply = AIMessage(self.fact if self.fact in said else _UNKNOWN)
        else:
            asked = {"question": said} if self.tool == "answer_question" else self._quoted(said)
            call = {"name": self.tool, "args": asked, "id": "1"}
            reply = AIMessage("", tool_calls=[call])
        size = sum(len(str(message.content)) for message in messages) // 4
        reply.usage_metadata = {
            "input_tokens": size,
            "output_tokens": 20,
            "total_tokens": size + 20,
        }
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def _quoted(self, prompt: str) -> dict[str, Any]:
        quotes = [
            {"id": id, "quote": self.fact}
            for id, text in _TEXT.findall(prompt)
            if self.fact in text
        ]
        answer = self.fact if quotes else _UNKNOWN
        return {"quotes": quotes[:1], "sufficient": bool(quotes), "answer": answer}
