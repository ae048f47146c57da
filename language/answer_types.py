"""Typed answers in a sentence: names, persons, dates, numbers, places and countries."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .analyser import STOP_WORDS, Span, terms
from .dates import MONTHS, NAMES

_FAMILIES = """birth born bear birthplace birthday 태어 출생 탄생;die dead death deceased 사망 별세;
write wrote written author penned;spouse wife husband married wed;parent father mother son daughter
 child grandfather grandmother;found establish form create start launch;sing sang sung song singer;
perform artist;film movie;located situated;actor actress star cast;win won winner;company firm;
release publish issue;begin began begun;lead led;hold held;buy bought;make made;sell sold;
teach taught;build built construct;bury burial;grow grew grown;fight fought;country nation;
headquarters based;speak spoke spoken;choose chose chosen;draw drew drawn;leave left;lose lost;
know known;big biggest large largest;come came;give gave given;take took taken;keep kept;pay paid;
see saw seen;bring brought;send sent;meet met;catch caught;fall fell fallen;wear wore worn;
go went gone;get got gotten;become became;spend spent;break broke broken;eat ate eaten;tell told;
rise rose risen;run ran;steal stole stolen;throw threw thrown;stand stood;think thought"""
_FAMILY = {
    term: family.split()[0]
    for family in _FAMILIES.replace("\n", "").split(";")
    for word in family.split()
    for term in terms(word)
}
_SUFFIX = re.compile(r"(?<=\w{4})(?:ation|ment|ship|ist|ion|or|er|e)$")
UPPER = "".join(chr(c) for c in (*range(0x530), *range(0x1E00, 0x1F00)) if chr(c).isupper())
_CAPITAL = (
    rf"(?:(?:[{UPPER}]\.)+|(?:Jr|Sr|Dr|St|Mr|Mrs|Ms|Mt|Ft|Lt|Col|Gen|Capt|Prof)\."
    rf"|[{UPPER}][^\W_]*(?:[-'’.&/][^\W_]+)*)"
)
_LINK = r"(?:(?:of|de|la|le|du|di|da|del|von|van|der|den|al|el|bin|ibn|y|e|&) (?:the |la )?){0,2}"
_NAME = re.compile(rf"(?<![^\W_])(?!I['’]){_CAPITAL}(?: {_LINK}{_CAPITAL}| \d+\b(?![,.]\d))*")
_QUOTED = re.compile(
    r"[\"“「『《〈]([^\"”」』》〉]{2,80})[\"”」』》〉]|(?<!\w)['‘]([^'’]{3,80})['’](?!\w)"
)
CALENDAR = f"{NAMES} monday tuesday wednesday thursday friday saturday sunday"
OPENERS = f"""{CALENDAR} although since while however also many several despite according among
around along another currently later originally first second within without like unlike give tell
list describe explain due today together"""
_NOT_NAMES = STOP_WORDS | frozenset(f"{OPENERS} one two three name".split())


@lru_cache(maxsize=100_000)
def root(term: str) -> str:
    """An index term reduced further, so that "director" meets "directed" and "birth" "born"."""
    cut = _SUFFIX.sub("", term) if term.isascii() else term
    return _FAMILY.get(term) or _FAMILY.get(cut, cut)


@lru_cache(maxsize=50_000)
def roots(text: str) -> tuple[str, ...]:
    """The roots of the index terms of ``text`` in order."""
    return tuple(root(term) for term in terms(text))


@lru_cache(maxsize=20_000)
def name_spans(text: str) -> tuple[Span, ...]:
    """Capitalised names in ``text`` ("Mary of Teck", "J. S. Bach", "Apollo 13"), left to right."""
    found = []
    for match in _NAME.finditer(text):
        words = match.group().split(" ")
        while words and (words[0].lower() in _NOT_NAMES or words[0].isdigit()):
            del words[0]
        start = match.end() - len(" ".join(words))
        name = re.sub(r"['’]s?$", "", " ".join(words))
        if len(name) > 1:
            found.append(Span(start, start + len(name), name))
    return tuple(found)


def quoted_names(text: str) -> list[str]:
    """Names in quotation marks in ``text``, without the marks; signs alone are no name."""
    names = (match[match.lastindex or 0].strip(" ,.") for match in _QUOTED.finditer(text))
    return [name for name in names if any(map(str.isalnum, name))]


class Dated(NamedTuple):
    """A date in a text; ``key`` is (year, month, day), with zero for the parts left out."""

    start: int
    end: int
    text: str
    key: tuple[int, int, int]


class Candidate(NamedTuple):
    """A possible answer in a sentence; ``prior`` in 0..1 says how much it looks like its type."""

    start: int
    end: int
    text: str
    prior: float


class LifeFacts(NamedTuple):
    """Dates and places of birth and death, from the parenthesis after a person's name."""

    birth: Dated | None
    death: Dated | None
    birthplace: Span | None
    deathplace: Span | None


