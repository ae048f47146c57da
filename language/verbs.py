"""Irregular English verbs, and Korean verbs without their endings."""

import re
from unicodedata import normalize

PAST_OF = dict(
    entry.split(":")
    for entry in """written:wrote sung:sang drawn:drew begun:began given:gave taken:took
    shown:showed known:knew driven:drove overseen:oversaw become:became chosen:chose spoken:spoke
    broken:broke run:ran made:made built:built led:led held:held won:won sold:sold taught:taught
    bought:bought lost:lost sent:sent paid:paid found:found fought:fought shot:shot left:left
    brought:brought set:set told:told gone:went come:came grown:grew seen:saw done:did met:met
    struck:struck kept:kept heard:heard""".split()
)
PASTS = "|".join(sorted({*PAST_OF.values()}))
_N, _L, _P, _SS = "\u11ab", "\u11af", "\u11b8", "\u11bb"  # ㄴ, ㄹ, ㅂ, ㅆ below a vowel
_PAST = f"(?:았|었|{_SS})"
_ASKED = (
    f"(?:습|{_P})니까|나요|(?:는|던)가(?:요)?|(?:{_N}|은)가요|는지|(?:{_L}|을)까(?:요)?|(?:어|아)요"
)
_TOLD = f"(?:(?:습|{_P})니|{_N}|는)?다|{_N}|{_L}|은|는|을|던|(?:으)?(?:며|면)|고|지|지만|는데"
_TOLD += "|(?:어|아)(?:서)?|거나|게|도록|려고"
_ENDING = re.compile(
    normalize("NFD", f"(?<=[\u1161-\u11c2])(?:(?P<asked>{_PAST}.*|{_ASKED})|{_TOLD})$")
)
_UNJOINED = str.maketrans("\u1167\u116a\u116f\u116b\u1165", "\u1175\u1169\u116e\u116c\u1173")


_OF_NOUN = re.compile(r"(?:하여?|해|되|돼|\B[이여])$")  # "발표하", "회장이"


def korean_root(word: str, asked: bool = False) -> str:
    """The root of a Korean verb: "떠나" of "떠났다" and "떠납니까"; empty if no ending is seen.

    If ``asked``, only endings count that no noun has, and no noun with 하다, 되다 or 이다. Vowels
    that joined with an ending are taken apart, and ㄹ falls: all forms of one verb have one root,
    which is not always the one in use.
    """
    letters = normalize("NFD", word)
    ending = _ENDING.search(letters)
    if not ending or (asked and not ending["asked"]):
        return ""
    root = letters[: ending.start()].removesuffix(_L)
    if asked and _OF_NOUN.search(normalize("NFC", root)):
        return ""
    return normalize("NFC", root[:-1] + root[-1].translate(_UNJOINED))
