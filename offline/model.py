"""The offline reader: answers every prompt by processing the text, with no key and no network."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import ValidationError

from ..algorithms.linear_rag.passage_records import titled
from ..language.analyser import content_words
from ..language.questions import analyse_question
from ..models.embeddings import Embedder
from ..models.lexical import LexicalEmbedder
from ..models.meter import current_meter
from ..models.protocol import OFFLINE, NoReplyError
from ..models.query_vectors import embed_queries
from ..prompts import graphrag_replies as graphrag
from ..prompts import replies
from ..prompts import tog2_replies as tog2
from ..prompts.extraction_replies import Description, Facts, MoreToFind, PassageReading
from ..prompts.prompt import Excerpt, Prompt
from .lines import Compared, Similarity, cosines, lines_of, sentence_of
from .reading import read
from .relations import judge, relation_scores
from .reports.points import combine_points, write_points
from .reports.write import write_report
from .statements import judge_statement
from .steps import answer_from_steps, next_step, read_step, split, synthesize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

R = TypeVar("R", bound=replies.PromptReply)
KnownSentences = Callable[[Collection[str]], Mapping[tuple[str, str], "NDArray[np.float32]"]]
_ROW = re.compile(r"(\d+)\. ([^|]*) \| (.*)")
_ANSWERED = 100.0
_COMPARED = 24  # of the sentences that the index has no vectors of
_METHODS = """rewrite_query answer check_answer write_questions extract_facts read_passage
glean_check summarise_description keep_topics score_relations write_report
rate_reports map_texts prime follow_up stand_alone"""


class OfflineLanguageModel:
    """Answers every prompt but CHOOSE_HOPS and the graders', for which there are other ways.

    ``embedder`` serves for similarities if it costs nothing; else words alone are compared.
    ``known`` gives the vectors of sentences of passages that the index holds, and ``worth`` how
    much they tell of a question in its language, in [0, 1].
    """

    name = OFFLINE

    def __init__(
        self,
        embedder: Embedder,
        known: KnownSentences = lambda passages: {},
        worth: Callable[[str], float] = lambda question: 1.0,
    ) -> None:
        self._embedder = embedder if embedder.local else LexicalEmbedder()
        self._known = known
        self._worth = worth
        self._functions: dict[str, Callable[..., replies.PromptReply]] = {
            "next_step": next_step,
            "answer_from_steps": answer_from_steps,
            "decompose": split,
            "judge_statement": judge_statement,
            "judge_evidence": judge,
            "combine_points": combine_points,
            "glean": lambda **inputs: Facts(entities=[], relations=[], claims=[]),
            "local_answer": self._answer,
            "read_step": partial(read_step, read=self._answer),
            "synthesize": partial(synthesize, read=self._answer),
        }
        self._functions |= {name: getattr(self, f"_{name}") for name in _METHODS.split()}

    async def run(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> R:
        """The reply to ``prompt``; no limit bounds it. Raises NoReplyError where there is none."""
        current_meter().count(self.name, calls=1)
        function = cast(Callable[..., Any], self._functions.get(prompt.name))
        if function is None:
            raise NoReplyError(
                "refused", f"The offline reader has no rules for the prompt {prompt.name}."
            )
        return cast(R, await asyncio.to_thread(_read, function, inputs))

    def missing_tokens(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> int:
        return 0  # nothing is ever sent

    def _rewrite_query(self, question: str) -> replies.Queries:
        options = analyse_question(question).options[:3]
        named = {word for option in options for word in content_words(option)}
        asked = [word for word in content_words(question) if word not in named]
        queries = [" ".join([option, *asked]) for option in options]
        return replies.Queries(queries=queries or [" ".join(asked) or question])

    def _answer(
        self, question: str, texts: Sequence[Excerpt], knowledge: str | Sequence[Excerpt] = ()
    ) -> replies.Answer:
        return read(question, texts, self._similarity(question, _COMPARED))

    def nearest(self, question: str, texts: Sequence[Excerpt]) -> list[float]:
        """The cosine of each text's sentence nearest to ``question``."""
        lines, similarity = lines_of(texts), self._similarity(question, _COMPARED)
        near = [0.0] * len(texts)
        told = cosines(question, texts, lines, similarity) if similarity else {}
        for line in lines:
            near[line.place] = max(near[line.place], told.get(sentence_of(line, texts), 0.0))
        return near

    def _check_answer(
        self, question: str, answer: Sequence[Excerpt], texts: Sequence[Excerpt]
    ) -> replies.AnswerCheck:
        return replies.AnswerCheck(unsupported=[], sufficient=True)  # rules were asked before

    def _write_questions(self, texts: Sequence[Excerpt]) -> replies.PassageQuestions:
        from .questions import write_questions  # its patterns take long to compile

        return write_questions(texts[0]["title"], texts[0]["text"])

    def _extract_facts(self, texts: Sequence[Excerpt], **settings: str) -> Facts:
        from .extraction.extract import extract_facts  # its patterns take long to compile

        return Facts.model_validate(extract_facts(texts[0]["title"], texts[0]["text"]))

    def _read_passage(self, texts: Sequence[Excerpt], **settings: str) -> PassageReading:
        # A reply without questions is refused only of a model, which should have found some.
        written, facts = self._write_questions(texts), self._extract_facts(texts)
        return PassageReading.model_construct(**dict(written), **dict(facts))

    def _glean_check(self, **inputs: str | Sequence[Excerpt]) -> MoreToFind:
        return MoreToFind(missed=False)  # rules find the same things every time

    def _summarise_description(self, texts: Sequence[Excerpt]) -> Description:
        from .extraction.extract import summarise

        return Description(description=summarise([text["text"] for text in texts]))

    def _keep_topics(self, question: str, texts: Sequence[Excerpt]) -> replies.KeptTexts:
        return replies.KeptTexts(keep=[text["id"] for text in texts])  # none is known to lead on

    def _score_relations(
        self, question: str, clue: str, texts: Sequence[Excerpt]
    ) -> tog2.RelationScores:
        cosines = self._similarity(question)
        told = [
            relation_scores(question, clue, text["title"], text["text"], cosines) for text in texts
        ]
        scored = [pair for scores in told for pair in scores.items()]
        return tog2.RelationScores(
            scores=[tog2.RelationScore(id=id, score=score) for id, score in scored]
        )

    def _write_report(self, texts: Sequence[Excerpt], manner: str = "") -> graphrag.CommunityReport:
        lines = (_ROW.fullmatch(line) for text in texts for line in text["text"].splitlines())
        rows = [Excerpt(id=line[1], title=line[2], text=line[3]) for line in lines if line]
        return write_report(rows or texts)

    def _points(self, question: str, texts: Sequence[Excerpt]) -> list[graphrag.ReplyPoint]:
        return write_points(question, texts, self._similarity(question))

    def _rate_reports(self, question: str, texts: Sequence[Excerpt]) -> replies.KeptTexts:
        telling = (id for point in self._points(question, texts) for id in point.evidence)
        return replies.KeptTexts(keep=list(dict.fromkeys(telling)))

    def _map_texts(self, question: str, texts: Sequence[Excerpt]) -> graphrag.Points:
        return graphrag.Points(points=self._points(question, texts))

    def _prime(self, question: str, texts: Sequence[Excerpt]) -> graphrag.PrimedAnswer:
        return graphrag.PrimedAnswer(points=self._points(question, texts), follow_ups=[])

    def _follow_up(
        self, main: str, question: str, texts: Sequence[Excerpt], knowledge: Sequence[Excerpt]
    ) -> graphrag.LocalAnswer:
        answer = self._answer(question, texts)
        score = _ANSWERED if answer.sufficient else 0.0
        return graphrag.LocalAnswer(**answer.model_dump(), score=score, follow_ups=[])

    def _stand_alone(self, question: str, history: Sequence[Excerpt]) -> replies.StandAloneQuestion:
        from .follow_up import stand_alone

        return replies.StandAloneQuestion(question=stand_alone(question, history))

    def _similarity(self, question: str, most: int | None = None) -> Similarity | None:
        worth = self._worth(question) if self._embedder.semantic else 0.0

        def similarity(sentences: Sequence[Compared]) -> list[float]:
            known = self._known({one.passage for one in sentences} - {""})
            found = {one: known.get((one.passage, one.sentence)) for one in sentences}
            lacking = [one for one in found if found[one] is None][:most]
            asked = [question, *(titled(one.title, one.sentence) for one in lacking)]
            vector, *others = embed_queries(self._embedder, asked)
            found |= zip(lacking, others, strict=True)
            asked_of = worth * vector
            return [
                0.0 if (own := found[one]) is None else float(own @ asked_of) for one in sentences
            ]

        return similarity if worth else None


def _read(function: Callable[..., Any], inputs: Mapping[str, str | Sequence[Excerpt]]) -> Any:
    """The reply that ``function`` makes, without the texts on which it fails, which are named."""
    try:
        return function(**inputs)
    except ValidationError as error:
        raise NoReplyError("malformed", "The offline reader found nothing to read.") from error
    except Exception as error:
        texts = [text for text in inputs.get("texts", ()) if not isinstance(text, str)]
        readable = [text for text in texts if _takes(function, {**inputs, "texts": [text]})]
        if not 0 < len(readable) < len(texts):
            told = f"The offline reader cannot read this ({type(error).__name__}: {error})."
            raise NoReplyError("malformed", told) from error
    for text in texts:
        if text not in readable:
            current_meter().warn(
                f"The offline reader leaves out a passage of {text['title']!r}: it cannot read it."
            )
    return _read(function, {**inputs, "texts": readable})


def _takes(function: Callable[..., Any], inputs: Mapping[str, Any]) -> bool:
    try:
        function(**inputs)
    except ValidationError:
        return True
    except Exception:
        return False
    return True