MONTH = "(?:" + "|".join(f"{n[:3]}(?:{n[3:]}|{n[3:4]})?" for n in NAMES.split()) + r")\b\.?"
_DATE = re.compile(
    rf"(?P<iso>\b\d{{4}}-\d{{2}}-\d{{2}}\b)"
    rf"|(?:(?P<d1>\b\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?P<month>\b{MONTH})"
    rf"(?:\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*[–-]))?(?:,?\s+(?P<year>\d{{3,4}})\b)?"
    r"|(?:(?P<ky>\d{3,4})년|(?<!\d)(?=\d\d?월\s*\d\d?일))(?:\s*(?P<km>\d\d?)월)?(?:\s*(?P<kd>\d\d?)일)?"
    r"|(?P<cent>\b\d{1,2})(?:st|nd|rd|th)\s+century\b|(?P<kcent>\d{1,2})세기"
    r"|(?P<bc>\b\d{1,4})\s+BCE?\b|\bAD\s+(?P<ad>\d{1,4})\b"
    r"|(?<![\d.,$£€-])(?P<bare>\b1[0-9]\d\d|20\d\d)(?P<s>s)?(?![\d%]|[.,]\d)",
    re.IGNORECASE,
)


def _date_key(match: re.Match[str]) -> tuple[int, int, int]:
    part = match.groupdict()
    if part["iso"]:
        return int(part["iso"][:4]), int(part["iso"][5:7]), int(part["iso"][8:])
    if part["month"]:
        day = part["d1"] or part["d2"] or 0
        return int(part["year"] or 0), MONTHS[part["month"][:3].casefold()], int(day)
    if part["ky"] or part["km"]:
        return int(part["ky"] or 0), int(part["km"] or 0), int(part["kd"] or 0)
    if part["cent"] or part["kcent"]:
        return int(part["cent"] or part["kcent"]) * 100 - 100, 0, 0
    return (-int(part["bc"]) if part["bc"] else int(part["ad"] or part["bare"])), 0, 0


@lru_cache(maxsize=20_000)
def dates(text: str) -> tuple[Dated, ...]:
    """Dates, years and centuries in ``text``, left to right."""
    found = []
    for match in _DATE.finditer(text):
        word = match["month"]
        alone = word and not (match["year"] or match["d1"] or match["d2"])
        if not alone or (word[0].isupper() and word.lower() not in {"may", "march", "mar", "sep"}):
            found.append(Dated(match.start(), match.end(), match.group(), _date_key(match)))
    return tuple(found)


_NEAR = re.compile(r"\b(?:near|outside)(?: the)? $")
_PARENTHESIS = re.compile(r"[(（]([^()（）]{4,200})[)）]")


def life_facts(text: str) -> LifeFacts:
    """Birth and death in the first parenthesis that dates a life: "(1900, Oslo – 2 June 1970)"."""
    for match in _PARENTHESIS.finditer(text[:600]):
        inside, offset = match[1], match.start(1)
        mark = re.match(r"[^\d]{0,40}?\b(born|b\.|died|d\.)", inside)
        halves = re.search(r"\s[–—-]\s?|[–—~∼]|(?<=\d)-(?=\d)", inside)
        if mark and not (halves and dates(inside[halves.end() :])):
            date, place = _date_and_place(text, offset, match.end(1))
            born = mark[1][0] == "b"
            if date:
                return LifeFacts(
                    *((date, None, place, None) if born else (None, date, None, place))
                )
        elif halves:
            first, first_place = _date_and_place(text, offset, offset + halves.start())
            last, last_place = _date_and_place(text, offset + halves.end(), match.end(1))
            if last or (first and "~" in inside):
                return LifeFacts(first, last, first_place, last_place)
    return LifeFacts(None, None, None, None)


