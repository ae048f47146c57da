"""Five retrieval-augmented generation methods as LangGraph graphs over one index.

    import ragraphs

    ragraphs.build("index", index="notes").invoke({"sources": ["docs"]})
    found = ragraphs.build("router", index="notes").invoke({"question": "Who?"})
    print(found["answer"], found["citations"], found["sufficient"])

Every name is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .context import (
        AgentContext,
        BasicContext,
        Context,
        CragContext,
        DeepragContext,
        GraphragContext,
        HopragContext,
        IndexContext,
        QuestionContext,
        RouterContext,
        Tog2Context,
    )
    from .front import BoundGraph, bind, build, builder
    from .graphs.agent import graph as agent_graph
    from .graphs.basic import graph as basic_graph
    from .graphs.crag import graph as crag_graph
    from .graphs.deeprag import graph as deeprag_graph
    from .graphs.graphrag import graph as graphrag_graph
    from .graphs.hoprag import graph as hoprag_graph
    from .graphs.index import graph as index_graph
    from .graphs.router import graph as router_graph
    from .graphs.tog2 import graph as tog2_graph
    from .integrations.collection import index_collection
    from .integrations.opened import Index, open_index
    from .integrations.tools import tools
    from .models.documents import to_documents
    from .settings import Settings
    from .state.errors import (
        IncompleteIndexError,
        IndexNotFoundError,
        RagraphsError,
        UnexpectedError,
    )
    from .state.records import Citation, Evidence

    __version__: str

__all__ = [
    "AgentContext",
    "BasicContext",
    "BoundGraph",
    "Citation",
    "Context",
    "CragContext",
    "DeepragContext",
    "Evidence",
    "GraphragContext",
    "HopragContext",
    "IncompleteIndexError",
    "Index",
    "IndexContext",
    "IndexNotFoundError",
    "QuestionContext",
    "RagraphsError",
    "RouterContext",
    "Settings",
    "Tog2Context",
    "UnexpectedError",
    "__version__",
    "agent_graph",
    "basic_graph",
    "bind",
    "build",
    "builder",
    "crag_graph",
    "deeprag_graph",
    "graphrag_graph",
    "hoprag_graph",
    "index_collection",
    "index_graph",
    "open_index",
    "router_graph",
    "to_documents",
    "tog2_graph",
    "tools",
]

_PLACES = {
    "BoundGraph": "front",
    "bind": "front",
    "build": "front",
    "builder": "front",
    "index_collection": "integrations.collection",
    "Index": "integrations.opened",
    "open_index": "integrations.opened",
    "tools": "integrations.tools",
    "to_documents": "models.documents",
    "RouterContext": "graphs.methods",
    "Settings": "settings",
    "IncompleteIndexError": "state.errors",
    "IndexNotFoundError": "state.errors",
    "RagraphsError": "state.errors",
    "UnexpectedError": "state.errors",
    "Citation": "state.records",
    "Evidence": "state.records",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name.endswith("_graph"):
        return import_module(f".graphs.{name.removesuffix('_graph')}", __name__).graph
    return getattr(import_module(f".{_PLACES.get(name, 'context')}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
