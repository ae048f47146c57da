"""Every function of the package that splits, reads or marks a text, by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from ragraphs.algorithms.citations import locate, whole_quotes
from ragraphs.algorithms.claims import unsupported
from ragraphs.algorithms.crag.grading import features
from ragraphs.algorithms.crag.strips import decompose as strips
from ragraphs.algorithms.entities.spans import possible_names
from ragraphs.algorithms.entities.spellings import aliases_in_text, canonical
from ragraphs.algorithms.linear_rag.passage_records import (
    NamedSpan,
    passage_record,
    sentence_texts,
    with_entities,
)
from ragraphs.algorithms.router.features import question_features
from ragraphs.algorithms.splitting import split_text
from ragraphs.algorithms.tog2.sources import stating_sentence
from ragraphs.cli.excerpts import PassageExcerpt, excerpt
from ragraphs.language.analyser import count_tokens, keywords, sentences, terms
from ragraphs.language.answer_types import countries, dates, life_facts, name_spans
from ragraphs.language.code import code_blocks
from ragraphs.language.comparing import comparison
from ragraphs.language.languages import foreign_share
from ragraphs.language.markup import prose
from ragraphs.language.mentions import aliases, find_mentions, question_mentions
from ragraphs.language.questions import analyse_question
from ragraphs.language.support import CitablePassage, cite_point
from ragraphs.language.tables import rows
from ragraphs.language.values import amounts
from ragraphs.offline.decomposition.decompose import decompose
from ragraphs.offline.extraction.extract import extract_facts, summarise
from ragraphs.offline.follow_up import stand_alone
from ragraphs.offline.lines import Compared
from ragraphs.offline.questions import write_questions
from ragraphs.offline.reading import read
from ragraphs.offline.relations import judge, relation_scores
from ragraphs.offline.reports.points import write_points
from ragraphs.offline.reports.write import write_report
from ragraphs.prompts.prompt import fence, number
from ragraphs.stores.loading.blocks import sliced
from ragraphs.stores.loading.headers import header_of, stated_title
from ragraphs.stores.loading.headings import plain_heading
from ragraphs.stores.loading.metadata import front_metadata
from ragraphs.stores.loading.sections import markdown_parts, markdown_title, rst_parts, rst_title
from ragraphs.stores.loading.text import title_of

Work = Callable[[str], object]

TITLE, QUESTION = "Marie Curie", "Who discovered radium with Pierre Curie in 1898, and where?"
_LONGEST_QUESTION = 80


def _passage(text: str) -> Any:
    place = {"id": "p", "document": "d", "start": 0, "end": len(text), "score": 1.0}
    return {**place, "title": TITLE, "text": text, "found": "retrieved", "metadata": {}}


def _marked(text: str) -> object:
    third = len(text) // 3
    quotes = [text[:third], text[third : 2 * third], text[third + 7 : -9], text[-40:]]
    loose = [quote.upper().replace(" ", "  ")[:200] for quote in quotes]
    found = [place for quote in [*quotes, *loose] if (place := locate(quote, text))]
    for span in whole_quotes(found, text):
        assert text[span.start : span.end] == span.text
    return found


def _shown(text: str) -> object:
    passage = _passage(text)
    cited = [
        {"start": span.start, "end": span.end, "quote": span.text, "passage": "p"}
        for span in sentences(text)[1:6:2]
    ]
    return excerpt(PassageExcerpt(passage, cast(Any, cited)), in_colour=False)


def _split(text: str) -> None:
    for size, overlap in ((400, 0), (60, 20)):
        for chunk in split_text([text], size, overlap):
            assert text[chunk.start : chunk.end] == chunk.text


def _in_sentences(text: str) -> None:
    end = 0
    for span in sentences(text):
        assert end <= span.start < span.end and text[span.start : span.end] == span.text
        end = span.end


def _loaded(text: str) -> object:
    blocks = [*markdown_parts([text]), *rst_parts([text])]
    told = title_of(text), markdown_title(text), rst_title(text), stated_title(header_of(text))
    return list(sliced(blocks)), list(map(plain_heading, told)), front_metadata(text)


def _asked(text: str) -> object:
    asked = " ".join(text.split())[:_LONGEST_QUESTION]
    history = number([("question", QUESTION), ("answer", text[:_LONGEST_QUESTION])])
    parts = analyse_question(asked), question_features(asked), question_mentions(asked)
    _ = possible_names(asked[:60]), relation_scores(asked, "", TITLE, text)
    return parts, comparison(asked), decompose(asked), stand_alone(f"And {asked}", history)


def _recorded(text: str) -> object:
    record = passage_record(TITLE, text)
    assert len(record.terms) == len(sentence_texts(TITLE, text))
    return with_entities(record, text, [NamedSpan(0, min(5, len(text)), "Marie")])


def _similarity(lines: Sequence[Compared]) -> list[float]:
    return [len(line.sentence) % 7 / 7 for line in lines]


READERS: dict[str, Work] = {
    "count_tokens, terms": lambda text: (count_tokens(text), terms(text), keywords(text)),
    "prose": prose,
    "code_blocks": code_blocks,
    "rows": lambda text: list(rows(text, prose(text))),
    "sentences": _in_sentences,
    "split_text": _split,
    "titles, sections, front matter": _loaded,
    "locate, whole_quotes": _marked,
    "excerpt": _shown,
    "strips": lambda text: strips(_passage(text), 3),
    "features": lambda text: features(QUESTION, TITLE, text, 0.5),
    "find_mentions": lambda text: find_mentions(TITLE, text),
    "passage_record": _recorded,
    "dates, names, amounts": lambda text: (
        dates(text), name_spans(text), countries(text), amounts(text), life_facts(text)
    ),
    "aliases": lambda text: (aliases(text[:200]), canonical(text[:200])),
    "aliases_in_text": lambda text: aliases_in_text(
        text, {one.text for one in name_spans(text)}, {TITLE}
    ),
    "foreign_share": lambda text: foreign_share([text]),
    "extract_facts": lambda text: extract_facts(TITLE, text),
    "write_questions": lambda text: write_questions(TITLE, text),
    "read": lambda text: read(QUESTION, number([(TITLE, text)]), _similarity),
    "summarise": lambda text: summarise([text, QUESTION]),
    "write_report": lambda text: write_report(number([(TITLE, text)])),
    "write_points": lambda text: write_points(QUESTION, number([(TITLE, text)])),
    "cite_point": lambda text: cite_point(text[:200], [CitablePassage("p", TITLE, text)]),
    "unsupported": lambda text: unsupported(text[:300], QUESTION, [text]),
    "stating_sentence": lambda text: stating_sentence(
        text, [(0, 9)], [(len(text) // 2, len(text) // 2 + 9)], keywords("discovered radium")
    ),
    "relations": lambda text: (
        relation_scores(QUESTION, "", TITLE, text), judge(QUESTION, number([(TITLE, text)]))
    ),
    "fence": lambda text: fence(number([(TITLE, text)])),
    "questions": _asked,
}  # fmt: skip
