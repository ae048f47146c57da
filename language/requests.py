"""Requests: what is asked for without a question, such as \"Tell me about Leith\"."""

from __future__ import annotations

import re

_ENGLISH = re.compile(
    r"(?i)^(?:please |can you |could you |would you )*"
    r"(?:(?:tell|teach) (?:me|us)(?: (?:more|all|everything|something))?(?: about)?|describe"
    r"|explain|summari[sz]e|introduce|outline|give (?:me |us )?(?:an? )?(?:short |brief )?"
    r"(?:overview|summary|account|description) of|write (?:something )?about)"
    r"\s+(?!when|where|how|who|which|why|whether|what|if)"
)
_KOREAN = re.compile(
    r"(?:에 ?(?:대해|관해|대하여|관하여)서?|을|를)? ?(?:자세히|간단히|짧게)? ?"
    r"(?:알려|설명해|말해|말씀해|요약해|소개해|설명하|요약하|소개하) ?"
    r"(?:주세요|주십시오|주시겠어요|주실래요|줘요?|달라|시오|라)\s*[.?!]*$"
)


def requested(text: str) -> str:
    """The subject of a request ("Tell me about ..."); empty where ``text`` is no request."""
    for pattern in (_ENGLISH, _KOREAN):
        subject = pattern.sub("", text)
        if subject != text:
            return subject.strip(" .!?")
    return ""
