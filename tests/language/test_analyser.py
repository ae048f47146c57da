import pytest
from ragraphs.language.analyser import with_particle


@pytest.mark.parametrize(
    ("noun", "particle", "form"),
    [
        ("포스교", "은", "는"),
        ("세종대왕", "가", "이"),
        ("서울", "으로", "로"),
        ("부산", "로", "으로"),
        ("Acme", "을", "를"),
        ("경복궁", "에서", "에서"),
    ],
)
def test_a_particle_takes_the_form_that_goes_with_its_noun(noun, particle, form):
    assert with_particle(noun, particle) == noun + form
