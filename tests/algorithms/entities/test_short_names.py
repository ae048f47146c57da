from ragraphs.algorithms.entities.merging import Merging
from ragraphs.algorithms.entities.senses import FoundFacts

TEXTS = {
    "p1": ("Scrooge shut the door. Mrs. Cratchit laughed.", ["Ebenezer Scrooge", "Mrs. Cratchit"]),
    "p2": ("Bob Cratchit looked at Scrooge.", ["Bob Cratchit", "Ebenezer Scrooge"]),
    "p3": ("Cratchit sang.", ["Bob Cratchit"]),
    "p4": ("Cratchit danced.", ["Mrs. Cratchit"]),
    "p5": ("Tiny Tim Cratchit slept.", ["Tim Cratchit"]),
}


def graph(by_model: bool):
    def found(passage):
        text, names = TEXTS[passage]
        entities = [{"name": name, "type": "person", "description": ""} for name in names]
        return FoundFacts(passage, "d", text, {"entities": entities, "relations": [], "claims": []})

    return Merging([found(one) for one in TEXTS], by_model=by_model).graph()


def test_a_person_whom_a_model_names_in_full_is_found_by_the_surname_that_texts_use():
    found = graph(by_model=True)
    (scrooge,) = (one for one in found.entities if one.name == "Ebenezer Scrooge")
    assert scrooge.aliases == ("Ebenezer Scrooge", "Scrooge")
    mentioned = {(m.passage, m.start, m.end) for m in found.mentions if m.entity == scrooge.id}
    assert mentioned == {("p1", 0, 7), ("p2", 23, 30)}


def test_a_surname_of_several_people_stands_for_none_of_them():
    found = graph(by_model=True)
    assert not any("Cratchit" in one.aliases for one in found.entities)


def test_a_word_that_stands_only_in_full_names_is_no_name_by_itself():
    found = graph(by_model=True)
    assert not any({"Tim", "Bob"} & set(one.aliases) for one in found.entities)


def test_a_person_is_called_by_a_name_rather_than_by_what_the_person_is_to_another():
    names = ["Marley's Ghost", "Marley's Ghost", "Jacob Marley"]
    entities = [{"name": name, "type": "person", "description": ""} for name in names]
    passages = [
        FoundFacts(f"p{at}", "d", "", {"entities": [one], "relations": [], "claims": []})
        for at, one in enumerate(entities)
    ]
    merging = Merging(passages, by_model=True)
    (one,) = merging.graph(merging.groups()).entities
    assert (one.name, set(one.aliases)) == ("Jacob Marley", set(names))
