"""Texts for the tests of loading, and loading in one line."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

from ragraphs.stores.loading.load import load
from ragraphs.stores.loading.types import LoadedDocument, LoadFailure

KOREAN = "한국어 문서입니다. 서울은 대한민국의 수도이다. 김치는 발효 음식이다.\n"
JAPANESE = "日本語の文書です。東京は日本の首都です。カタカナとひらがな。\n"
FRENCH = "L’été, les élèves étudient à l’école – “déjà vu”, naïve, crème brûlée.\n"

Write = Callable[..., Path]


def text_of(document: LoadedDocument) -> str:
    return "".join(document.blocks)


def only(path: Path, **options: object) -> LoadedDocument:
    (loaded,) = load(path, **options)  # type: ignore[arg-type]
    assert isinstance(loaded, LoadedDocument), loaded
    return loaded


def reason(path: Path, **options: object) -> str:
    (loaded,) = load(path, **options)  # type: ignore[arg-type]
    assert isinstance(loaded, LoadFailure), loaded
    assert loaded.reason.startswith(path.name)
    assert loaded.reason.endswith(".")
    return loaded.reason


def documents(path: Path, **options: object) -> list[tuple[str, str, str]]:
    return [
        (loaded.id, loaded.title, text_of(loaded))
        for loaded in load(path, **options)  # type: ignore[arg-type]
        if isinstance(loaded, LoadedDocument)
    ]


def failures(path: Path, **options: object) -> list[str]:
    found = load(path, **options)  # type: ignore[arg-type]
    return [loaded.reason for loaded in found if isinstance(loaded, LoadFailure)]


def peak_mb(path: Path, **options: object) -> float:
    """Megabytes allocated at most while a file is loaded and its text streamed away."""
    list(load(path.parent / "warm-up.txt"))
    tracemalloc.start()
    try:
        for loaded in load(path, **options):  # type: ignore[arg-type]
            if isinstance(loaded, LoadedDocument):
                for block in loaded.blocks:
                    del block
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
