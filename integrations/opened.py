"""An index as programs open it: a retriever for LangChain, a graph for networkx."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal

from ..context import Context, RetrieverName
from ..index import opening, tools
from ..index.layers import ENTITIES
from ..views.entities import with_passages

if TYPE_CHECKING:
    from langchain_core.retrievers import BaseRetriever
    from networkx import MultiDiGraph


class Index(opening.Index):
    """An open index: its stores, and what other libraries make of them.

    index = ragraphs.open_index("notes")
    print(index.catalogue.count_documents())
    retriever, graph = index.as_retriever(top_k=5), index.to_networkx()
    print(index.search_words("Forth Bridge", top_k=3)["parts"])
    """

    search_meaning = tools.search_meaning
    search_words = tools.search_words
    read = tools.read
    look_up = tools.look_up
    walk = tools.walk
    list_documents = tools.list_documents
    report = tools.report

    def as_retriever(
        self,
        retriever: Literal["auto", RetrieverName] = "auto",
        top_k: int = 10,
        where: dict[str, Any] | None = None,
    ) -> BaseRetriever:
        """A retriever of LangChain over the passages of the index.

            chain = ragraphs.open_index("notes").as_retriever(top_k=5) | format_documents

        ``retriever`` says how passages are found, ``top_k`` how many, and the filter ``where``
        among which, such as ``{"author": "Ada"}``. Its Documents have metadata: ``id``,
        ``document``, ``title``, ``start``, ``end``, ``score``, and the passage's own.
        """
        from .retriever import IndexRetriever

        return IndexRetriever(
            index=self.name if self.operator.root is None else self.short_name,
            retriever=retriever,
            top_k=top_k,
            where=where,
            embeddings=self.embeddings,
        )

    def to_networkx(self) -> MultiDiGraph[str]:
        """The entities of the index as a directed graph of networkx, with an edge a relation.

            graph = ragraphs.open_index("notes").to_networkx()
            central = networkx.pagerank(graph, weight="weight")

        Nodes are ids of entities, with ``name``, ``type``, ``description``, ``degree`` (how many
        relations begin or end there) and ``passages``. Edges have the relation's id as their key,
        and ``description`` (with both names it reads as a sentence), ``weight`` and ``passages``.
        ``passages`` are ids in one text, apart by a space, which every writer of networkx takes.
        Blocks. Raises RagraphsError where the layer entities is not built.
        """
        from networkx import MultiDiGraph, set_node_attributes

        ENTITIES.stamp(self)
        relations = list(self.entities.all_relations())
        stated = self.entities.relation_passages_of(one.id for one in relations)
        graph: MultiDiGraph[str] = MultiDiGraph()
        for entity, _, passages in with_passages(self, self.entities.all_entities()):
            said = entity._asdict()
            graph.add_node(said.pop("id"), **said, passages=" ".join(passages))
        for one in relations:
            ids = " ".join(stated.get(one.id, ()))
            said = {"description": one.relation, "weight": one.weight, "passages": ids}
            graph.add_edge(one.source, one.target, one.id, **said)
        set_node_attributes(graph, dict(graph.degree), "degree")
        return graph


def open_index(context: Context | str, *, create: bool = False, in_memory: bool = False) -> Index:
    """The index of that name, or the one that ``context`` names.

        index = ragraphs.open_index("notes")
        print(index.catalogue.count_documents())

    The name is a folder, or an index in the operator's database. Where there is none, ``create``
    makes one, and ``in_memory`` gives an empty one that leaves no trace. Blocks. Raises
    IndexNotFoundError, or RagraphsError where it cannot be opened.
    """
    opened = opening.open_index(context, create=create, in_memory=in_memory)
    parts = {each.name: getattr(opened, each.name) for each in fields(opened)}
    return Index(**parts | {"shared": opened.shared or opened})
