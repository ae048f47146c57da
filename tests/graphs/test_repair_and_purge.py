"""Questions are answered while an index is repaired; purged texts stand in no file."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from communities_support import NAMES, Script, build, chain, clustered, places_of
from ragraphs.context import QuestionContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.index.hops import load_hops
from ragraphs.index.rebuilding import begin
from ragraphs.index.vectors import passage_text
from ragraphs.stores.chroma import ChromaVectors
from ragraphs.views.status import describe
from stub_openai import failure

RARE = "Zyzzogeton"
SECRET = {
    "id": "secret",
    "title": f"{RARE} Leafhopper",
    "text": chain(NAMES[0], f"{RARE} Leafhopper", NAMES[1], NAMES[2]),
}
LAYERS = ("sentences", "hops", "entities", "communities")

# Asks until its input ends, and prints what was not answered.
ASKER = """
import sys, threading
from ragraphs.graphs.basic import graph
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
asked = 0
print("begun", flush=True)
while not ended.is_set() or not asked:
    for retriever in ("vector", "hybrid", "graph"):
        context = {"index": sys.argv[1], "retriever": retriever}
        try:
            result = graph.invoke({"question": sys.argv[2]}, context=context)
            if len(result["evidence"]) < 10 or result["warnings"]:
                print(retriever, len(result["evidence"]), result["warnings"])
        except Exception as error:
            print(retriever, repr(error))
        asked += 1
