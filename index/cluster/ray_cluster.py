"""The cluster of Ray that the operator names, for the time of a run."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any, TypeVar

from ...context import Context
from ...settings import Settings
from ...state.errors import RagraphsError
from ...stores.vector_store import store_of
from ..concurrency import to_its_end
from ..opening import Index
from .parts import handing_out
from .worker import BatchOutcome, Job, Spent, Work, work_on

T = TypeVar("T")
R = TypeVar("R")

logger = logging.getLogger("ragraphs.index")

LOCAL = "ray"
_SENT = ("RAGRAPHS_", "OPENAI_")  # variables for the workers; others belong to their machines
_ENABLE_CLUSTERS = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # on all systems; without: loopback alone
_DEATHS = 3  # of workers, of which a batch is begun again
_STORE_BYTES = 200_000_000  # of Ray's objects on this machine, which are batches and their results
_ENDING_SECONDS = 30
_STARTS = 3  # of the process in which a head serves one client; it may die as it begins


@asynccontextmanager
async def working_on(index: Index, context: Context) -> AsyncIterator[None]:
    """Has the steps of a run hand out their batches to the operator's cluster, if there is one.

        async with index.writing(), working_on(index, context):
            ...

    A cluster on this machine begins and ends with the run. Raises RagraphsError where the cluster
    cannot be reached, or could not reach the index.
    """
    operator = index.operator
    if operator.cluster is None:
        yield
        return
    _check(operator, context)
    ray = await asyncio.to_thread(_imported, operator)
    await to_its_end(_connection.join, ray, operator)
    try:
        cluster = await asyncio.to_thread(RayCluster, ray, index, context)
        logger.info("the work is handed out to %d workers on Ray", cluster.workers)
        with handing_out(cluster):
            yield
    finally:
        await to_its_end(_connection.leave, ray)


class RayCluster:
    """The workers of Ray to which this process is connected, for the runs of one context.

    Each of those that ask models has an equal share of the context's concurrency and of the
    operator's requests per second.
    """

    def __init__(self, ray: ModuleType, index: Index, context: Context) -> None:
        operator = index.operator
        cores = int(ray.cluster_resources().get("CPU", 1))
        self.workers = operator.workers or max(1, cores)
        self.askers = min(self.workers, context.concurrency)
        self._ray = ray
        self._slots = asyncio.Semaphore(self.workers)
        self._job = ray.put(_job(index, context, self.askers))
        options = {"num_cpus": 1, "max_retries": _DEATHS, "scheduling_strategy": "SPREAD"}
        self._task = ray.remote(work_on).options(**options)

    async def begin(
        self, work: Work[T, R], items: Sequence[T], spent: Spent | None
    ) -> BatchOutcome[R]:
        """Has a worker do ``work`` on ``items``. Cancelled, it waits until the worker has ended.

        Raises RagraphsError where workers die of it again and again.
        """
        async with self._slots:
            task = self._task.remote(self._job, work, items, spent)
            ended = asyncio.wrap_future(task.future())
            try:
                outcome: BatchOutcome[R] = await asyncio.shield(ended)
            except asyncio.CancelledError:
                self._ray.cancel(task)
                with suppress(Exception):
                    await asyncio.wait_for(ended, _ENDING_SECONDS)
                raise
            except self._ray.exceptions.RayTaskError as error:
                if isinstance(error.cause, ImportError):
                    raise RagraphsError(
                        f"A worker of the cluster lacks a package ({error.cause}); install the "
                        "same version of ragraphs, with the same extras, on every machine."
                    ) from error
                raise
            except self._ray.exceptions.RayError as error:
                raise RagraphsError(
                    f"Workers of the cluster ended before their work did ({_named(error)}); look "
                    "at the memory of its machines and at Ray's logs. All that was done is kept: "
                    "run the same again."
                ) from error
            return outcome


class _Connection:
    """The connection of this process to Ray: of all its runs together, or of its program."""

    def __init__(self) -> None:
        self._users = 0
        self._is_foreign = False
        self._lock = Lock()

    def join(self, ray: ModuleType, operator: Settings) -> None:
        """Connects to the cluster, unless another run or the program has. Blocks."""
        with self._lock:
            if not self._users:
                self._is_foreign = ray.is_initialized()
                if not self._is_foreign:
                    _connect(ray, operator)
            self._users += 1

    def leave(self, ray: ModuleType) -> None:
        """Ends the connection, and a cluster on this machine, with the last run. Blocks."""
        with self._lock:
            self._users -= 1
            if not self._users and not self._is_foreign:
                ray.shutdown()


_connection = _Connection()


def is_elsewhere(operator: Settings) -> bool:
    """Whether the cluster is one that runs already, on other machines perhaps."""
    return operator.cluster != LOCAL or bool(os.environ.get("RAY_ADDRESS"))


def _check(operator: Settings, context: Context) -> None:
    """Raises RagraphsError where workers could not reach the stores, or the caller's objects."""
    if operator.cluster != LOCAL and not str(operator.cluster).startswith("ray://"):
        raise RagraphsError(
            f"The cluster {operator.cluster!r} is not known; name ray for one on this machine, or "
            "ray://HOST:PORT."
        )
    store = store_of(operator)
    if not store.is_shared or (is_elsewhere(operator) and operator.database is None):
        raise RagraphsError(
            "The workers of a cluster need stores that all of them reach; set RAGRAPHS_DATABASE "
            f"(for workers on this machine {store.setting} suffices)."
        )
    if given := context.own.given():
        raise RagraphsError(
            f"Objects of a program ({', '.join(given)}) cannot be sent to a cluster; name models "
            "and embeddings instead, or unset RAGRAPHS_CLUSTER."
        )


