"""Follow-up questions: a pronoun gives way to the name it stands for, where that is certain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..language.analyser import is_korean, one_line, strip_particle, with_particle
from ..language.mentions import question_mentions
from ..prompts.prompt import Excerpt
from .extraction.entities import type_of_name

_ENGLISH = re.compile(
    r"(?i)\b(?:(?P<person>his|hers?|he|him|she)|(?P<thing>its?)|(?P<several>theirs?|they|them)"
    r"|(?P<place>(?<!^)(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )there(?! (?:is|are))))\b"
    r"(?! (?:true|possible|likely|legal|safe|take|rain|snow|mean|matter|cost|is (?:that|to))\b)"
)
_KOREAN = re.compile(
    r"(?<![가-힣])(?:(?P<several>그들)|(?P<thing>[그이]것|[그이]거)|(?P<place>[그이]곳|거기)"
    r"|(?P<person>그녀|그분|그이|그 ?사람|그(?=[는가의를와도]|에게|한테)))"
    r"(?P<josa>은|는|이|가|을|를|의|에게|에서|에|와|과|도|으로|로|한테)?(?![가-힣])"
)
_SHORT_FORMS = {"그게": "그것이", "그건": "그것은", "그걸": "그것을", "거긴": "거기는"}
_SHORT_FORM = re.compile(rf"(?<![가-힣])(?:{'|'.join(_SHORT_FORMS)})(?![가-힣])")
_TOPIC = re.compile(r"^([^?!.,]{1,40}?)(?:은|는|이|가|을|를|의|께서|에서|에) ")
_FITTING = {"person": {"person", ""}, "place": {"place", ""}}
_ASKED = {"person": r"\bwho(?:m|se)?\b|누구|누가|누굴", "place": r"\bwhere\b|어디"}
_POSSESSIVE = re.compile(
    r"(?:his|hers|its|theirs?|her(?= \w)(?! (?:in|on|at|to|for|by|from|with)\b))\b", re.IGNORECASE
)
_TIME = re.compile(r"\btime (?:is|was) it\b", re.IGNORECASE)
_WHO_IS = re.compile(r"^who(?:'s| is| was| are| were) _\W*$|^_\S? 누구(?:인|입|예|야|였)", re.I)
_BARE = re.compile(
    r"(?i)(?:and |but |so )?((?:since|until|by|from) when|how (?:long|often|much|many)|when|where"
    r"|why|how|who)\W*|(언제|왜|어떻게|누가|어디(?:에?서)?)요?\W*"
)
_DO = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b"
_ASKING = re.compile(
    rf"(?i)^(?:(?:in|on|at|from|to|for) wh(?:at|ich) \w+|how \w+(?= {_DO})|how|wh\w+)\b|^(?={_DO})"
    r"|(?<![가-힣])(?:누구|누가|무엇|무슨|뭐|언제|어디|어느|어떤|몇|얼마|왜|어떻게)[가-힣]*"
)
_MOST_WORDS = 3  # of a Korean answer that is nothing but a name


class _Name(NamedTuple):
    """A name in a turn; ``kind`` is empty where nothing tells it, ``text`` if only asked for."""

    text: str
    kind: str


def stand_alone(question: str, history: Sequence[Excerpt]) -> str:
    """``question`` with a name for its first pronoun, from ``history`` (oldest turn first).

    The title of a turn says whether it is a "question" or an "answer". A question word alone asks
    the question before anew; without a pronoun, or a certain name, a question is unchanged.
    """
    turns: list[list[_Name]] = []
    asked = ""
    for turn in history:
        text = one_line(turn["text"])
        if turn["title"] == "answer":
            kind = _kind_asked(asked)
            turns.append([name._replace(kind=name.kind or kind) for name in _names(text)])
        else:
            asked = _rewritten(text, turns, asked)
            turns.append(_of_question(_names(asked), asked))
    return _rewritten(question, turns, asked)


def _names(text: str) -> list[_Name]:
    if is_korean(text):
        return _korean_names(text)
    names = []
    for mention in question_mentions(text):
        if mention.kind in {"name", "quoted"}:
            kind = type_of_name(mention.text, text, mention.start, mention.end)
            article = "the " if text[: mention.start].lower().endswith("the ") else ""
            names.append(_Name(article + mention.text, kind))
    return names


def _of_question(names: list[_Name], asked: str) -> list[_Name]:
    """The names of a question, before them the nameless one that it asks for."""
    if len(names) == 1 and _WHO_IS.search(asked.replace(names[0].text, "_")):
        return [names[0]._replace(kind="person")]
    wanted = _kind_asked(asked)
    return [_Name("", wanted), *names] if wanted else names


def _kind_asked(asked: str) -> str:
    return next((kind for kind, words in _ASKED.items() if re.search(words, asked, re.I)), "")


def _korean_names(text: str) -> list[_Name]:
    """The topic of a Korean sentence, or the whole of a short answer."""
    topic = _TOPIC.match(text)
    words = text.strip(" .!?").split()
    if topic and not re.search("|".join(_ASKED.values()), topic[1]):
        return [_Name(topic[1], "")]
    whole = " ".join([*words[:-1], strip_particle(words[-1])]) if words else ""
    short = len(words) <= _MOST_WORDS and "?" not in text and not whole[:1].isdigit()
    return [_Name(whole, "")] if whole and short else []


def _asked_anew(question: str, asked: str) -> str:
    """The question ``asked`` before by the question word that is all of ``question``."""
    bare = _BARE.fullmatch(question.strip())
    if not bare or is_korean(question) != is_korean(asked):
        return question
    word = (bare[1] or bare[2]).capitalize()
    before = asked if bare[2] else asked[:1].lower() + asked[1:]
    anew, found = _ASKING.subn(lambda match: word + " " * (not match[0]), before, count=1)
    return anew if found else question


def _rewritten(question: str, turns: Sequence[Sequence[_Name]], asked: str) -> str:
    question = _asked_anew(question, asked)
    korean = is_korean(question)
    text = _SHORT_FORM.sub(lambda match: _SHORT_FORMS[match.group()], question)
    found = (_KOREAN if korean else _ENGLISH).search(text)
    if not found or _TIME.search(text) or (not korean and _names(text[: found.start()])):
        return question
    kind = next(kind for kind in ("person", "thing", "place", "several") if found[kind])
    if not (name := _meant(kind, turns)):
        return question
    start, end = found.span()
    if korean:
        name = with_particle(name, found["josa"] or "")
    elif kind == "place":
        name = f"in {name}"
    elif _POSSESSIVE.match(text, start):
        name += "'" if name.endswith("s") else "'s"
    name = name if start else name[:1].upper() + name[1:]
    return text[:start] + name + text[end:]


def _meant(kind: str, turns: Sequence[Sequence[_Name]]) -> str:
    """The name that fits a pronoun of ``kind`` in the latest turn with one; empty if not one alone.

    Of several it is the one that was spoken of before.
    """
    for place in range(len(turns) - 1, -1, -1):
        fitting = [name for name in turns[place] if name.kind in _FITTING.get(kind, {name.kind})]
        fitting = [name for name in fitting if name.kind == kind] or fitting
        if kind == "thing":
            fitting = [name for name in turns[place] if name.text and name.kind != "person"]
        texts = list(dict.fromkeys(name.text for name in fitting))
        if kind == "several" and len({name.kind for name in fitting}) == 1:
            return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))
        before = {name.text for names in turns[:place] for name in names}
        again = [text for text in texts if text in before]
        if texts:
            return (texts if len(texts) == 1 else again if len(again) == 1 else [""])[0]
    return ""
