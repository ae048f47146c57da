"""Packages and models of others that a question seldom needs: made when they are asked for."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.util import find_spec, module_from_spec
from threading import RLock
from types import ModuleType
from typing import Any

# langgraph and langsmith need one module of the first two, and the third where runs are traced.
PACKAGES = ("langgraph_sdk", "langsmith.types", "psutil")
_LOCK = RLock()


class DeferredPackage(ModuleType):
    """A package whose modules can be imported before it is executed itself."""

    def __getattr__(self, name: str) -> Any:
        with _LOCK:
            if type(self) is DeferredPackage:
                self.__class__ = ModuleType  # type: ignore[assignment]
                self.__spec__.loader.exec_module(self)  # type: ignore[union-attr]
        return getattr(self, name)


def defer(package: str) -> None:
    """Puts off the execution of ``package``, unless it is imported already or not installed."""
    if package not in sys.modules and (spec := find_spec(package)):
        module = module_from_spec(spec)
        module.__class__ = DeferredPackage
        sys.modules[package] = module


def defer_validators() -> None:
    """Has pydantic build the validator of a class when it is first used, not when it is defined.

    A question uses few of two hundred. The classes of others choose it by no public setting.
    """
    with suppress(ImportError, AttributeError):
        from pydantic._internal._config import config_defaults

        config_defaults["defer_build"] = True
