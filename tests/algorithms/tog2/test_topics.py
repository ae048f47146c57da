from ragraphs.algorithms.entities.spans import SpellingIndex
from ragraphs.algorithms.tog2.topics import link_question, unlinked_names

NAMES = {
    "jaws": "Jaws",
    "duel": "Duel",
    "spielberg": "Steven Spielberg",
    "paris-prince": "Paris",
    "paris-city": "Paris",
    "film": "film",
    "1975": "1975",
    "uk": "United Kingdom",
}


class Graph:
    def name_of(self, entity):
        return NAMES[entity]


GRAPH = Graph()
INDEX = SpellingIndex(
    {
        "Jaws": ["jaws"],
        "Duel": ["duel"],
        "Steven Spielberg": ["spielberg"],
        "Spielberg": ["spielberg"],
        "Paris": ["paris-prince", "paris-city"],
        "film": ["film"],
        "1975": ["1975"],
        "United Kingdom": ["uk"],
        "UK": ["uk"],
    }
)


def linked(question):
    return [
        (question[link["start"] : link["end"]], link["entity"], link["how"])
        for link in link_question(GRAPH, INDEX, question)
    ]


def test_questions_are_linked_exactly_and_by_alias():
    assert linked("Who directed the film Jaws?") == [("Jaws", "jaws", "exact")]
    assert linked("Where was Spielberg born?") == [("Spielberg", "spielberg", "alias")]
    assert linked("Is Jaws older than Duel?") == [
        ("Jaws", "jaws", "exact"),
        ("Duel", "duel", "exact"),
    ]
    assert linked("Who rules the U.K. now?") == [("U.K", "uk", "alias")]
    assert linked("who directed jaws?") == [("jaws", "jaws", "exact")]


def test_the_longest_name_counts():
    assert linked("Where was Steven Spielberg born?") == [
        ("Steven Spielberg", "spielberg", "exact")
    ]


def test_homonyms_are_linked_apart():
    assert linked("Where is Paris?") == [
        ("Paris", "paris-city", "exact"),
        ("Paris", "paris-prince", "exact"),
    ]


def test_common_words_and_numbers_count_only_where_nothing_is_named():
    assert linked("Which film of 1975 won?") == [
        ("film", "film", "exact"),
        ("1975", "1975", "exact"),
    ]
    assert linked("Which film did Spielberg make in 1975?") == [("Spielberg", "spielberg", "alias")]


def test_a_question_without_a_known_name_has_no_links():
    question = "Who wrote Moby Dick?"
    assert linked(question) == []
    assert [question[a:b] for a, b in unlinked_names(question, [])] == ["Moby Dick"]
    assert unlinked_names("why is it so?", []) == [(0, 13)]
    links = link_question(GRAPH, INDEX, "Who directed Jaws?")
    assert unlinked_names("Who directed Jaws?", links) == []
