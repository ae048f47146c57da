"""Settings of the agent graph."""

from __future__ import annotations

from .questions import ContextTokens, MaxSteps, QuestionContext


class AgentContext(QuestionContext):
    """Settings of the agent graph (reading with tools).

    context = AgentContext(index="notes", max_steps=6)
    output = agent_graph.invoke({"question": "Who built it?"}, context=context)
    print(output["actions"], output["answer"])
    """

    max_steps: MaxSteps = 8
    context_tokens: ContextTokens = 8000
