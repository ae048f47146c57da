"""Requests that are no questions: "Tell me about Ann", "앤에 대해 알려 주세요"."""

from __future__ import annotations

import re

_ENGLISH = re.compile(
    r"^(?:please |can you |could you |would you )*"
    r"(?:(?:tell|teach) (?:me|us)(?: (?:more|all|everything|something))?(?: about)?|describe"
    r"|explain|summari[sz]e|introduce|outline|give (?:me |us )?(?:an? )?(?:short |brief )?"
    r"(?:overview|summary|account|description) of|write (?:something )?about)"
    r"\s+(?!when|where|how|who|which|why|whether|what|if)",
    re.IGNORECASE,
)
_KOREAN = re.compile(
    r"(?:에 ?(?:대해|관해|대하여|관하여)서?|을|를)?\s*(?:자세히|간단히|짧게)?\s*"
    r"(?:알려|설명해|말해|말씀해|요약해|소개해|설명하|요약하|소개하)\s*"
    r"(?:주세요|주십시오|주시겠어요|주실래요|줘요?|달라|시오|라)\s*[.?!]*$"
)


def requested(text: str) -> str:
    """What a request is about, without the request's own words; empty where it is none."""
    for pattern in (_ENGLISH, _KOREAN):
        subject = pattern.sub("", text)
        if subject != text:
            return subject.strip(" .!?")
    return ""
