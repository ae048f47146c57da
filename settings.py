"""The operator's settings, from the environment (``RAGRAPHS_*``) or a ``.env`` file.

They are all that could reach another machine, another folder or a key.
"""

import asyncio
import logging
import os
import re
from collections.abc import Mapping, MutableMapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from dotenv import dotenv_values
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from .state.errors import RagraphsError
from .state.places import INDEX

_ADDRESS = frozenset("URL URI BASE ENDPOINT ENDPOINTS HOST DOMAIN PROXY CERT BUNDLE".split())
_KEY = frozenset("KEY TOKEN SECRET PASSWORD CREDENTIALS".split())
_GENERAL = "RAGRAPHS API ACCESS CLIENT SERVER ID CA CURL FILE DIR SSL REQUESTS HTTP HTTPS ALL NO"
_NO_PROVIDER = _ADDRESS | _KEY | frozenset(_GENERAL.split())
_EVERYWHERE = frozenset({"PROXY", "CERT", "BUNDLE"})
_SENT = frozenset({"API", "HF"})  # among the words of the keys that models and searches take
_ALSO_CALLED = {"LANGCHAIN": "LANGSMITH", "HUGGING": "HF", "HUGGINGFACEHUB": "HF"}


def add_env_file(file: Mapping[str, str | None], environment: MutableMapping[str, str]) -> str:
    """Adds to ``environment`` the variables of a ``.env`` file that it lacks.

    A key of the environment never meets an address of the file, which anyone may have written: the
    file's own key is taken beside its address. Where it has none, the address is left out, and the
    sentence returned says so; else it is empty. ``RAGRAPHS_DEFAULT_X`` sets ``RAGRAPHS_X`` where
    nothing else does.
    """
    ours = {name: value for name, value in file.items() if value and name not in environment}
    addresses = {name for name, value in ours.items() if _is_address(name, value)}
    foreign = {name for name, value in environment.items() if value and _is_key(name)}
    problem = ""
    for address in sorted(addresses):
        met = sorted(key for key in foreign if _same_provider(address, key))
        if missing := [key for key in met if not file.get(key)]:
            del ours[address]
            problem = (
                f"The file .env sets {address}, which would receive {missing[0]} from the "
                f"environment; set {missing[0]} in .env as well, or {address} in the environment."
            )
        else:
            ours |= {key: str(file[key]) for key in met}
    environment.update(ours)
    for name in [one for one in environment if one.startswith("RAGRAPHS_DEFAULT_")]:
        own = name.replace("DEFAULT_", "", 1)
        environment[own] = environment.get(own) or environment[name]
    return problem


def _words(name: str) -> set[str]:
    return {_ALSO_CALLED.get(word, word) for word in name.upper().split("_")}


def _is_address(name: str, value: str) -> bool:
    return "://" in value or not _ADDRESS.isdisjoint(_words(name))


def _is_key(name: str) -> bool:
    return not _KEY.isdisjoint(_words(name))


def _same_provider(address: str, key: str) -> bool:
    """Whether what goes to ``address`` may carry ``key``.

    Past a proxy or certificate goes all that is sent; other addresses that name no provider are of
    other programs.
    """
    provider = _words(address) - _NO_PROVIDER
    if provider:
        return not provider.isdisjoint(_words(key))
    return not _EVERYWHERE.isdisjoint(_words(address)) and not _SENT.isdisjoint(_words(key))


logging.getLogger("ragraphs").addHandler(logging.NullHandler())  # the application decides

# While the module is imported, since a server's event loop must not wait for a file. Without
# interpolation, by which a file could name a key of the environment as its own.
_problem = add_env_file(dotenv_values(".env", interpolate=False), os.environ)


def split_commas(value: Any) -> Any:
    """The list of names in a text with commas; any other ``value`` unchanged."""
    if not isinstance(value, str):
        return value
    return [name.strip() for name in value.split(",") if name.strip()]


Bound = Literal["max_bytes", "max_documents", "max_passages"]
_MOST: dict[Bound, int] = {
    "max_bytes": 100_000_000,
    "max_documents": 20_000,
    "max_passages": 100_000,
}


