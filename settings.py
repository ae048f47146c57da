"""The operator's settings, from the environment (``RAGRAPHS_*``) or a ``.env`` file.

They are all that could reach another machine, another folder or a key.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from dotenv import load_dotenv
from pydantic import BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from .state.errors import RagraphsError

# While the module is imported, since a server's event loop must not wait for a file.
load_dotenv(".env")


def split_commas(value: Any) -> Any:
    """The list of names in a text with commas; any other ``value`` unchanged."""
    if not isinstance(value, str):
        return value
    return [name.strip() for name in value.split(",") if name.strip()]


class Settings(BaseSettings):
    """The settings that only the operator may change, from the environment or a ``.env`` file."""

    model_config = SettingsConfigDict(env_prefix="RAGRAPHS_", env_ignore_empty=True, extra="ignore")

    root: Path | None = Field(
        default=None,
        description="Folder that sources and indexes must lie below; unset: anywhere (one's own).",
    )
    model: str = Field(default="offline", description="Language model when the caller names none.")
    models: Annotated[list[str], NoDecode, BeforeValidator(split_commas)] = Field(
        default=[],
        description="Language models that callers may name, separated by commas; empty: any.",
    )
    embeddings: str = Field(default="auto", description="Embeddings when the caller names none.")
    prompts: Path | None = Field(
        default=None, description="Folder of prompt files that replace the built-in ones by name."
    )
    chroma_url: str | None = Field(
        default=None, description="Address of a Chroma server; unset: embedded in the index folder."
    )
    openai_base_url: str | None = Field(
        default=None,
        validation_alias="OPENAI_BASE_URL",
        description="Address of an OpenAI-compatible server.",
    )
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    tavily_api_key: SecretStr | None = Field(default=None, validation_alias="TAVILY_API_KEY")
    tavily_base_url: str | None = Field(
        default=None, description="Address of a Tavily-compatible server; unset: Tavily's own."
    )
    open_indexes: int = Field(
        default=16, ge=1, description="Indexes that stay open while nobody uses them."
    )
    requests_per_second: float | None = Field(
        default=None, gt=0, description="Rate limit of requests to a language model."
    )
    download_seconds: int = Field(
        default=300, ge=1, description="How long the download of an embedding model may take."
    )

    @property
    def base(self) -> Path:
        """The folder that relative paths start from."""
        return (self.root or Path.cwd()).resolve()


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The operator's settings, read once; ``settings.cache_clear()`` reads them again."""
    return Settings()


_NAME = re.compile(r"\.?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}")


def index_folder(index: str, operator: Settings) -> Path:
    """The folder of the index called ``index``; with a root, only a plain name below it is allowed.

    Raises RagraphsError for a path where only names are allowed, and for a link out of the root.
    """
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
