"""Agent: read, and use tools to find more, in turns, until the texts suffice or a budget ends."""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..context import AgentContext
from ..models.runs import RunWatch
from ..nodes.agent import act, conclude, decide, start
from ..nodes.begin import begin
from ..state.agent import AgentOutput, AgentState
from ..state.answering import QuestionInput


def looks_on(state: AgentState) -> Literal["act", "conclude"]:
    """Tools are used as long as a turn names some."""
    return "act" if state["pending"] else "conclude"


def builder() -> StateGraph[AgentState, AgentContext, QuestionInput, AgentOutput]:
    """The graph before it is compiled, to replace a node of it or to add one."""
    return (
        StateGraph(
            AgentState,
            context_schema=AgentContext,
            input_schema=QuestionInput,
            output_schema=AgentOutput,
        )
        .add_node("begin", begin("agent", AgentState))
        .add_node("start", start)
        .add_node("decide", decide)
        .add_node("act", act)
        .add_node("conclude", conclude)
        .add_edge(START, "begin")
        .add_edge("begin", "start")
        .add_edge("start", "decide")
        .add_conditional_edges("decide", looks_on)
        .add_edge("act", "decide")
        .add_edge("conclude", END)
    )


graph = (
    builder().compile(name="agent").with_config(recursion_limit=60, callbacks=[RunWatch("agent")])
)
