"""How `ragraphs serve` serves, which its processes read in their environment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

FIGURES = "PROMETHEUS_MULTIPROC_DIR"  # a folder of the figures that several processes share
_VARIABLE = "RAGRAPHS_SERVING"


class Serving(BaseModel):
    """How callers are known, by a function or by a file of keys, and whether logs are JSON."""

    auth: str | None = None
    keys: Path | None = None
    json_logs: bool = False

    @property
    def lets_all_in(self) -> bool:
        """Whether whoever reaches the server may ask."""
        return self.auth is None and self.keys is None

    def tell(self) -> None:
        """Leaves this in the environment, for the processes that serve."""
        os.environ[_VARIABLE] = self.model_dump_json()


def told_serving() -> Serving:
    """How this process is to serve, as its environment says."""
    return Serving.model_validate_json(os.environ.get(_VARIABLE) or "{}")


@contextmanager
def shared_figures() -> Iterator[None]:
    """With a folder for the figures of all processes that are started inside."""
    with TemporaryDirectory(prefix="ragraphs-", ignore_cleanup_errors=True) as folder:
        os.environ.setdefault(FIGURES, folder)
        yield
