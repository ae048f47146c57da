"""Settings of the graphs that answer questions."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, PrivateAttr, model_validator

from ..state.filters import conditions_of
from ..state.found import NOTHING, Found
from .base import Context, operator_default
from .prompts import checked, gathered

RetrieverName = Literal["hybrid", "vector", "lexical", "graph"]
RankerName = Literal[RetrieverName, "hoprag", "tog2"]
GraderName = Literal["model", "similarity", "cross-encoder"]
TraversalName = Literal["model", "every", "similarity"]
SearchName = Literal["global", "dynamic", "lazy", "local", "drift", "text", "basic"]
DeepragMode = Literal["narrative", "tree"]
RetrievalPolicy = Literal["biased", "retrieve_always", "model", "trained"]
AsPrinted = Annotated[
    bool, Field(description="The paper's algorithm and nothing else: HopRAG, Think-on-Graph 2.0.")
]
MostCalls = Annotated[
    int, Field(ge=1, le=1000, description="Most requests to language models a question.")
]

MaxSteps = Annotated[
    int, Field(ge=1, le=24, description="Most steps of the narrative, or turns of the agent.")
]
ContextTokens = Annotated[
    int, Field(ge=500, le=200_000, description="Most tokens of texts in one request.")
]


def _checked_filter(where: dict[str, Any] | None) -> dict[str, Any] | None:
    if where is not None:
        conditions_of(where)
    return where


class QuestionContext(Context):
    """Settings of every graph that answers questions.

    context: QuestionContext = CragContext(index="notes", where={"author": "Ada"})
    other = context.model_copy(update={"top_k": 20})
    output = crag_graph.invoke({"question": "Who built it?"}, context=other)
    """

    retriever: Annotated[
        Literal["auto", RetrieverName],
        Field(
            description="How passages are found; auto: graph with the layer sentences, or hybrid."
        ),
    ] = "auto"
    top_k: Annotated[int, Field(ge=1, le=100, description="Passages read; twice for letters.")] = 10
    rerank: Annotated[
        str,
        Field(
            description="Cross-encoder that orders anew what was found, such as fastembed:MODEL; "
            "empty: none."
        ),
    ] = operator_default("default_rerank")
    rerank_candidates: Annotated[
        int | None,
        Field(
            ge=1,
            le=1000,
            description="Passages that the cross-encoder reads for a search; empty: 5 · top_k, at "
            "least 50.",
        ),
    ] = None
    where: Annotated[
        dict[str, Any] | None,
        AfterValidator(_checked_filter),
        Field(
            description="Filter: only passages with such metadata are read, for example "
            '{"author": "Ada", "year": {"$gte": 1990}}; also $gt, $lt, $lte, $ne, $in, $nin, '
            "$contains."
        ),
    ] = None
    small_model: Annotated[
        str | None,
        Field(
            min_length=1,
            description="Language model for grading, traversal and follow-up questions; empty: the "
            "model.",
        ),
    ] = None
    max_calls: MostCalls = 24
    max_seconds: Annotated[
        float | None,
        Field(
            gt=0,
            le=86_400,
            description="Most seconds that a question takes, whatever it waits for; empty: any "
            "number.",
        ),
    ] = None
    stream_answer: Annotated[
        bool, Field(description="Stream the text of the answer while the model writes it.")
    ] = False
    prompts: Annotated[
        dict[str, str],
        AfterValidator(checked),
        Field(
            description="What a model is told before it is asked, in other words than the built-in "
            'ones, by the name of the prompt: {"answer": "You answer ..."}. By themselves: '
            "answer_prompt and the like."
        ),
    ] = Field(default={})
    _found: Found = PrivateAttr(default_factory=lambda: NOTHING)

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, given: Any) -> Any:
        return gathered(given)

    @property
    def found(self) -> Found:
        """Findings of earlier methods for the question; no setting, so only code passes them on."""
        return self._found

    def starting_from(self, found: Found) -> Self:
        """The same settings, for a method that is to start from ``found``."""
        context = self.model_copy()
        context._found = found
        return context


class BasicContext(QuestionContext):
    """Settings of the basic graph: retrieve and answer.

    context = BasicContext(index="notes", top_k=10)
    output = basic_graph.invoke({"question": "Who built it?"}, context=context)
    print(output["answer"], output["citations"])
    """


class CragContext(QuestionContext):
    """Settings of the crag graph (Corrective RAG).

    context = CragContext(index="notes", web_results=3)
    output = crag_graph.invoke({"question": "Who built it?"}, context=context)
    print(output["grades"], output["answer"])
    """

    grader: Annotated[
        GraderName,
        Field(
            description="What scores passages and strips: the model, similarity, or a "
            "cross-encoder, that of rerank."
        ),
    ] = "model"
    upper: Annotated[
        float | None,
        Field(ge=-1, le=1, description="A score from here on means correct; empty: the grader's."),
    ] = None
    lower: Annotated[
        float | None,
        Field(ge=-1, le=1, description="All scores below mean incorrect; empty: the grader's."),
    ] = None
    strip_sentences: Annotated[
        int, Field(ge=1, le=20, description="Sentences in a strip of a refined passage.")
    ] = 3
    strip_cut: Annotated[
        float | None,
        Field(
            ge=-1, le=1, description="Strips must score above this to be kept; empty: the grader's."
        ),
    ] = None
    strips_kept: Annotated[
        int | None,
        Field(ge=1, le=50, description="Most strips kept after refinement; empty: the grader's."),
    ] = None
    web_results: Annotated[
        int, Field(ge=1, le=20, description="Web pages to read for each query.")
    ] = 5
    web_pages: Annotated[
        bool, Field(description="Read whole pages of the web, not the excerpts of their search.")
    ] = False
    confirm_web: Annotated[
        bool, Field(description="Ask before a query is sent to the web, showing it.")
    ] = False

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.upper is not None and self.lower is not None and self.upper < self.lower:
            raise ValueError("upper must not be below lower")
        return self


class HopragContext(QuestionContext):
    """Settings of the hoprag graph (HopRAG).

    context = HopragContext(index="notes", n_hop=2)
    output = hoprag_graph.invoke({"question": "Who built it?"}, context=context)
    print(output["hops"], output["answer"])
    """

    top_k: Annotated[
        int, Field(ge=1, le=100, description="Edges to start from, and passages to keep.")
    ] = 20
    n_hop: Annotated[int, Field(ge=0, le=10, description="Rounds of hops.")] = 4
    traversal: Annotated[
        TraversalName,
        Field(
            description="What chooses the edge to hop along: the model, of the most promising ones "
            "of a round or of every one, or similarity."
        ),
    ] = "model"
    as_printed: AsPrinted = False


class Tog2Context(QuestionContext):
    """Settings of the tog2 graph (Think-on-Graph 2.0).

    context = Tog2Context(index="notes", depth=2)
    output = tog2_graph.invoke({"question": "Who built it?"}, context=context)
    print(output["paths"], output["answer"])
    """

    width: Annotated[
        int, Field(ge=1, le=20, description="Relations of an entity, and entities, to keep (W).")
    ] = 3
    depth: Annotated[int, Field(ge=1, le=10, description="Rounds of the walk (D).")] = 3
    alpha: Annotated[
        float, Field(ge=0, le=5, description="Decay of a passage's weight by its rank.")
    ] = 0.8
    as_printed: AsPrinted = False


class DeepragContext(QuestionContext):
    """Settings of the deeprag graph (DeepRAG).

    context = DeepragContext(index="notes", mode="tree")
    output = deeprag_graph.invoke({"question": "Who built it?"}, context=context)
    print(output["tree"], output["answer"])
    """

    mode: Annotated[
        DeepragMode,
        Field(description="Sub-questions one after another, or as a tree, side by side."),
    ] = "narrative"
    policy: Annotated[
        RetrievalPolicy,
        Field(
            description="When earlier answers do for a step: biased (arithmetic and composition "
            "only), retrieve_always (never), or as the model says, which may also answer from its "
            "own knowledge, never as sufficient: model asks it first whether it is sure, trained "
            "takes its word."
        ),
    ] = "biased"
    max_steps: MaxSteps = 10
    max_depth: Annotated[int, Field(ge=0, le=3, description="Most levels below the question.")] = 3
    step_passages: Annotated[
        int, Field(ge=1, le=20, description="Passages to retrieve for a sub-question.")
    ] = 3
    confirm_plan: Annotated[
        bool, Field(description="Show the sub-questions before they are looked up, and ask.")
    ] = False


class GraphragContext(QuestionContext):
    """Settings of the graphrag graph (GraphRAG).

    context = GraphragContext(index="notes", search="global")
    output = graphrag_graph.invoke({"question": "What are the themes?"}, context=context)
    print(output["points"], output["answer"])
    """

    max_calls: MostCalls = 12
    search: Annotated[
        SearchName,
        Field(
            description="What to answer from: reports on all communities (global), from the "
            "largest down to those that help (dynamic), passages near the question, spread over "
            "them, before a model has reported (lazy), the entities of the question (local), "
            "reports and these in turns (drift), all passages (text), or the nearest (basic)."
        ),
    ] = "global"
    level: Annotated[
        int, Field(ge=0, le=20, description="Level of the communities: 0 has the largest.")
    ] = 1
    response_type: Annotated[
        str,
        Field(
            max_length=200,
            description="Form of the answer, such as 'a single paragraph' or 'a list of five "
            "points'; empty: as the question asks.",
        ),
    ] = ""
    context_tokens: ContextTokens = 8000
    general_knowledge: Annotated[
        bool, Field(description="Add what the model knows besides, marked as such.")
    ] = False
    drift_depth: Annotated[int, Field(ge=0, le=5, description="Rounds of follow-up questions.")] = 2
    drift_width: Annotated[
        int, Field(ge=1, le=20, description="Follow-up questions asked in a round.")
    ] = 3


class RouterContext(CragContext, DeepragContext, HopragContext, Tog2Context, GraphragContext):
    """Settings of the router graph, and of all methods that it may choose.

    context = RouterContext(index="notes", max_calls=20)
    output = router_graph.invoke({"question": "Who built it?"}, context=context)
    print(output["path"], output["answer"])
    """

    model_config = ConfigDict(defer_build=True)  # graphs.methods names the methods in a copy

    method: Annotated[str, Field(description="Method of answering; auto: by the question.")] = (
        "auto"
    )
    escalations: Annotated[
        int, Field(ge=0, le=3, description="Further methods to try where one finds too little.")
    ] = 2
