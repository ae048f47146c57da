"""Basic: retrieve and answer. The baseline that every method is compared with."""

from langgraph.graph import END, START, StateGraph

from ..context import BasicContext
from ..models.runs import RunWatch
from ..nodes.answer import answer
from ..nodes.begin import begin
from ..nodes.retrieve import retrieve
from ..state.answering import AnswerOutput, QuestionInput, QuestionState


def builder() -> StateGraph[QuestionState, BasicContext, QuestionInput, AnswerOutput]:
    """The graph before it is compiled, to replace a node of it or to add one."""
    return (
        StateGraph(
            QuestionState,
            context_schema=BasicContext,
            input_schema=QuestionInput,
            output_schema=AnswerOutput,
        )
        .add_node("begin", begin("basic", QuestionState))
        .add_node("retrieve", retrieve)
        .add_node("answer", answer)
        .add_edge(START, "begin")
        .add_edge("begin", "retrieve")
        .add_edge("retrieve", "answer")
        .add_edge("answer", END)
    )


graph = (
    builder().compile(name="basic").with_config(recursion_limit=10, callbacks=[RunWatch("basic")])
)
