"""Objects of the caller's program that take the place of models and searches called by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, PrivateAttr

from .errors import RagraphsError

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel
    from langchain_core.retrievers import BaseRetriever

    Documents = Sequence[Document]
    WebFunction = Callable[[str], Documents] | Callable[[str], Awaitable[Documents]]
    OwnWeb = BaseRetriever | WebFunction | Literal[False]

OWN = "own:"
_MODEL_NAMES = ("model_name", "model", "model_id", "deployment_name", "repo_id")


@dataclass(frozen=True, eq=False)
class Own:
    """The objects that a caller handed over; None stands for the operator's choice by name.

    ``web`` is False where the web must not be searched.
    """

    llm: BaseChatModel | None = None
    small_llm: BaseChatModel | None = None
    embeddings: Embeddings | None = None
    retriever: BaseRetriever | None = None
    web: OwnWeb | None = None
    prompts: Path | None = None

    def chat_model(self, label: str) -> BaseChatModel | None:
        """The chat model with this label, if it was handed over."""
        models = [model for model in (self.llm, self.small_llm) if model is not None]
        return next((model for model in models if label_of(model) == label), None)

    def given(self) -> dict[str, Any]:
        """The objects that were handed over, by their names."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def checked(self) -> Own:
        """The same objects. Raises RagraphsError for one of the wrong kind."""
        from langchain_core.embeddings import Embeddings
        from langchain_core.language_models import BaseChatModel
        from langchain_core.retrievers import BaseRetriever

        _check("llm", self.llm, BaseChatModel, "model='provider:name'")
        _check("small_llm", self.small_llm, BaseChatModel, "small_model='provider:name'")
        _check("embeddings", self.embeddings, Embeddings, "embeddings='fastembed:MODEL'")
        _check("retriever", self.retriever, BaseRetriever, "retriever='hybrid'")
        web = self.web
        if not (web is None or web is False or callable(web) or isinstance(web, BaseRetriever)):
            raise RagraphsError(
                "web must be a retriever of LangChain, a function from a query to Documents, or "
                f"False, not {type(web).__name__}."
            )
        if self.prompts is not None and not self.prompts.is_dir():
            raise RagraphsError(f"The folder {str(self.prompts)!r} of prompts does not exist.")
        return self


def label_of(model: object) -> str:
    """The name of an object in an index and in the usage, the same in every process.

    >>> label_of(ChatOpenAI(model="gpt-4o"))
    'own:ChatOpenAI:gpt-4o'
    """
    if isinstance(label := getattr(model, "label", None), str) and label.startswith(OWN):
        return label
    names = (getattr(model, name, None) for name in _MODEL_NAMES)
    name = next((name for name in names if isinstance(name, str) and name), "")
    # An "@" would end the name of embeddings, behind which their folder stands.
    return f"{OWN}{type(model).__name__}{name and f':{name}'}".replace("@", "-")


def _check(name: str, given: object, kind: type, by_name: str) -> None:
    if given is not None and not isinstance(given, kind):
        raise RagraphsError(
            f"{name} must be an object of LangChain's class {kind.__name__}, not "
            f"{type(given).__name__}; a name goes into {by_name}."
        )


_NOTHING = Own()


class WithOwn(BaseModel):
    """Settings that objects of the caller's program may travel with."""

    _own: Own = PrivateAttr(default_factory=lambda: _NOTHING)

    @property
    def own(self) -> Own:
        """The objects; they are no settings, so only code hands them over."""
        return self._own

    def owning(self, own: Own) -> Self:
        """The same settings with exactly these objects."""
        context = self.model_copy()
        context._own = own
        return context

    def using(
        self,
        *,
        llm: BaseChatModel | None = None,
        small_llm: BaseChatModel | None = None,
        embeddings: Embeddings | None = None,
        retriever: BaseRetriever | None = None,
        web: OwnWeb | None = None,
        prompts: str | Path | None = None,
    ) -> Self:
        """The same settings, with objects of your own in the place of models and searches by name.

            context = CragContext(index="notes").using(llm=ChatOpenAI(model="gpt-4o"))
            crag_graph.invoke({"question": "Who?"}, context=context)

        ``llm`` answers every prompt, ``small_llm`` the prompts of the small model. ``retriever``
        takes the place of the index's search, ``web`` of the web search: a retriever, or a function
        from a query to Documents, or False. ``prompts`` is a folder of prompt files. Raises
        RagraphsError for an object of the wrong kind.
        """
        folder = None if prompts is None else Path(prompts)
        given = Own(llm, small_llm, embeddings, retriever, web, folder).checked()
        models = {"model": llm, "small_model": small_llm, "embeddings": embeddings}
        labels = {
            name: label_of(model)
            for name, model in models.items()
            if model is not None and name in type(self).model_fields
        }
        return self.model_copy(update=labels).owning(replace(self._own, **given.given()))