"""


@pytest.mark.slow
def test_every_question_during_a_repair_is_answered(indexing, monkeypatch):
    documents = clustered(60)
    build(indexing, documents, ("sentences",), model="offline")
    question = f"Who is known by {documents[0]['title']}?"
    elsewhere = subprocess.Popen(
        [sys.executable, "-c", ASKER, indexing.name, question],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert elsewhere.stdout.readline() == "begun\n"
    ended, wrong = threading.Event(), []

    def ask() -> None:
        while not ended.is_set():
            for retriever in ("vector", "hybrid", "graph"):
                context = QuestionContext(index=indexing.name, retriever=retriever)
                try:
                    result = basic.invoke({"question": question}, context=context)
                    if len(result["evidence"]) < 10 or result["warnings"]:
                        wrong.append((retriever, len(result["evidence"]), result["warnings"]))
                except Exception as error:
                    wrong.append((retriever, error))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        indexing.run(context={"repair": True})
    ended.set()
    for thread in threads:
        thread.join()
    assert elsewhere.communicate()[0] == ""
    assert wrong == []


@pytest.mark.in_folder("generations of vectors and arrays are told by their folders")
def test_a_repair_leaves_one_generation_of_vectors_and_arrays(indexing):
    build(indexing, clustered(20), ("sentences", "hops"), model="offline")
    first = names_in(indexing)
    (Path(indexing.name) / "hops-old.arrays.new").mkdir()
    indexing.run(context={"repair": True})
    second = names_in(indexing)
    assert len(second) == len(first) and second != first
    assert not set(first) & set(second)
    assert [name.partition("-")[0] for name in second] == [name.partition("-")[0] for name in first]


def names_in(indexing: Any) -> list[str]:
    return sorted(
        path.name
        for path in Path(indexing.name).iterdir()
        if not path.name.startswith(("catalogue", "lock"))
    )


@pytest.mark.slow
@pytest.mark.in_folder("copies that are damaged are fetched again")
def test_damaged_arrays_are_told_and_the_next_run_makes_them_anew(indexing):
    build(indexing, clustered(20), ("sentences", "hops"), model="offline")
    question, whole = {"question": "Who is known?"}, indexing.export()
    context = QuestionContext(index=indexing.name, retriever="graph")
    expected = basic.invoke(question, context=context)
    files = list(Path(indexing.name).glob("*.arrays"))
    for folder in files:
        file = max(folder.iterdir(), key=lambda one: one.stat().st_size)
        content = file.read_bytes()
        middle = len(content) // 2
        file.write_bytes(content[: middle - 200] + bytes(400) + content[middle + 200 :])
    indexing.index.kept.clear()
    answered = basic.invoke(question, context=context)
    assert [p["id"] for p in answered["evidence"]] == [p["id"] for p in expected["evidence"]]
    assert any("is damaged" in warning for warning in answered["warnings"])
    load_hops(indexing.index)
    told = [failure["reason"] for failure in describe(indexing.index)["failures"]]
    assert len(told) == len(files) and all("ragraphs index makes it anew" in one for one in told)
    indexing.run()
    assert len(list(Path(indexing.name).glob("*.arrays"))) == len(files)
    indexing.index.kept.clear()
    assert basic.invoke(question, context=context)["warnings"] == expected["warnings"]
    assert indexing.export() == whole


@pytest.mark.slow
@pytest.mark.in_folder("generations of vectors are told by their folders")
def test_a_repair_that_was_broken_off_is_ended_by_the_next_run(indexing, embedded):
    build(indexing, clustered(20), ("sentences",), model="offline")
    vectors, generations = indexing.vectors(), names_in(indexing)
    begin(indexing.index, anew=True, purge=False)
    embedded.clear()
    indexing.run()
    assert len(embedded) > len(vectors)
    assert indexing.vectors() == vectors
    assert names_in(indexing) != generations and len(names_in(indexing)) == len(generations)
    embedded.clear()
    indexing.run()
    assert embedded == []


@pytest.fixture
def model(openai):
    return Script(openai)


def files_with(needle: bytes, indexing: Any) -> list[str]:
    """The files below the index, all bytes of them, in which ``needle`` stands."""
    files = (path for path in Path(indexing.name).rglob("*") if path.is_file())
    return sorted(str(path) for path in files if needle.lower() in path.read_bytes().lower())


@pytest.mark.slow
@pytest.mark.in_folder("the bytes of its files are read")
def test_what_is_purged_stands_in_no_file(indexing, model, embedded):
    build(indexing, [*clustered(20, each=5), SECRET], LAYERS)
    (Path(indexing.name) / "answers.jsonl").write_text(SECRET["text"])
    (Path(indexing.name) / "evaluations").mkdir()
    (Path(indexing.name) / "evaluations" / "judge.json").write_text(SECRET["text"])
    [passage] = indexing.index.catalogue.passages_of(["secret"])["secret"]
    [vector] = indexing.index.embedder.embed([passage_text(passage)])
    places = np.flatnonzero(vector)
    nearest = int(np.diff(places).argmin())
    numbers = vector[places[nearest] : places[nearest + 1] + 1].tobytes()
    assert files_with(RARE.encode(), indexing) and files_with(numbers, indexing)
    embedded.clear()
    indexing.run(remove=["secret"], context={"purge": True})
    assert indexing.index.vectors.ids("passages") == indexing.index.catalogue.passage_ids()
    assert not any(passage["text"] in said for said in embedded)
    assert places_of(RARE, indexing) == []
    assert files_with(RARE.encode(), indexing) == []
    assert files_with(numbers, indexing) == []
    indexing.index.vectors.close()
    assert files_with(RARE.encode(), indexing) == files_with(numbers, indexing) == []


@pytest.mark.slow
def test_what_is_purged_stands_in_no_table_and_no_collection(indexing, model):
    build(indexing, [*clustered(20, each=5), SECRET], LAYERS)
    of_vectors = {"chroma passages"} if isinstance(indexing.index.vectors, ChromaVectors) else set()
    assert {"passages"} | of_vectors <= set(places_of(RARE, indexing))
    indexing.run(remove=["secret"], context={"purge": True})
    assert places_of(RARE, indexing) == []
    assert indexing.index.vectors.ids("passages") == indexing.index.catalogue.passage_ids()


@pytest.mark.slow
@pytest.mark.in_folder("the bytes of its files are read")
def test_what_was_removed_before_is_purged_later_and_vectors_are_not_paid_again(
    indexing, model, embedded
):
    build(indexing, [*clustered(20, each=5), SECRET])
    indexing.run(remove=["secret"])
    assert files_with(RARE.encode(), indexing)
    embedded.clear()
    indexing.run(context={"purge": True})
    assert embedded == []
    assert files_with(RARE.encode(), indexing) == []


@pytest.mark.slow
def test_without_the_model_replies_that_may_quote_are_told_of_and_purged_at_once(indexing, model):
    build(indexing, [*clustered(20, each=5), SECRET])
    model.answers["CommunityReport"] = failure(400, "no")
    told = indexing.run(remove=["secret"])["warnings"]
    assert any("stored replies" in warning and "--purge" in warning for warning in told)
    told = indexing.run(context={"purge": True})["warnings"]
    assert any("stored replies" in warning and "deleted" in warning for warning in told)
    assert files_with(RARE.encode(), indexing) == []
    del model.answers["CommunityReport"]
    assert indexing.run()["warnings"] == []
    assert files_with(RARE.encode(), indexing) == []


@pytest.mark.slow
@pytest.mark.in_folder("the bytes of its files are read")
def test_a_purge_that_was_broken_off_is_ended_by_the_next_run(indexing):
    build(indexing, [*clustered(10), SECRET], ("sentences",), model="offline")
    indexing.run(remove=["secret"])
    begin(indexing.index, anew=False, purge=True)
    assert files_with(RARE.encode(), indexing)
    indexing.run()
    assert files_with(RARE.encode(), indexing) == []
