"""A folder without a database that this version reads is told in one sentence."""

from __future__ import annotations

import pytest
from ragraphs.state.errors import IndexNotFoundError, RagraphsError
from ragraphs.stores import schema
from ragraphs.stores.catalogue import Catalogue


def test_a_missing_index_names_the_command_that_builds_one(tmp_path):
    with pytest.raises(IndexNotFoundError, match="ragraphs index SOURCE"):
        schema.open_database(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def test_a_file_that_is_no_database_is_told_in_one_sentence(tmp_path):
    (tmp_path / schema.DATABASE).write_bytes(b"This is no database. " * 500)
    with pytest.raises(RagraphsError, match="not a database"):
        schema.open_database(tmp_path, create=False)


def test_an_index_of_another_format_is_refused(tmp_path):
    engine = schema.open_database(tmp_path, create=True)
    Catalogue(engine).set_property("format", 99)
    engine.dispose()
    with pytest.raises(RagraphsError, match="another version"):
        schema.open_database(tmp_path, create=False)