def _imported(operator: Settings) -> ModuleType:
    # Read when Ray is imported, and by its processes.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if not is_elsewhere(operator):
        os.environ.setdefault(_ENABLE_CLUSTERS, "0")
    try:
        import ray
    except ImportError as error:
        raise RagraphsError(
            "Indexing on Ray needs a package that is not installed; run: pip install "
            "'ragraphs[ray]'."
        ) from error
    return ray


def _connect(ray: ModuleType, operator: Settings) -> None:
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if is_elsewhere(operator):
        address = operator.cluster if operator.cluster != LOCAL else os.environ["RAY_ADDRESS"]
    else:
        address = "local"
        options |= {
            "num_cpus": operator.workers or os.cpu_count() or 1,
            "include_dashboard": False,
            "object_store_memory": _STORE_BYTES,
        }
        _demand_token()
    try:
        for start in range(1, _STARTS + 1):
            try:
                ray.init(address=address, **options)
                break
            except RuntimeError as error:
                if start == _STARTS or "Starting Ray client server failed" not in str(error):
                    raise
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        said = str(error).splitlines() or [type(error).__name__]
        why = said[-1] if "Traceback" in str(error) else said[0]
        raise RagraphsError(
            f"The Ray cluster at {address} cannot be used ({why}); start it with: ray start "
            "--head, or see whether its address and the token are right."
        ) from error


def _demand_token() -> None:
    """Has the cluster that this process starts ask everybody who connects for a token.

    It is in the environment of the cluster's processes alone. Ray itself would write one into the
    person's home folder, for all to read. A process keeps the first that it used.
    """
    os.environ.pop("RAY_AUTH_MODE", None)  # Ray's default asks for it, and takes note of it
    if not os.environ.get("RAY_AUTH_TOKEN_PATH"):
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


def _job(index: Index, context: Context, askers: int) -> Job:
    """The settings of a run as each of its workers is to have them."""
    operator = index.operator
    sent = {name: value for name, value in os.environ.items() if name.startswith(_SENT)}
    for name in type(operator).model_fields:
        value = getattr(operator, name)
        if isinstance(value, Path) and f"RAGRAPHS_{name.upper()}" in sent:
            sent[f"RAGRAPHS_{name.upper()}"] = str(value.expanduser().absolute())
    if operator.requests_per_second is not None:
        sent["RAGRAPHS_REQUESTS_PER_SECOND"] = str(operator.requests_per_second / askers)
    settings = {name: getattr(context, name) for name in context.model_fields_set}
    settings["index"] = context.index if operator.root is not None else index.name
    settings["concurrency"] = context.concurrency // askers
    return Job(version("ragraphs"), settings, sent)


def _named(error: Exception) -> str:
    return type(error).__name__
