"""A pattern that waits for its first use is in all else one of the standard library."""

from __future__ import annotations

import re

from ragraphs.language import patterns
from ragraphs.language.patterns import regex


def test_a_pattern_is_compiled_at_its_first_use_and_once(monkeypatch):
    compiled = []
    compile = re.compile
    monkeypatch.setattr(
        patterns.re, "compile", lambda *given: compiled.append(given) or compile(*given)
    )
    mills = regex(r"mills?\b", re.IGNORECASE)
    assert mills.pattern == r"mills?\b" and compiled == []
    assert mills.findall("Mill and mills") == ["Mill", "mills"]
    assert mills.sub("-", "a mill") == "a -" and mills.fullmatch("mile") is None
    assert compiled == [(r"mills?\b", re.IGNORECASE)]
    assert mills.groups == 0 and mills.flags == compile("", re.IGNORECASE).flags
