"""Importing igraph without the drawing library that it loads where that is installed."""

from __future__ import annotations

import sys
import threading
from typing import Any


def light_igraph() -> Any:
    """The module igraph, in a tenth of the time; it draws only if matplotlib was there before."""
    mine = threading.get_ident()  # others may import matplotlib meanwhile

    class Without:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            if name == "matplotlib" and threading.get_ident() == mine:
                raise ModuleNotFoundError(name=name)

    sys.meta_path.insert(0, Without)
    try:
        import igraph
    finally:
        sys.meta_path.remove(Without)
    return igraph