class Settings(BaseSettings):
    """The settings that only the operator may change, from the environment or a ``.env`` file.

    os.environ["RAGRAPHS_ROOT"] = "indexes"
    operator = Settings()
    print(operator.root, operator.model)
    """

    model_config = SettingsConfigDict(
        defer_build=True, env_prefix="RAGRAPHS_", env_ignore_empty=True, extra="ignore"
    )

    @classmethod
    def settings_customise_sources(cls, *_: Any, **sources: Any) -> tuple[Any, ...]:
        """The environment alone, to which ``add_env_file`` has added the file."""
        return sources["init_settings"], sources["env_settings"]

    root: Path | None = Field(
        default=None, description="Folder that sources and indexes must lie below; unset: anywhere."
    )
    index: str = Field(default=INDEX, min_length=1, description="Index when the caller names none.")
    indexes: Annotated[list[str], NoDecode, BeforeValidator(split_commas)] = Field(
        default=[], description="Indexes that callers may name besides that one; empty: any."
    )
    model: Annotated[str, AfterValidator(lambda name: "offline" if name == "auto" else name)] = (
        Field(default="offline", description="Language model when the caller names none.")
    )
    models: Annotated[list[str], NoDecode, BeforeValidator(split_commas)] = Field(
        default=[],
        description="Language models, embeddings and cross-encoders that callers may name; empty: "
        "any, but with a root no cross-encoder.",
    )
    embeddings: str = Field(default="auto", description="Embeddings when the caller names none.")
    rerank: str = Field(
        default="",
        description="Cross-encoder that orders anew what was found, where the caller names none, "
        "such as fastembed:MODEL@FOLDER; empty: none.",
    )
    prices: Path | None = Field(
        default=None,
        description="JSON file of models' prices, which goes over the table of the package.",
    )
    trace_texts: bool = Field(
        default=False,
        description="Put questions, prompts and replies into the spans of OpenTelemetry.",
    )
    prompts: Path | None = Field(
        default=None, description="Folder of prompt files that replace the built-in ones by name."
    )
    chroma_url: str | None = Field(
        default=None,
        description="Address of a Chroma server for vectors; unset: in the database, or embedded "
        "in the index folder.",
    )
    database: SecretStr | None = Field(
        default=None,
        description="Address of a PostgreSQL database (with pgvector) for all indexes, such as "
        "postgresql+psycopg://user:password@host/name; unset: SQLite in the index folder.",
    )
    cache: Path = Field(
        default=Path("~/.cache/ragraphs"),
        description="Folder of this machine for copies of arrays whose index is in a database, and "
        "for what ragraphs try found.",
    )
    cluster: str | None = Field(
        default=None,
        min_length=1,
        description="Cluster that does the work of indexing: ray for one on this machine (or at "
        "RAY_ADDRESS), or ray://HOST:PORT; unset: this process.",
    )
    workers: int | None = Field(
        default=None, ge=1, description="Workers of the cluster; unset: one for each of its cores."
    )
    openai_base_url: str | None = Field(
        default=None,
        validation_alias="OPENAI_BASE_URL",
        description="Address of an OpenAI-compatible server.",
    )
    openai_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="OPENAI_API_KEY",
        description="Key for OpenAI, or for the server at OPENAI_BASE_URL.",
    )
    tavily_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="TAVILY_API_KEY",
        description="Key for the web search; unset: the web is not searched.",
    )
    tavily_base_url: str | None = Field(
        default=None, description="Address of a Tavily-compatible server; unset: Tavily's own."
    )
    open_indexes: int = Field(
        default=16, ge=1, description="Indexes that stay open while nobody uses them."
    )
    context_window: int | None = Field(
        default=None,
        ge=2048,
        description="Tokens of a language model's window; unset: as OPENAI_BASE_URL's server says.",
    )
    requests_per_second: float | None = Field(
        default=None, gt=0, description="Rate limit of requests to a language model."
    )
    questions: int = Field(
        default=8,
        ge=1,
        description="Questions that each process of a server answers at once; as many more wait "
        "for two seconds, and the rest are refused.",
    )
    max_calls: int | None = Field(
        default=None,
        ge=1,
        description="Most requests to language models a question, whatever a caller asks.",
    )
    max_tokens: int | None = Field(
        default=None, ge=1, description="Most tokens a run, whatever a caller asks."
    )
    max_cost: float | None = Field(
        default=None, gt=0, description="Most US dollars a run, whatever a caller asks."
    )
    max_seconds: float | None = Field(
        default=None, gt=0, description="Most seconds a question, whatever a caller asks."
    )
    max_calls_per_day: int | None = Field(
        default=None,
        ge=1,
        description="Most requests to language models on a day (UTC), of all runs together.",
    )
    max_tokens_per_day: int | None = Field(
        default=None, ge=1, description="Most tokens on a day (UTC), of all runs together."
    )
    max_cost_per_day: float | None = Field(
        default=None, gt=0, description="Most US dollars on a day (UTC), of all runs together."
    )
    max_bytes: int | None = Field(
        default=None, ge=1, description="Most bytes of documents that a run of the index may read."
    )
    max_documents: int | None = Field(
        default=None, ge=1, description="Most documents that a run of the index may read."
    )
    max_passages: int | None = Field(
        default=None, ge=1, description="Most new passages that a run of the index may make."
    )
    max_characters: int | None = Field(
        default=None,
        ge=1,
        le=400_000_000,
        description="Most characters of text that one document may have; unset: 400,000,000 of "
        "plain text, 50,000,000 of any other format.",
    )
    file_seconds: int = Field(
        default=300,
        ge=10,
        description="Longest time that reading one file may take, in s: a tenth of it for a small "
        "file, and a fifth more for each MB; plain text is not bounded.",
    )
    file_megabytes: int = Field(
        default=2048,
        ge=256,
        description="Most memory that reading one file may take, in MB; plain text takes little.",
    )
    hosts: Annotated[list[str], NoDecode, BeforeValidator(split_commas)] = Field(
        default=[],
        description="Names of the machine by which MCP clients reach it besides localhost, such "
        "as rag.example.com; *: any.",
    )
    mcp_indexing: bool = Field(
        default=False, description="Whether MCP clients may add documents to the index."
    )
    uploads: Path | None = Field(
        default=None,
        description="Folder below the root for the files that users of the page upload; they may "
        "then remove documents, too. Unset: neither.",
    )
    corrections: bool = Field(
        default=False, description="Whether users of the page may merge and split entities."
    )

    def bound(self, name: Bound) -> int | None:
        """The most that a run of the index graph may take; None for any number.

        Where the operator sets none, only those who call a server are bounded.
        """
        most: int | None = getattr(self, name)
        return _MOST[name] if most is None and self.root is not None else most

    @property
    def default_embeddings(self) -> str:
        """The embeddings when a caller names none, as a caller may read them."""
        return self._without_folder(self.embeddings)

    @property
    def default_rerank(self) -> str:
        """The cross-encoder when a caller names none, as a caller may read it; or empty."""
        return self._without_folder(self.rerank)

    def _without_folder(self, name: str) -> str:
        return name if self.root is None else name.partition("@")[0]

    @cached_property
    def unnamed_folders(self) -> list[tuple[re.Pattern[str], str]]:
        """Patterns that find server folders in a message, and the text that replaces each."""
        if self.root is None:
            return []
        roots = [str(self.base), os.path.abspath(self.root)]
        models = (name.partition("@")[2] for name in (self.embeddings, self.rerank, *self.models))
        files = (self.prompts, self.prices, self.cache)
        named = [str(file.expanduser()) for file in files if file is not None]
        others = [*named, *models, str(Path.home())]
        shown = dict.fromkeys(map(os.path.abspath, filter(None, others)), "…")
        shown = dict.fromkeys(roots, ".") | {k: v for k, v in shown.items() if k not in roots}
        return [
            (re.compile(re.escape(folder) + ending), text)
            for folder, place in shown.items()
            if folder != "/"
            for ending, text in (("/", place.strip(".") and f"{place}/"), (r"(?![\w-])", place))
        ]

    @property
    def base(self) -> Path:
        """The folder that relative paths start from."""
        return (self.root or Path.cwd()).resolve()


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The operator's settings, read once; ``settings.cache_clear()`` reads them again.

    Raises RagraphsError for a value that is not allowed, and for an address of the file ``.env``
    that would receive a key of the environment.
    """
    if _problem:
        raise RagraphsError(_problem)
    try:
        return Settings()
    except ValidationError as error:
        problem = error.errors()[0]
        name = str(problem["loc"][0])
        name = name if name.isupper() else f"RAGRAPHS_{name.upper()}"
        raise RagraphsError(f"The setting {name} cannot be used: {problem['msg']}.") from error


def told(text: str, operator: Settings) -> str:
    """``text`` as a caller may read it: with a root, folders of the operator's are not named.

    Paths below the root are named relative to it. Where callers are the operator, ``text`` as it
    is. Blocks at its first use.
    """
    for folder, name in operator.unnamed_folders:
        text = folder.sub(name, text)
    return text


async def told_soon(text: str, operator: Settings) -> str:
    """``text`` as ``told`` has it; it waits for a thread, where all may hang, only once."""
    if "unnamed_folders" not in vars(operator):
        await asyncio.to_thread(told, text, operator)
    return told(text, operator)


_NAME = re.compile(r"\.?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")


def index_folder(index: str, operator: Settings) -> Path:
    """The folder of the index called ``index``; with a root, only a plain name below it is allowed.

    Raises RagraphsError for one that the operator does not list, for a path where only names are
    allowed, and for a link out of the root.
    """
    if operator.indexes and index not in (operator.index, *operator.indexes):
        allowed = ", ".join(dict.fromkeys([operator.index, *operator.indexes]))
        raise RagraphsError(f"The index {index!r} is not allowed here; choose one of: {allowed}.")
    if operator.root is None:
        return Path(os.path.abspath(operator.base / Path(index).expanduser()))
    if not _NAME.fullmatch(index):
        raise RagraphsError(
            f"The index {index!r} is not a plain name; name an index of this server, "
            "such as 'notes'."
        )
    folder = operator.base / index
    if folder.is_symlink():
        raise RagraphsError(f"The index {index!r} is a link, which this server does not follow.")
    return folder


def index_name(index: str, operator: Settings) -> str:
    """The name of the index called ``index``, as people read it and give it back.

    It is the path of its folder. In a database a plain name stays as it is. Raises RagraphsError
    as ``index_folder`` does.
    """
    folder = index_folder(index, operator)
    return index if operator.database is not None and _NAME.fullmatch(index) else str(folder)
