"""Models of fastembed (ONNX on the CPU): from a folder, from this machine, or from their hub."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import wait
from pathlib import Path
from typing import TypeVar

from ..state.errors import RagraphsError
from .deadline import begun
from .failures import explain

M = TypeVar("M")
DOWNLOAD_SECONDS = 300


def open_local_model(name: str, kind: str, import_class: Callable[[], Callable[..., M]]) -> M:
    """The model called ``name``, ``fastembed:MODEL`` or ``fastembed:MODEL@FOLDER``.

    ``import_class`` imports the class that opens it, and ``kind`` says in errors what it is. A
    model without a folder is downloaded where this machine has none. Raises RagraphsError.
    """
    opened = _imported(name, import_class)
    model, _, folder = name.partition(":")[2].partition("@")
    if folder:
        path = Path(folder).expanduser()
        if not path.is_dir():
            raise RagraphsError(f"The folder {folder!r} of the {kind} does not exist.")
        return _load(model, lambda: opened(model, specific_model_path=str(path)))
    try:
        return opened(model, local_files_only=True)
    except Exception:  # fastembed has no class of its own for a model that is not on this machine
        _check_reachable(model)
    return _load(model, lambda: _bounded(lambda: opened(model), DOWNLOAD_SECONDS))


def _imported(name: str, import_class: Callable[[], Callable[..., M]]) -> Callable[..., M]:
    try:
        from loguru import logger

        logger.disable("fastembed")
        return import_class()
    except ModuleNotFoundError as error:
        raise RagraphsError(
            f"{error.name}, which {name} needs, is not installed; run: pip install fastembed"
        ) from error


def _load(model: str, open_model: Callable[[], M]) -> M:
    try:
        return open_model()
    except Exception as error:
        raise RagraphsError(f"The model {model} could not be loaded ({explain(error)}).") from error


def _check_reachable(model: str) -> None:
    """Raises RagraphsError within seconds when the model hub does not answer."""
    import httpx
    from huggingface_hub import constants

    try:
        if constants.HF_HUB_OFFLINE:
            raise httpx.ConnectError("HF_HUB_OFFLINE is set")
        httpx.head(constants.ENDPOINT, timeout=3, follow_redirects=True)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise RagraphsError(
            f"the model {model} is not on this machine and its hub cannot be reached."
        ) from error


def _bounded(work: Callable[[], M], seconds: int) -> M:
    """The result of ``work``. Raises TimeoutError after ``seconds``; its thread ends by itself."""
    result = begun(work)
    if not wait([result], seconds).done:
        raise TimeoutError(f"no model after {seconds} s")
    return result.result()
