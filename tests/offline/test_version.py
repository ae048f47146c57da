"""The version of the offline reader is raised when it reads fixed texts otherwise."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.offline import version
from ragraphs.offline.model import OfflineLanguageModel

# Of the readings by each version; those of a version that was released never change.
DIGESTS = {
    "1": "66c402ab8f385d0b",
    "2": "e383d7692bb256b4",
    "3": "e383d7692bb256b4",
    "4": "e383d7692bb256b4",
    "5": "e383d7692bb256b4",
    "6": "e383d7692bb256b4",
    "7": "bfa0b17253750d18",
    "8": "f74b4c3646367ae4",
    "9": "f74b4c3646367ae4",
}

TEXTS = [
    (
        "The Tay Bridge",
        "# The Tay Bridge\n\nThomas Bouch designed the first Tay Bridge, which opened in 1878. It "
        "collapsed in a storm on 28 December 1879, while a train of the North British Railway "
        "crossed it. Queen Victoria had knighted Bouch a few months before. The second bridge, by "
        "William Henry Barlow and his son Crawford Barlow, was opened on 13 July 1887.",
    ),
    (
        "A letter",
        "“My dear Fred,” said Mr. Scrooge, “keep Christmas in your own way, and let me keep it in "
        "mine.” His nephew laughed. Bob Cratchit, the clerk, put on his white comforter. Marley, "
        "Scrooge's partner, had died seven years ago; the sign above the door still said Scrooge "
        "and Marley.",
    ),
    (
        "Prices",
        "| Bridge | Cost | Year |\n|---|---|---|\n| Forth Bridge | £3.2 million | 1890 |\n"
        "| Humber Bridge | £98 million | 1981 |\n\n- The Humber Bridge was the longest of its "
        "kind until 1998.\n- Tolls: 1.50 euros a car.",
    ),
    (
        "훈민정음",
        "훈민정음은 1443년에 세종대왕이 창제하였다. 집현전 학자 정인지가 서문을 썼다. 해례본은 "
        "1940년 안동에서 발견되어 간송미술관에 보관되어 있다. 최만리는 새 글자에 반대하였다.",
    ),
    ("The skin", "A test is made early. It helps to look at the skin after Testing and Looking."),
    ("L-20", "id: L-20\nmaker: Noor Haddad\nsold by: Lampenhaus Ulm\nprice_eur: 395"),
    ("", "int | str is no table.\nThe rest follows here. See https://example.org/a?b=c."),
]


def rows(found: Any) -> list[dict[str, str]]:
    return [
        {"id": str(place), "title": f"Entity: {one.name}", "text": one.description}
        for place, one in enumerate(found.entities, start=1)
    ]


def test_what_is_read_otherwise_has_another_version():
    reader = OfflineLanguageModel(LexicalEmbedder())
    read: list[Any] = []
    for title, text in TEXTS:
        shown = [{"id": "1", "title": title, "text": text}]
        found = reader._read_passage(shown)
        read += [found.model_dump(), reader._write_report(rows(found)).model_dump()]
    said = [{"id": "1", "title": "", "text": text} for _, text in TEXTS[:2]]
    read.append(reader._summarise_description(said).model_dump())
    digest = hashlib.sha256(json.dumps(read, ensure_ascii=False).encode()).hexdigest()[:16]
    assert DIGESTS.get(version.VERSION) == digest, (
        "The offline reader reads otherwise than its version: raise VERSION in offline/version.py, "
        f"and keep the digest {digest} under it here."
    )
