"""The command line: exit codes, one sentence on stderr, one JSON document on stdout."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import ragraphs
from command_line import FORTH, assert_one_sentence, started
from fast_run import fast
from page_support import data_of
from ragraphs.cli import show
from rich.cells import cell_len

COMMAND = str(Path(sys.executable).with_name("ragraphs"))
QUESTION = "Who designed the Forth Bridge?"
DEMO = Path(ragraphs.__file__).parent / "demo"
ANSWERING = ("basic", "crag", "hoprag", "tog2", "deeprag", "graphrag")
RETRIEVERS = ("hybrid", "graph", "hoprag", "tog2")


@pytest.mark.slow
def test_index_ask_status_export_and_remove(run, docs):
    indexed = run("index", "docs")
    assert (indexed.code, indexed.err.strip()) == (0, "")
    assert "2 documents added" in indexed.out
    assert re.search(r"in \d+\.\d s\.\n.* holds 2 documents in 2 passages\.\n", indexed.out)
    assert indexed.out.endswith("\nReady: passages, sentences, hops, entities, communities.\n")
    asked = run("ask", QUESTION)
    assert asked.code == 0
    assert "John Fowler" in asked.out and "docs/forth.txt" in asked.out
    assert "docs/sonata.md" in run("status", "--documents").out
    lines = [json.loads(line) for line in run("export").out.splitlines()]
    assert [line["kind"] for line in lines].count("passage") == 2
    assert "1 removed" in run("remove", "sonata.md").out
    assert "sonata" not in run("export").out


@pytest.mark.slow
@pytest.mark.parametrize("method", fast(ANSWERING, "basic", "graphrag"))
def test_json_is_one_document_with_the_whole_output_and_nothing_else(run, docs, method):
    output = json.loads(run("index", "docs", "--layers", "hops,communities", "--json").out)
    assert (output["added"], output["failures"]) == (2, [])
    assert not {"files", "gone", "inline", "sources"} & output.keys()
    ended = run("ask", QUESTION, "--method", method, "--json")
    answer = json.loads(ended.out)
    assert ended.err == ""
    assert (answer["asked"], answer["method"]) == (QUESTION, method)
    assert answer["stop_reason"] == ("answered" if answer["sufficient"] else "no_model")
    assert not {"question", "retrieved", "pages"} & answer.keys()
    assert answer["citations"][0]["quote"] == FORTH
    assert json.loads(run("status", "--json").out)["documents"] == 2
    assert json.loads(run("remove", "forth.txt", "--json").out)["removed"] == 1


@pytest.mark.slow
def test_a_setting_of_another_method_is_refused(run, docs):
    run("index", "docs")
    ended = run("ask", QUESTION, "--method", "basic", "--n-hop", "2")
    assert ended.code == 2
    assert "--n-hop" in ended.err and "basic" in ended.err


@pytest.mark.slow
@pytest.mark.parametrize("method", ["crag", "auto"])
def test_trace_is_a_tree_of_nodes_with_times_and_findings_on_stderr(run, docs, method):
    run("index", "docs")
    ended = run("ask", QUESTION, "--method", method, "--trace", "--json")
    assert json.loads(ended.out)["answer"]
    root, *lines = ended.err.splitlines()
    nodes = {"crag": ["retrieve", "grade", "refine", "answer"], "auto": ["decide", "retrieve"]}
    assert root.startswith("router  " if method == "auto" else "crag  ")
    for node in nodes[method]:
        [line] = [line for line in lines if f"── {node}  " in line]
        assert re.search(r"  \d+\.\d\d s", line)
        assert node != "retrieve" or line.endswith("2 passages")
        assert line.startswith("│   ") == (method == "auto" and node == "retrieve")
    assert "{" not in ended.err and "…" not in ended.err


@pytest.mark.slow
def test_trace_draws_the_tree_of_questions_on_stderr(run, docs):
    run("index", "docs")
    chosen = ("--method", "deeprag", "--mode", "tree", "--trace", "--json")
    ended = run("ask", "Who is older, John Fowler or Benjamin Baker?", *chosen)
    parts = json.loads(ended.out)["tree"][1:]
    assert len(parts) == 2
    for part, stroke in zip(parts, "├└", strict=True):
        assert f"\n    {stroke}── {part['question']} → " in ended.err


@pytest.mark.slow
def test_status_says_the_sizes_the_layers_the_reader_and_what_mends_a_lack(run, docs):
    run("index", "docs", "--layers", "hops")
    told = dict(re.findall(r"^(\S.*?)  +(\S.*?) *$", run("status").out, re.MULTILINE))
    assert (told["documents"], told["read by"]) == ("2", "offline")
    assert told["layers"] == "passages, hops (not built: sentences, entities, communities)"
    assert re.fullmatch(r"\d+\.\d MB, format \d+", told["on disk"])
    [file] = Path(".ragraphs").glob("hops-*.arrays/source.npy")
    file.write_bytes(b"nothing")
    damaged = run("status").out
    assert "The file of a layer is damaged. Mend it with: ragraphs index --index " in damaged
    mend = damaged.partition("Mend it with: ragraphs ")[2].splitlines()[0]
    assert run(*mend.split()).code == 0 and "Mend it" not in run("status").out


@pytest.mark.slow
def test_files_that_cannot_be_read_are_named_and_the_others_are_indexed(run, docs):
    (docs / "empty.txt").write_bytes(b"")
    (docs / "binary.txt").write_bytes(bytes(range(256)) * 10)
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    (docs / "korean.txt").write_bytes("세종대왕은 훈민정음을 반포하였다.".encode("cp949") * 20)
    ended = run("index", "docs")
    assert ended.code == 1
    assert "3 documents added" in ended.out
    for name in ("empty.txt", "binary.txt", "broken.pdf"):
        assert f"Not read: docs/{name}" in ended.err
    failed = json.loads(run("index", "docs", "--json").out)["failures"]
    assert [failure["path"] for failure in failed] == [
        "docs/binary.txt",
        "docs/broken.pdf",
        "docs/empty.txt",
    ]
    assert "세종대왕" in run("export").out


@pytest.mark.slow
def test_files_with_other_endings_are_counted_and_hidden_ones_named_in_a_line_each(run, docs):
    for name in ("a.png", "b.PNG", "c.zip", "Makefile", ".hidden", ".git/d.zip"):
        (docs / name).parent.mkdir(exist_ok=True)
        (docs / name).write_bytes(b"x")
    ended = run("index", "docs")
    assert ended.code == 0
    assert (
        ended.err.splitlines().count(
            "4 files were not read, since such endings are not supported: 2 .png, "
            "1 without an ending, 1 .zip."
        )
        == 1
    )
    assert ended.err.count("were left out: .git, .hidden; name one to read it.") == 1
    skipped = json.loads(run("index", "docs", "--json").out)["skipped"]
    assert skipped == {".png": 2, "": 1, ".zip": 1}
    assert "not read" not in run("index", "docs/*.txt").err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["index", "missing"], "no file or folder 'missing'"),
        (["index", "docs/*.pdf"], "gives no file that can be read"),
        (["index", ""], "source is empty"),
        (["index"], "no index at"),
        (["ask", QUESTION], "no index at"),
        (["status"], "no index at"),
        (["export"], "no index at"),
        (["remove", "forth.txt"], "no index at"),
        (["index", "docs", "--index", "docs"], "holds other files"),
        (["index", "docs", "--index", "docs/forth.txt"], "cannot be read or written"),
        (["index", "docs", "--index", "docs/forth.txt/below"], "cannot be read or written"),
        (["index", "docs", "--index", "/proc/ragraphs"], "cannot be read or written"),
        (["index", "docs", "--embeddings", "unheard-of"], "no embeddings called 'unheard-of'"),
        (["index", "docs", "--embeddings", "openai:any"], "need a key"),
        (["index", "docs", "--chunk-tokens", "20", "--chunk-overlap", "20"], "must be smaller"),
        (["evaluate", "retrieval", "docs"], "is no question set"),
    ],
)
def test_a_failure_is_one_sentence_and_exit_code_1(run, docs, arguments, words):
    assert_one_sentence(run(*arguments), 1, words)
    assert not Path(".ragraphs/chroma").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ask", QUESTION, "--method", "magic"], "'magic'"),
        (["ask", QUESTION, "--top-k", "0"], "--top-k"),
        (["ask", QUESTION, "--top-k", "many"], "--top-k"),
        (["ask", QUESTION, "--temperature", "3"], "--temperature"),
        (["ask", QUESTION, "--upper", "0", "--lower", "0.5"], "upper must not be below lower"),
        (["ask", QUESTION, "--model", ""], "--model"),
        (["ask", QUESTION, "--unheard-of"], "--unheard-of"),
        (["ask"], "question"),
        (["index", "docs", "--layers", "passages,magic"], "--layers: 'magic' is not one of"),
        (["index", "docs", "--chunk-tokens", "1"], "--chunk-tokens"),
        (["unheard-of"], "unheard-of"),
        (["export", "--format", "pdf"], "'pdf' is not one of 'jsonl', 'graphml', 'html'"),
        (["ask", QUESTION, "--timeout", "0"], "--timeout: must be greater than 0."),
        (["ask", QUESTION, "-n", "0"], "--passages: must be greater than or equal to 1."),
        (["ask", QUESTION, "--index", ""], "--index: must not be empty."),
        (["ask", QUESTION, "--top-k", "x"], "--top-k: must be a whole number."),
        (["ask", QUESTION, "--retriever", "x"], "--retriever: 'x' is not one of 'auto', 'hybrid'"),
        (["ask", QUESTION, "--upper", "0", "--lower", "1"], "ragraphs: upper must not be below"),
        (["ask", "Who", "built", "it?"], "several words in quotes; see: ragraphs ask --help"),
        (["ask"], "Missing argument 'question'; see: ragraphs ask --help"),
        (["index", "docs", "--entity-types", ""], "--entity-types: must not be empty."),
        (["status", "--model", "offline"], "No such option: --model"),
        (["magic"], "No such command 'magic'; see: ragraphs --help"),
        (
            ["evaluate", "answers", "set", "--method", "x"],
            "ragraphs: 'x' is no method; choose from",
        ),
        (
            ["evaluate", "answers", "set", "--setting", "n_hop=x"],
            "--n-hop: must be a whole number.",
        ),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(run, docs, arguments, words):
    assert_one_sentence(run(*arguments), 2, words)


@pytest.mark.slow
@pytest.mark.parametrize("question", ["", "  \n ", "word " * 10_000])
def test_a_question_that_is_empty_or_very_long_is_refused_in_a_sentence(run, docs, question):
    run("index", "docs")
    assert_one_sentence(run("ask", question), 1, "The question")


@pytest.mark.slow
def test_a_dry_run_says_what_it_would_do_and_leaves_nothing(run, docs):
    ended = run("index", "docs", "--dry-run")
    assert ended.code == 0
    assert "Would read 2 documents into 2 passages" in ended.out
    assert not Path(".ragraphs").exists()


@pytest.mark.slow
def test_without_a_model_the_best_passages_are_shown_with_highlights_and_how_to_get_answers(
    run, docs
):
    run("index", "docs")
    ended = run("ask", "How is a sonata built?")
    assert ended.code == 0
    first, *_ = ended.out.split("\n\n")
    assert "docs/sonata.md, characters" in first
    assert "--model" in ended.out
    assert "docs/forth.txt" not in run("ask", "How is a sonata built?", "-n", "1").out
    answered = json.loads(run("ask", QUESTION, "--json").out)
    shown = run("ask", QUESTION).out
    assert f"«{answered['citations'][0]['quote']}»" in " ".join(shown.split())


@pytest.mark.slow
def test_a_model_that_finds_no_answer_leaves_the_best_passages(run, docs, openai):
    run("index", "docs")
    openai.answer = lambda body: {"quotes": [], "sufficient": False, "answer": ""}
    ended = run("ask", QUESTION, "--method", "basic", "--model", "openai:stub")
    assert ended.out.startswith("No answer: ")
    assert "1  " in ended.out and FORTH in " ".join(ended.out.split())
    assert "connect" not in ended.out


@pytest.mark.slow
@pytest.mark.parametrize("width", [30, 61])
def test_what_is_found_is_wrapped_between_words_at_the_width_of_the_terminal(
    run, monkeypatch, width
):
    said = "세종은 젊은 학자들을 길러 훈민정음을 만들었고 the scholars of hall {} explained it. "
    text = "".join(map(said.format, range(20)))
    Path("a.txt").write_text(text)
    run("index", "a.txt")
    monkeypatch.setattr(show.out, "width", width)
    found = run("ask", "세종은 누구를 길렀나요?", "--method", "basic").out.splitlines()
    lines = [line for line in found if line.startswith("   ")]
    assert len(lines) > 5 and max(map(cell_len, lines)) <= width
    words = " ".join(lines).replace("«", "").replace("»", "").replace("…", "").split()
    places = {word for word in words if re.fullmatch(r"\d+–\d+", word)}  # of wrapped headings
    assert set(words) - places <= set(text.split())


@pytest.mark.slow
def test_a_global_search_without_a_model_lists_passages_before_communities(run):
    run("index", str(DEMO / "brooklyn-bridge.md"), "--layers", "communities")
    ended = run("ask", "What is said of the Brooklyn Bridge?", "--method", "graphrag", "-n", "1")
    title = json.loads(run("communities", "--json").out)[0]["title"]
    assert ended.out.startswith("1  Brooklyn Bridge  ") and f"\n2  {title}  comm" in ended.out
    assert re.search(r"1 of \d+ passages?, 1 of \d+ communities · \d+\.\d s\n", ended.out)


@pytest.fixture
def question_set() -> None:
    """A question set of one passage and one question, in ``set``."""
    Path("set").mkdir()
    passage = {"id": "1", "title": "Forth Bridge", "text": FORTH}
    Path("set/passages.jsonl").write_text(json.dumps(passage) + "\n")
    question = {"id": "q", "question": QUESTION, "answer": "John Fowler", "supporting": ["1"]}
    Path("set/questions.jsonl").write_text(json.dumps(question) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("retriever", fast(RETRIEVERS, "hybrid", "tog2"))
def test_evaluate_prints_one_json_document(run, question_set, retriever):
    ended = run("evaluate", "retrieval", "set", "--retriever", retriever, "--json")
    measured = json.loads(ended.out)
    assert (measured["retriever"], measured["questions"]) == (retriever, 1)
    assert measured["recall"]["2"] == 1.0


@pytest.mark.slow
def test_an_answer_is_exported_with_a_page_only(run, docs):
    run("index", "docs")
    Path("a.json").write_text(run("ask", "Who designed the Forth Bridge?", "--json").out)
    page = run("export", "--format", "html", "--answer", "a.json").out
    assert data_of(page)["answer"]["asked"] == "Who designed the Forth Bridge?"
    assert_one_sentence(run("export", "--format", "graphml", "--answer", "a.json"), 2, "--answer")
    Path("a.json").write_text("{}")
    assert_one_sentence(run("export", "--format", "html", "--answer", "a.json"), 1, "ask --json")


@pytest.mark.slow
def test_evaluate_takes_the_settings_of_a_method(run, question_set):
    asked = ("evaluate", "retrieval", "set", "--retriever", "hoprag")
    assert run(*asked, "--setting", "n_hop=0", "--limit", "1").code == 0
    refused = run(*asked, "--setting", "n_hop=99")
    assert refused.code == 2
    assert "n-hop" in refused.err


@pytest.mark.slow
def test_ctrl_c_while_a_large_file_is_read_ends_soon_and_the_next_run_completes(run, docs):
    (docs / "large.txt").write_text("The Forth Bridge crosses the Firth of Forth. " * 400_000)
    command = [COMMAND, "index", "docs/large.txt", "--embeddings", "lexical"]
    running = started(command)
    while not Path(".ragraphs/lock").exists():
        assert running.poll() is None
        time.sleep(0.02)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    assert "interrupted" in err and "Traceback" not in err
    (docs / "large.txt").write_text("Short now.")
    assert "3 documents added" in run("index", "docs").out


@pytest.mark.slow
def test_a_closed_pipe_is_no_traceback(run, docs):
    (docs / "many.jsonl").write_text(
        "".join(f'{{"id": "{n}", "text": "{"words " * 150}"}}\n' for n in range(200))
    )
    run("index", "docs", "--json")
    exporting = subprocess.Popen(
        [COMMAND, "export"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    exporting.stdout.readline()
    exporting.stdout.close()
    assert "Traceback" not in exporting.stderr.read()
    exporting.stderr.close()
    exporting.wait()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_a_full_disk_is_told_in_one_sentence(run, monkeypatch):
    Path("a.txt").write_text("The Forth Bridge crosses the Firth of Forth.")
    assert run("index", "a.txt").code == 0
    monkeypatch.setattr("sys.stdout", open("/dev/full", "w"))  # noqa: SIM115
    ended = run("status", "--json")
    assert ended.code == 1
    assert ended.err.startswith("ragraphs: The disk is full (") and ended.err.count("\n") == 1


def test_alike_reasons_are_told_once_with_the_first_places(capsys):
    failures = [{"path": f"{n}.md", "reason": "The model did not reply."} for n in range(5)]
    failures.append({"path": "a.pdf", "reason": "a.pdf is damaged."})
    show.failures(failures, show.out)
    alike, other = capsys.readouterr().out.splitlines()
    assert alike == "Not read: 0.md; 1.md; 2.md; 2 more: The model did not reply."
    assert other == "Not read: a.pdf is damaged."
