"""Prices of models: the table of the package, and the operator's own file over it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..settings import Settings
from ..state.errors import RagraphsError, UnavailableError
from ..state.records import Usage

_TABLE = Path(__file__).with_name("prices.json")
_MILLION = 1_000_000
_DIGITS = 9  # of a dollar: sums of small parts differ beyond them
_OPENAI = "openai:"


class Price(BaseModel):
    """US dollars for a million tokens that are sent to a model, and that it replies with."""

    model_config = ConfigDict(defer_build=True)

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(default=0.0, ge=0, allow_inf_nan=False)


class _Table(BaseModel):
    model_config = ConfigDict(defer_build=True)

    prices: dict[str, Price]


class Prices:
    """The known prices of models, by ``provider:model``.

    >>> prices = known_prices(settings())
    >>> prices.cost("openai:gpt-4o-mini", sent=1_000_000)
    0.15
    """

    def __init__(self, prices: Mapping[str, Price]) -> None:
        self._prices = prices

    def __contains__(self, model: str) -> bool:
        return model in self._prices

    def cost(self, model: str, *, sent: int = 0, received: int = 0) -> float | None:
        """US dollars for tokens ``sent`` and ``received``; None where the price is not known."""
        price = self._prices.get(model)
        if price is None:
            return None
        return round((sent * price.input + received * price.output) / _MILLION, _DIGITS)

    def cost_of(self, usage: Usage) -> float | None:
        """US dollars of a usage; None where the price of any model in it is not known."""
        costs = [
            *(
                self.cost(name, sent=used["input_tokens"], received=used["output_tokens"])
                for name, used in usage.get("models", {}).items()
                if used["input_tokens"] or used["output_tokens"]
            ),
            *(self.cost(name, sent=sent) for name, sent in usage.get("embeddings", {}).items()),
        ]
        known = [cost for cost in costs if cost is not None]
        return round(sum(known), _DIGITS) if len(known) == len(costs) else None

    def require(self, *models: str) -> None:
        """Raises RagraphsError where the price of one of ``models`` is not known."""
        for model in models:
            if model not in self:
                raise RagraphsError(
                    "The limit on cost (--max-cost, or the operator's) cannot be kept, for the "
                    f"price of {model} is not known; name it in a file of prices (--prices FILE, "
                    "or RAGRAPHS_PRICES), or limit tokens (--max-tokens)."
                )


def known_prices(operator: Settings) -> Prices:
    """The prices of the package, and over them the prices of the operator's file.

    The package has OpenAI's prices for OpenAI alone: a server that OPENAI_BASE_URL names has its
    own. Blocks at its first use. Raises UnavailableError where the file cannot be read.
    """
    host = urlsplit(operator.openai_base_url or "").hostname or "api.openai.com"
    file = operator.prices and Path(os.path.abspath(operator.prices.expanduser()))
    return _prices(file, host.endswith((".openai.com", ".azure.com")))


@lru_cache(maxsize=8)
def _prices(file: Path | None, asks_openai: bool) -> Prices:
    known = _read(_TABLE)
    if not asks_openai:
        known = {name: price for name, price in known.items() if not name.startswith(_OPENAI)}
    return Prices(known if file is None else known | _read(file))


def _read(file: Path) -> dict[str, Price]:
    try:
        return _Table.model_validate_json(file.read_bytes()).prices
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        why = f"{place}: {problem['msg']}" if place else problem["msg"]
    except OSError as error:
        why = error.strerror or type(error).__name__
    raise UnavailableError(
        f"The prices in {file} cannot be read ({why}); write them as "
        '{"prices": {"openai:gpt-4o-mini": {"input": 0.15, "output": 0.6}}}, in US dollars for a '
        "million tokens."
    )