def _date_and_place(text: str, start: int, end: int) -> tuple[Dated | None, Span | None]:
    piece = text[start:end]
    found = dates(piece)
    after = found[0].end if found else 0
    named = (span for span in name_spans(piece) if span.start >= after)
    place = next((span for span in named if not _NEAR.search(piece[: span.start])), None)
    return (
        Dated(found[0].start + start, after + start, *found[0][2:]) if found else None,
        Span(place.start + start, place.end + start, place.text) if place else None,
    )


# Names, then after a colon demonyms; a name alone takes an "n": "Algerian".
_COUNTRIES = """Afghanistan:Afghan Albania Algeria Angola Argentina:Argentine,Argentinian Armenia
Australia Austria Azerbaijan:Azerbaijani Bahrain:Bahraini Bangladesh:Bangladeshi Belarus:Belarusian
Belgium:Belgian Bolivia Bosnia_and_Herzegovina:Bosnian Botswana Brazil:Brazilian Bulgaria Cambodia
Cameroon:Cameroonian Canada:Canadian Chile:Chilean China:Chinese Colombia Congo:Congolese Costa_Rica
Croatia Cuba Cyprus:Cypriot Czech_Republic,Czechoslovakia:Czech,Czechoslovak Denmark:Danish,Dane
Dominican_Republic:Dominican Ecuador:Ecuadorian Egypt:Egyptian El_Salvador:Salvadoran Eritrea
Estonia Ethiopia Fiji:Fijian Finland:Finnish,Finn France:French,Frenchman Georgia
Germany,Prussia:German,West_German,East_German,Prussian Ghana:Ghanaian Greece:Greek Guatemala Guinea
Haiti:Haitian Honduras:Honduran Hong_Kong:Hongkonger Hungary:Hungarian Iceland:Icelandic India
Indonesia Iran,Persia:Iranian,Persian Iraq:Iraqi Ireland:Irish Israel:Israeli Italy:Italian
Ivory_Coast:Ivorian Jamaica Japan:Japanese Jordan:Jordanian Kazakhstan:Kazakh,Kazakhstani Kenya
Kosovo:Kosovan Kuwait:Kuwaiti Kyrgyzstan:Kyrgyz Laos:Laotian Latvia Lebanon:Lebanese Liberia Libya
Lithuania Luxembourg:Luxembourgish Madagascar:Malagasy Malaysia Mali:Malian Malta:Maltese
Mexico:Mexican Moldova Monaco:Monegasque Mongolia Montenegro:Montenegrin Morocco:Moroccan
Mozambique:Mozambican Myanmar,Burma:Burmese Namibia Nepal:Nepalese,Nepali Netherlands:Dutch
New_Zealand:New_Zealander Nicaragua Niger:Nigerien Nigeria North_Korea
North_Macedonia,Macedonia:Macedonian Norway:Norwegian Oman:Omani Pakistan:Pakistani
Palestine:Palestinian Panama:Panamanian Paraguay:Paraguayan Peru:Peruvian Philippines:Filipino
Poland:Polish Portugal:Portuguese Qatar:Qatari Romania Russia,Soviet_Union:Russian,Soviet Rwanda
Saudi_Arabia:Saudi Senegal:Senegalese Serbia,Yugoslavia:Serbian,Yugoslav Singapore:Singaporean
Slovakia:Slovak Slovenia:Slovenian,Slovene Somalia:Somali South_Africa
South_Korea,Korea:South_Korean,Korean Spain:Spanish,Spaniard Sri_Lanka Sudan:Sudanese
Sweden:Swedish,Swede Switzerland:Swiss Syria Taiwan:Taiwanese Tanzania Thailand:Thai Tunisia
Turkey:Turkish,Ottoman Uganda Ukraine:Ukrainian United_Arab_Emirates:Emirati
United_Kingdom,England,Scotland,Wales,UK,Britain,Great_Britain:British,English,Scottish,Welsh
United_States,US,U.S,USA,U.S.A:American Uruguay:Uruguayan Uzbekistan:Uzbek Venezuela
Vietnam:Vietnamese Yemen:Yemeni Zambia Zimbabwe:Zimbabwean"""
KOREAN_COUNTRIES = """대한민국 한국 조선 중국 일본 미국 영국 프랑스 독일 이탈리아 스페인 러시아
인도 베트남 태국 캐나다 호주 브라질 멕시코 네덜란드 스위스 스웨덴 노르웨이 핀란드 덴마크 폴란드
그리스 이집트 터키 북한 대만 오스트리아 벨기에 포르투갈 필리핀 인도네시아 몽골"""
_ENTRIES = [entry.replace("_", " ").partition(":") for entry in _COUNTRIES.split()]
_DEMONYMS = frozenset(
    form for names, _, forms in _ENTRIES for form in (forms or names + "n").split(",")
)
_COUNTRY_OF = {name: name for name in KOREAN_COUNTRIES.split()} | {
    form: names.split(",")[0]
    for names, _, forms in _ENTRIES
    for form in f"{names},{forms or names + 'n'}".split(",")
}
_LONGEST_FIRST = sorted(_COUNTRY_OF, key=len, reverse=True)
_COUNTRY = re.compile(
    rf"(?:(?<!\w)(?=[A-Z])|(?=[가-힣]))(?:{'|'.join(map(re.escape, _LONGEST_FIRST))})(?![A-Za-z])"
)


