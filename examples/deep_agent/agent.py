"""A deep agent that answers from documents: a skill, the reading tools, and a subagent that cites.

    pip install ragraphs deepagents
    python agent.py INDEX "Who designed the Forth Bridge?"

OPENAI_BASE_URL and OPENAI_API_KEY say which server is asked, MODEL which of its models.
"""

import os
import sys
from pathlib import Path
from typing import Any

import ragraphs
from deepagents import CompiledSubAgent, create_deep_agent
from deepagents.backends import CompositeBackend, FilesystemBackend, StateBackend
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel

SKILLS = Path(__file__).parent / "skills"


def deep_agent(model: BaseChatModel, index: str) -> Any:
    """The agent. It plans and writes with ``model``; the subagent answers with the operator's."""
    documents: CompiledSubAgent = {
        "name": "documents",
        "description": "Answers one question from the user's documents, with quotations.",
        "runnable": ragraphs.build("router", index=index),
    }
    # Skills are read from the folder; what the agent writes stays in its state.
    files = FilesystemBackend(root_dir=SKILLS, virtual_mode=True)
    return create_deep_agent(
        model,
        ragraphs.tools(index),
        subagents=[documents],
        skills=["/skills/"],
        backend=CompositeBackend(default=StateBackend(), routes={"/skills/": files}),
    )


if __name__ == "__main__":
    chat = init_chat_model(
        os.environ.get("MODEL", "gpt-4o-mini"), model_provider="openai", use_responses_api=False
    )
    said = {"messages": [{"role": "user", "content": sys.argv[2]}]}
    print(deep_agent(chat, sys.argv[1]).invoke(said)["messages"][-1].text)
