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

_SENTENCE = re.compile(r"^(\d+\.\d+) (.*)$", re.MULTILINE)  # of a text, behind its number
_UNKNOWN = "The texts do not say."


class ScriptedModel(BaseChatModel):
    """Points at the first sentence with ``fact``, its answer; asks a tool before, if any."""

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
            asked = {"query": said} if self.tool == "answer_question" else self._answered(said)
            call = {"name": self.tool, "args": asked, "id": "1"}
            reply = AIMessage("", tool_calls=[call])
        size = sum(len(str(message.content)) for message in messages) // 4
        reply.usage_metadata = {
            "input_tokens": size,
            "output_tokens": 20,
            "total_tokens": size + 20,
        }
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def _answered(self, prompt: str) -> dict[str, Any]:
        found = [number for number, words in _SENTENCE.findall(prompt) if self.fact in words]
        answer = self.fact if found else _UNKNOWN
        return {"from": found[:1], "sufficient": bool(found), "answer": answer}
