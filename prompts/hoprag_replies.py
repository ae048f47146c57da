"""HopRAG's prompt and its reply."""

from typing import Annotated, Any, ClassVar

from pydantic import Field

from .lenient import Bounds
from .prompt import Prompt
from .replies import PromptReply


class HopLabels(PromptReply):
    """The follow-up questions that are worth following."""

    longest: ClassVar[Bounds] = {"necessary": 20, "indirect": 20}

    necessary: Annotated[list[str], Field(description="Numbers such as 1.2.")]
    indirect: Annotated[list[str], Field(description="Numbers such as 1.2.")] = Field(default=[])

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """Ids that carry their label, one by one, are sorted by it."""
        labels = value.get("labels") if isinstance(value, dict) else None
        if not isinstance(labels, list):
            return value
        given = [each for each in labels if isinstance(each, dict)]
        return {
            name: [each.get("id") for each in given if each.get("label") == name]
            for name in cls.model_fields
        }


CHOOSE_HOPS = Prompt("choose_hops", HopLabels)