def countries(text: str) -> list[tuple[Span, str]]:
    """Countries and nationalities in ``text``, each with the name of the country it stands for."""
    found = _COUNTRY.finditer(text)
    return [(Span(*match.span(), match[0]), _COUNTRY_OF[match[0]]) for match in found]


_THING_WORDS = """Academy Airport Album Army Association Award Awards Band Bank Battle Bay Center
Centre Championship Championships Church City Club College Company Corporation Council County Cup
Department District Empire Federation Festival Film Force Government Group Hall Hospital House Inc
Institute Island Kingdom Lake League Library Magazine Mountain Mountains Museum Navy Network Ocean
Orchestra Park Party Pictures Press Prize Province Records Republic River Road School Sea Series
Show State States Station Street Studio Studios Theater Theatre Times Union University Valley War"""
THINGS = frozenset(_THING_WORDS.split())  # in names of what is no person
_BEFORE_PLACE = re.compile(r"\b(?:in|at|near|from|to|into|outside|of|around|across)\s+(?:the\s+)?$")
_BEFORE_PERSON = re.compile(
    r"(?:\b(?:by|with|named|called|Mr|Mrs|Dr|Sir|[a-z]+(?:or|er|ist|ian|man|king|father|son|wife|husband))"
    r"\.?,?\s+)$"
)
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Reverend)\b\.? ")
_AFTER_PERSON = re.compile(r"\s*(?:\((?:born|[^)]{0,40}\d{4})|,? who\b|['’]s\b|(?:was )?born\b)")


def names(text: str, kind: str, noun: str) -> list[Candidate]:
    """Capitalised and quoted names in ``text`` as answers of ``kind`` person, place or name."""
    found = []
    wanted = frozenset(roots(noun))
    for span in name_spans(text):
        before, after = text[max(0, span.start - 40) : span.start], text[span.end : span.end + 60]
        if kind != "name" and span.text.rpartition(" ")[2] in _DEMONYMS:
            continue
        if kind == "person":
            prior = _person_prior(span.text, before, after)
        elif kind == "place":
            prior = 0.5 if _BEFORE_PLACE.search(before) else 0.3 if before.endswith(", ") else 0.1
            prior += 0.3 * (bool(wanted) and not wanted.isdisjoint(roots(span.text + after[:15])))
            prior -= 0.1 * (span.start == 0)
        else:
            near = {*roots(after)[:2], *roots(before)[-2:]} if wanted else ()
            prior = 0.35 + 0.25 * (not wanted.isdisjoint(near))
            prior += 0.3 * (bool(wanted) and not wanted.isdisjoint(roots(span.text)))
            prior -= 0.15 * (" " not in span.text and (not span.start or span.text in _COUNTRY_OF))
        if prior > 0:
            found.append(Candidate(*span[:3], prior))
    for match in _QUOTED.finditer(text) if kind == "name" else ():
        group = match.lastindex or 0
        found.append(Candidate(*match.span(group), match[group], 0.4))
    return found


def _person_prior(name: str, before: str, after: str) -> float:
    words = name.split()
    if name in _COUNTRY_OF or not THINGS.isdisjoint(words) or words[-1][0].isdigit():
        return 0.0
    if name.isupper() or before.endswith(('"', "“", "‘")):
        return 0.05
    prior = 0.5 if 2 <= len(name.rpartition(" & ")[2].split()) <= 4 else 0.2
    prior += 0.25 * bool(_BEFORE_PERSON.search(before) or _TITLE.match(name)) + 0.15 * bool(
        _AFTER_PERSON.match(after)
    )
    return max(0.05, prior - 0.3 * bool(_BEFORE_PLACE.search(before)) - 0.15 * (" of " in name))
