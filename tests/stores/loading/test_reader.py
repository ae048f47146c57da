"""Reading files in a process of their own: what is read is the same, and nothing outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import docx
import pytest
from loading_support import Write
from office_files import MAKERS
from pdf_files import ENDLESS, pdf
from ragraphs.settings import Settings
from ragraphs.stores.loading import process, worker
from ragraphs.stores.loading.load import load
from ragraphs.stores.loading.reader import FileReader, ReadingStoppedError
from ragraphs.stores.loading.types import (
    DEFAULT_LIMITS,
    ENDINGS,
    DocumentBlock,
    Limits,
    LoadedDocument,
    LoadError,
    LoadFailure,
)

from lab.attack.repetition import REPEATED

SHORT = Limits(file_seconds=50)  # five seconds for a small file; ENDLESS takes minutes
PAGE = "<h1>A</h1><p>One.</p><h2>B</h2><p>Two.</p>"
TEXTS = {
    ".md": "---\nauthor: Ada\n---\n# A\n\nOne.\n\n## B\n\nTwo.",
    ".html": PAGE,
    ".eml": f"Subject: A\nFrom: Ada <a@b.cc>\nContent-Type: text/html\n\n{PAGE}",
    ".csv": "id,text,year\na,One.,1890\nb,Two.,1891\nc,,\n",
    ".json": '[{"id": "a", "text": "One."}, {"id": "b"}]',
    ".jsonl": '{"id": "a", "text": "One."}\n{\n{"id": "b", "text": "Two."}\n',
    ".toml": "a = 1\n",
}


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    process.end_kept()
    yield
    process.end_kept()


def made(folder: Path, ending: str) -> Path:
    path = folder / f"a{ending}"
    if ending in TEXTS:
        path.write_text(TEXTS[ending])
    elif ending == ".pdf":
        path.write_bytes(pdf("One.", "Two.", title="Stated"))
    elif ending == ".docx":
        document = docx.Document()
        document.add_heading("A")
        document.add_paragraph("One.")
        document.save(str(path))
    else:
        MAKERS[ending](path)
    return path


def told(loaded: Iterator[LoadedDocument | LoadFailure]) -> list[object]:
    """All that is told of a file: texts with the metadata of each place."""
    return [
        one
        if isinstance(one, LoadFailure)
        else (
            one.id,
            one.title,
            one.metadata,
            [(str(b), list(b.places) if isinstance(b, DocumentBlock) else []) for b in one.blocks],
        )
        for one in loaded
    ]


@pytest.mark.slow
@pytest.mark.parametrize("ending", [*TEXTS, ".pdf", ".docx", *MAKERS])
def test_a_file_is_read_as_it_is_in_the_same_process(tmp_path: Path, ending: str) -> None:
    assert ending in ENDINGS
    path = made(tmp_path, ending)
    with FileReader() as reader:
        assert told(reader.load(path, name="named")) == told(load(path, name="named"))


@pytest.mark.slow
def test_a_long_block_comes_in_slices_with_its_sections(write: Write) -> None:
    section = "<h2>Part {}</h2><p>" + "Some words of it. " * 20_000
    path = write("a.html", "".join(section.format(n) for n in range(8)))
    (whole,) = load(path)
    with FileReader() as reader:
        for loaded in reader.load(path):
            assert isinstance(loaded, LoadedDocument) and isinstance(whole, LoadedDocument)
            blocks = list(loaded.blocks)
            assert "".join(blocks) == "".join(whole.blocks)
            assert max(map(len, blocks)) <= 1_000_000 and len(blocks) > 2
            sections = [
                m["section"] for b in blocks if isinstance(b, DocumentBlock) for _, m in b.places
            ]
            assert list(dict.fromkeys(sections)) == [f"Part {n}" for n in range(8)]


@pytest.mark.slow
def test_blocks_that_nobody_reads_do_no_harm(write: Write) -> None:
    path, other = write("a.html", PAGE * 3000), write("b.csv", TEXTS[".csv"])
    with FileReader() as reader:
        assert [one.title for one in reader.load(path) if isinstance(one, LoadedDocument)] == ["A"]
        next(iter(reader.load(path)))  # begun, and left
        assert len(list(reader.load(other))) == 3


@pytest.mark.slow
def test_the_beginnings_of_a_file_are_read_without_the_rest(write: Write) -> None:
    path = write("a.jsonl", '{"text": "One."}\n' * 300_000)
    with FileReader(Limits(file_seconds=30)) as reader:
        assert list(reader.beginnings(path, 3)) == ["One."] * 3
        assert list(reader.beginnings(write("a.pdf", b"no PDF"), 3)) == []
        assert list(reader.beginnings(write("a.md", "Text."), 3)) == ["Text."]


@pytest.mark.slow
def test_a_file_that_takes_too_long_is_left_out_and_the_next_is_read(write: Write) -> None:
    with FileReader(SHORT) as reader:
        (failure,) = reader.load(write("a.pdf", ENDLESS))
        assert isinstance(failure, LoadFailure)
        assert failure.reason == (
            "a.pdf took too long to read, so it was left out; split it, or raise "
            "RAGRAPHS_FILE_SECONDS (now 50)."
        )
        assert told(reader.load(write("b.html", PAGE))) == told(load(write("b.html", PAGE)))


@pytest.mark.slow
def test_the_time_in_which_nobody_asks_does_not_count(write: Write) -> None:
    path = write("a.jsonl", '{"text": "One."}\n' * 20_000)
    with FileReader(Limits(file_seconds=20)) as reader:  # some three seconds for this file
        loading = reader.load(path)
        next(loading)
        time.sleep(3.5)
        assert all(isinstance(one, LoadedDocument) for one in loading)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory that is tried is Linux's")
def test_a_file_that_takes_too_much_memory_is_left_out_and_the_next_is_read(write: Write) -> None:
    with FileReader(Limits(file_bytes=80 * 2**20)) as reader:
        (failure,) = reader.load(write("a.json", "[" + "[],0," * 800_000 + "0]"))
        assert isinstance(failure, LoadFailure)
        assert failure.reason == (
            "a.json takes more than 80 MB of memory to read, so it was left out; split it, or "
            "raise RAGRAPHS_FILE_MEGABYTES."
        )
        assert told(reader.load(write("b.html", PAGE))) == told(load(write("b.html", PAGE)))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory that is tried is Linux's")
@pytest.mark.parametrize("kind", ["docx with a long header", "odt of levels"])
def test_a_parser_without_memory_is_not_taken_for_a_broken_file(write: Write, kind: str) -> None:
    path = write(f"a.{kind.split()[0]}", REPEATED[kind]("The Forth Bridge.", 100_000))
    with FileReader(Limits(file_bytes=70 * 2**20)) as reader:
        (failure,) = reader.load(path)
    assert isinstance(failure, LoadFailure)
    assert "takes more than 70 MB of memory" in failure.reason


@pytest.mark.slow
def test_reading_is_stopped_by_another_thread(write: Write) -> None:
    reader = FileReader()
    Timer(0.5, reader.stop).start()
    began = time.monotonic()
    with pytest.raises(ReadingStoppedError), reader:
        list(reader.load(write("a.pdf", ENDLESS)))
    assert time.monotonic() - began < 20
    with pytest.raises(ReadingStoppedError):
        list(reader.load(write("a.html", PAGE)))


def test_a_program_that_breaks_says_so(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_PROGRAM", "import os; os._exit(9)")
    with FileReader() as reader:
        (failure,) = reader.load(write("a.html", PAGE))
    assert isinstance(failure, LoadFailure)
    assert failure.reason.startswith("a.html was not read, because the program that reads it")


def test_a_document_that_breaks_off_raises_where_its_blocks_are_read(write: Write) -> None:
    path = write("a.txt", "Some text. " * 100_000)
    with FileReader(Limits(plain_characters=500_000)) as reader:
        (loaded,) = reader.load(path)
        assert isinstance(loaded, LoadedDocument)
        with pytest.raises(LoadError, match="RAGRAPHS_MAX_CHARACTERS"):
            list(loaded.blocks)


@pytest.mark.slow
def test_one_process_reads_for_many_readers_and_is_ended(write: Write) -> None:
    path = write("a.html", PAGE)
    numbers = set()
    for _ in range(3):
        with FileReader() as reader:
            list(reader.load(path))
            assert reader._process is not None
            numbers.add(reader._process._popen.pid)
    assert len(numbers) == 1
    process.end_kept()
    with pytest.raises(ProcessLookupError):
        os.kill(numbers.pop(), 0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process begins without a peak")
def test_the_memory_of_whoever_asks_does_not_count(write: Write) -> None:
    path = write("a.html", PAGE)
    held = b"x" * 300_000_000
    with FileReader(Limits(file_bytes=256 * 2**20)) as reader:
        list(reader.load(path))
        assert reader._process is not None
    assert held


@pytest.mark.slow
def test_files_of_the_folder_are_not_taken_for_modules(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "email.py").write_text("raise SystemExit(7)")
    monkeypatch.chdir(tmp_path)
    path = write("a.eml", TEXTS[".eml"])
    with FileReader() as reader:
        assert told(reader.load(path)) == told(load(path))


@pytest.mark.slow
def test_nothing_is_left_of_the_process_where_whoever_asked_is_killed(write: Write) -> None:
    program = (
        "import sys; from pathlib import Path; from ragraphs.stores.loading import process\n"
        "from ragraphs.stores.loading.reader import FileReader\n"
        "reader = FileReader(); begun = process.taken(); process_id = begun._popen.pid\n"
        "begun.keep(); print(process_id, flush=True); list(reader.load(Path(sys.argv[1])))"
    )
    path = write("a.pdf", ENDLESS)
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True
    ) as asking:
        assert asking.stdout is not None
        reading = int(asking.stdout.readline())
        time.sleep(0.5)
        asking.send_signal(signal.SIGKILL)
    end = time.monotonic() + 20
    while is_running(reading) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_running(reading)


def is_running(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_the_operator_sets_the_limits() -> None:
    assert Limits.by(Settings()) == DEFAULT_LIMITS
    own = Limits.by(Settings(max_characters=1000, file_seconds=60, file_megabytes=512))
    assert (own.text_characters, own.plain_characters) == (1000, 1000)
    assert (own.file_seconds, own.file_bytes) == (60, 512 * 2**20)
    assert [round(own.seconds_for(size << 20), 1) for size in (0, 1, 100)] == [6, 18, 60]
    with pytest.raises(ValueError, match="400000000"):
        Settings(max_characters=400_000_001)


def test_the_metadata_of_parts_counts_for_the_length_of_a_message() -> None:
    sections = [{"section": f"{number} {'x' * 2000}"} for number in range(5)]
    parts = [DocumentBlock("a", {}, [(1, sections[number % 5])]) for number in range(2000)]
    messages = list(worker._messages([*parts, worker.End(goes_on=True)]))
    assert sum(map(len, messages)) == 2001
    assert max(map(len, messages)) < 200
