"""The records that travel in graph states: plain data, so that any checkpointer can keep them."""

from typing import Literal, NamedTuple, NotRequired

from typing_extensions import TypedDict

MetadataValue = str | int | float | bool | list[str]
Metadata = dict[str, MetadataValue]


class Turn(TypedDict):
    """A place within a passage where metadata changes; ``start`` is a character of the document.

    ``metadata`` holds the keys that differ from there on from the passage's; None where a key has
    no value any more.
    """

    start: int
    metadata: dict[str, MetadataValue | None]


class Document(TypedDict):
    """A document given inline to the ``index`` graph."""

    id: str
    title: NotRequired[str]
    text: str
    metadata: NotRequired[Metadata]


class Passage(TypedDict):
    """A piece of a document; ``start`` and ``end`` are characters in the document's text.

    ``metadata`` describes its beginning; ``turns``, where there are any, tell where it changes.
    """

    id: str
    document: str
    title: str
    text: str
    start: int
    end: int
    metadata: Metadata
    turns: NotRequired[list[Turn]]


class Evidence(Passage):
    """A passage that was found for a question.

    output = basic_graph.invoke({"question": "Who built it?"}, context=context)
    for found in output["evidence"]:
        print(found["title"], found["text"], found["score"])

    ``score`` is comparable within one list only; ``found`` says how the passage was found
    (``retrieved``, ``web``, ...). For web passages ``document`` is the address of the page, and so
    is the ``path`` of its metadata.
    """

    score: float
    found: str


class Citation(TypedDict):
    """A verbatim quotation; ``start`` and ``end`` are characters in the document's text.

    output = basic_graph.invoke({"question": "Who built it?"}, context=context)
    for citation in output["citations"]:
        print(citation["document"], citation["start"], citation["quote"])

    ``metadata`` describes the very place: a quotation of a PDF file has the ``page`` it stands on.
    The kind ``triple`` quotes no sentence: it is a relation of the graph, as a statement, and
    ``document`` is where it was read; ``start`` and ``end`` are the same.
    """

    passage: str
    document: str
    title: str
    start: int
    end: int
    quote: str
    metadata: NotRequired[Metadata]
    kind: NotRequired[Literal["triple"]]


class ModelUsage(TypedDict):
    """The use of one model: requests sent and their tokens, replies reused from the table.

    ``reused_tokens`` are those that the reused replies took when they were asked for.
    """

    calls: int
    reused: int
    input_tokens: int
    output_tokens: int
    reused_tokens: int


class Usage(TypedDict, total=False):
    """The cost of a run: per model, and the number of searches in the index and on the web.

    ``retrieved_tokens`` are the tokens of the texts that models were shown, as often as they were.
    ``embeddings`` are the tokens sent to embeddings that cost money, by their name. ``cost`` is in
    US dollars; there is none where the price of a model is not known.
    """

    models: dict[str, ModelUsage]
    embeddings: dict[str, int]
    cost: float
    retrievals: int
    retrieved_tokens: int
    web_searches: int


class StoredReply(TypedDict):
    """A language model's reply as JSON text, and the tokens it took.

    ``words`` is the hash of the prompt's words that it replies to; empty where it is not known.
    """

    value: str
    words: str
    input_tokens: int
    output_tokens: int


class NewReply(NamedTuple):
    """A reply to be stored: its key, the prompt and the model that it is of.

    The model is empty where it is a note on a server.
    ``passages`` are the ids of the passages that the model was shown; None where texts of unknown
    origin were among them.
    """

    key: str
    prompt: str
    model: str
    reply: StoredReply
    passages: frozenset[str] | None = None
