"""Settings of the index graph."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from ..settings import split_commas
from .base import Context, operator_default

LayerName = Literal["passages", "sentences", "hops", "entities", "communities"]


class IndexContext(Context):
    """Settings of the index graph.

    context = IndexContext(index="notes", layers=["sentences", "entities"])
    output = index_graph.invoke({"sources": ["docs/"]}, context=context)
    print(output["document_count"], output["failures"])
    """

    embeddings: Annotated[
        str,
        Field(
            min_length=1,
            description="Embeddings: auto, lexical, fastembed:MODEL[@FOLDER] or openai:MODEL.",
        ),
    ] = operator_default("default_embeddings")
    chunk_tokens: Annotated[
        int | None,
        Field(ge=20, le=8000, description="Longest passage in tokens; empty: the index's, or 400."),
    ] = None
    chunk_overlap: Annotated[
        int | None,
        Field(ge=0, le=1000, description="Tokens passages share; empty: the index's, or 0."),
    ] = None
    layers: Annotated[
        list[LayerName],
        BeforeValidator(split_commas),
        Field(
            description="Layers to build besides those of the index: passages, sentences, hops, "
            "entities, communities."
        ),
    ] = Field(default=["passages"])
    entity_types: Annotated[
        list[str],
        BeforeValidator(split_commas),
        Field(
            min_length=1,
            max_length=50,
            description="Types of entities to look for; unset: the index's.",
        ),
    ] = Field(default=["person", "organisation", "place", "work", "event"])
    examples: Annotated[
        str,
        Field(
            max_length=20_000,
            description="Texts with their entities and relations, for the model to follow.",
        ),
    ] = ""
    claims: Annotated[bool, Field(description="Read what is claimed of entities as well.")] = False
    gleanings: Annotated[
        int, Field(ge=0, le=5, description="Most rounds of asking for entities that were missed.")
    ] = 0
    max_cluster_size: Annotated[
        int | None,
        Field(
            ge=2,
            le=10_000,
            description="Communities of more entities are divided; empty: the index's, or 10.",
        ),
    ] = None
    report_tokens: Annotated[
        int | None,
        Field(
            ge=200,
            le=100_000,
            description="Most tokens that a report is written from, as far as the model's window "
            "has room; empty: the index's, or 8000.",
        ),
    ] = None
    dry_run: Annotated[
        bool, Field(description="Only say what would be done and what it would cost.")
    ] = False
    refresh: Annotated[
        bool, Field(description="Ask the model again where a prompt's words have changed since.")
    ] = False
    repair: Annotated[
        bool, Field(description="Rebuild the vectors and the lexical index from the catalogue.")
    ] = False
    purge: Annotated[
        bool, Field(description="Leave no byte of removed texts in the files of the index.")
    ] = False


def wants_refresh(context: Context) -> bool:
    """Whether replies to prompts in earlier words are to be asked for again."""
    return isinstance(context, IndexContext) and context.refresh
