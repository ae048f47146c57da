"""Where an index is: in a folder, or under a name in the operator's database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..settings import Settings, index_name
from ..state.errors import IndexNotFoundError, RagraphsError
from ..stores.vector_store import store_of

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from ..stores.catalogue import Catalogue


class Location(NamedTuple):
    """The folder of an index, or its name in the operator's database.

    location = locate("notes", settings())
    engine = location.open_catalogue(settings(), create=True)
    """

    name: str
    in_database: bool = False

    @property
    def short_name(self) -> str:
        """The name without the folders that lead to it."""
        return Path(self.name).name

    def open_catalogue(
        self, operator: Settings, *, create: bool, any_format: bool = False
    ) -> Engine:
        """The database of the catalogue. Blocks.

        Raises IndexNotFoundError where there is none and ``create`` is false, and RagraphsError
        where it cannot be opened, or is of an earlier format, unless ``any_format``.
        """
        if not self.in_database:
            from ..stores.schema import open_database

            return open_database(Path(self.name), create=create, any_format=any_format)
        from ..stores.postgresql import open_shared

        if operator.database is None:
            raise RagraphsError(
                f"The index {self.name} is in no database; set RAGRAPHS_DATABASE, or name a folder "
                "with a slash, such as ./notes."
            )
        return open_shared(
            operator.database.get_secret_value(),
            self.name,
            create=create,
            any_format=any_format,
            with_vectors=store_of(operator).in_database,
        )

    def inode(self) -> int | None:
        """The number of the file of a folder's catalogue; None where there is none. Blocks."""
        from ..stores.schema import DATABASE

        file = Path(self.name) / DATABASE
        return file.stat().st_ino if not self.in_database and file.exists() else None

    def holds_index(self, operator: Settings) -> bool:
        """Whether there is an index. Blocks; raises RagraphsError where nobody can say."""
        if not self.in_database:
            return self.inode() is not None
        from ..stores.queries import close_database

        try:
            close_database(self.open_catalogue(operator, create=False, any_format=True))
        except IndexNotFoundError:
            return False
        return True

    def folder(self, operator: Settings, id: str) -> Path:
        """The folder of the index's files; in a database, of this machine's copies of arrays."""
        return operator.cache.expanduser() / id if self.in_database else Path(self.name)

    def home(self, operator: Settings, catalogue: Catalogue) -> Path:
        """The folder that the names of documents are relative to. Blocks.

        It is the folder that the index is in. In a database it is the one where the index was made
        first, so that a file has one name wherever a command is run; with a root, the root.
        """
        if not self.in_database:
            return Path(self.name).parent
        if operator.root is not None:
            return operator.base
        made_in = (operator.base / self.name).parent
        return Path(catalogue.ensure_property(HOME, str(made_in)))


HOME = "home"  # property: the folder that names of documents are relative to, in a database


def locate(index: str, operator: Settings) -> Location:
    """Where the index called ``index`` is. Raises RagraphsError for a name that is not allowed."""
    return Location(index_name(index, operator), operator.database is not None)
