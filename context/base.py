"""Settings that all graphs share."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from ..settings import index_folder, settings
from ..state.own import WithOwn
from .form import as_form

C = TypeVar("C", bound="Context")
CEILINGS = ("max_calls", "max_tokens", "max_cost", "max_seconds")


def operator_default(name: str) -> Any:
    """A field whose default is the operator's setting of that ``name``."""
    return Field(
        default_factory=lambda: getattr(settings(), name),
        json_schema_extra=lambda schema: schema.update(default=getattr(settings(), name)),
    )


class Context(WithOwn, BaseModel):
    """Settings that all graphs share, within the ceilings of the operator.

    context = IndexContext(index="notes", model="openai:gpt-4o-mini", max_cost=2.0)
    index = open_index(context)
    print(index.catalogue.count_documents())
    """

    model_config = ConfigDict(extra="forbid", defer_build=True, json_schema_extra=as_form)

    index: Annotated[
        str, Field(min_length=1, description="Folder of the index; on a server, a name.")
    ] = operator_default("index")
    model: Annotated[
        str,
        Field(
            min_length=1,
            description="Language model: offline, provider:name such as openai:gpt-4o-mini, or "
            "auto: the operator's.",
        ),
        AfterValidator(lambda name: settings().model if name == "auto" else name),
    ] = operator_default("model")
    temperature: Annotated[
        float, Field(ge=0, le=2, description="Sampling temperature of the language model.")
    ] = 0.0
    timeout: Annotated[
        float,
        Field(gt=0, description="Seconds to wait for a reply of the model in which nothing comes."),
    ] = 60.0
    max_retries: Annotated[
        int, Field(ge=0, le=10, description="Retries of a request after an error of transport.")
    ] = 2
    concurrency: Annotated[
        int, Field(ge=1, le=256, description="Most requests to the model at the same time.")
    ] = 16
    max_tokens: Annotated[
        int | None,
        Field(
            ge=1,
            description="Most tokens that a run sends to models and receives from them; empty: any "
            "number.",
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        Field(gt=0, description="Most US dollars that a run spends on models; empty: any sum."),
    ] = None
    _lowered: tuple[str, ...] = PrivateAttr(default=())

    @model_validator(mode="after")
    def _below_ceilings(self) -> Self:
        return self._lowering()

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The same settings, with those in ``update``, within the ceilings of the operator."""
        return super().model_copy(update=update, deep=deep)._lowering()

    @property
    def lowered(self) -> tuple[str, ...]:
        """A sentence on each setting that the caller wanted above the operator's ceiling."""
        return self._lowered

    def _lowering(self) -> Self:
        self._lowered += tuple(self._lower())
        return self

    def _lower(self) -> Iterator[str]:
        fields = type(self).model_fields
        for name in filter(fields.__contains__, CEILINGS):
            wanted, most = getattr(self, name), getattr(settings(), name)
            if most is None or (wanted is not None and wanted <= most):
                continue
            self.__dict__[name] = most  # nothing that the caller has set
            if wanted not in (None, fields[name].default):
                yield (
                    f"{name} was lowered from {wanted:,.10g} to {most:,.10g}, the most that the "
                    f"operator allows (RAGRAPHS_{name.upper()})."
                )

    def narrowed(self, context_type: type[C], **changes: Any) -> C:
        """The fields that were set and that ``context_type`` has, the objects, and ``changes``."""
        names = self.model_fields_set.intersection(context_type.model_fields)
        chosen = {name: getattr(self, name) for name in names} | changes
        return context_type(**chosen).owning(self.own).made_from(self)

    def made_from(self, *others: "Context") -> Self:
        """The same settings, which also tell what was lowered in ``others``."""
        told = [sentence for other in others for sentence in other.lowered]
        self._lowered = tuple(dict.fromkeys([*told, *self._lowered]))
        return self

    @property
    def folder(self) -> Path:
        """The index folder. Raises RagraphsError where the operator does not allow it."""
        return index_folder(self.index, settings())
