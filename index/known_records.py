"""The records that the passage graph was made of before, so that only new passages are read."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.linear_rag.passage_records import PassageRecord, passage_record
from ..algorithms.packed_texts import PackedTexts

if TYPE_CHECKING:
    from ..state.records import Passage
    from .layers import Arrays

_NAME, _CODES = "records", "record_codes"
_DIGEST = 12


class KnownRecords:
    """Records of passages, those that are in the ``arrays`` of the graph of before read from there.

    >>> records = KnownRecords(arrays)
    >>> record = records.of(passage, 3)
    >>> arrays = records.to_arrays()
    """

    def __init__(self, arrays: Arrays) -> None:
        codes: bytes = arrays[_CODES].tobytes() if _CODES in arrays else b""
        self._before = PackedTexts.from_arrays(arrays, _NAME) if codes else PackedTexts.of([])
        starts = range(0, len(codes), _DIGEST)
        self._places = {codes[start : start + _DIGEST]: at for at, start in enumerate(starts)}
        self._kept: dict[bytes, str] = {}

    def of(self, passage: Passage, sentences: int | None) -> PassageRecord:
        """The record of a passage, which is kept for the next time.

        One of before has as many ``sentences`` as have vectors.
        """
        said = f"{passage['title']}\0{passage['text']}"
        code = hashlib.blake2b(said.encode(), digest_size=_DIGEST).digest()
        if (place := self._places.get(code)) is not None:
            found = _from_json(self._before[place])
            if len(found.terms) == sentences:
                self._kept[code] = self._before[place]
                return found
        record = passage_record(passage["title"], passage["text"])
        self._kept[code] = json.dumps(record, ensure_ascii=False)
        return record

    def to_arrays(self) -> Arrays:
        """The records that were asked for, with the codes of their texts."""
        codes = np.frombuffer(b"".join(self._kept), dtype=np.uint8).reshape(-1, _DIGEST)
        return {_CODES: codes, **PackedTexts.of(self._kept.values()).to_arrays(_NAME)}


def _from_json(text: str) -> PassageRecord:
    titles, mentions, terms, title_terms, starts = json.loads(text)
    return PassageRecord(
        tuple(titles),
        tuple((sentence, key, certain) for sentence, key, certain in mentions),
        tuple(map(tuple, terms)),
        tuple(title_terms),
        tuple(starts),
    )
