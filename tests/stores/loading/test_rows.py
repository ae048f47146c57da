"""Files whose rows are documents: .jsonl, .json and .csv."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from loading_support import KOREAN, Write, documents, failures, only, peak_mb, reason, text_of
from ragraphs.stores.loading.types import Limits


class TestJsonLines:
    def test_each_line_is_a_document(self, write: Write) -> None:
        rows = [
            {"id": "x", "title": "X", "text": "text\r\nof x", "extra": [1]},
            {"id": 7, "text": "seven"},
        ]
        content = "\n\n".join(json.dumps(row) for row in rows)
        path = write("a.jsonl", content + '\n{"text": "no id"}')
        assert documents(path) == [
            ("x", "X", "text\nof x"),
            ("7", "7", "seven"),
            ("line-4", "line-4", "no id"),
        ]

    @pytest.mark.slow
    def test_bad_lines_are_reported_by_number_and_the_others_load(self, write: Write) -> None:
        lines = [
            b'{"id": "a", "text": "first"}',
            b'{"id": "b", "text": ',
            b'"just text"',
            b'{"id": "c", "text": "  "}',
            b'{"id": "d"}',
            b'{"id": {}, "text": "x"}',
            b'{"id": "e", "text": 5}',
            b'{"id": "f", "text": "\xff \xc3("}',
            b"[" * 100_000,
            '{"id": "z", "text": "끝 서울 수도"}'.encode(),
        ]
        path = write("rows.jsonl", b"\r\n".join(lines))
        assert [document[0] for document in documents(path)] == ["a", "z"]
        reported = failures(path)
        assert len(reported) == 8
        for number, message in enumerate(reported, 2):
            assert message.startswith(f"rows.jsonl, line {number} ")

    def test_flat_objects_without_a_text_are_read_as_rows_of_a_csv_file_are(
        self, write: Write
    ) -> None:
        rows = [
            {"id": "a", "city": "서울", "people": 9.4, "capital": True, "mayor": None},
            {"id": 7, "note": "x" * 61, "name": "Ann Lee"},
            {"open": True, "city": " Busan\r\n", "year": 1876},
            {"Title": "Ulsan", "Text": "A port.", "year": "1962"},
        ]
        lines = "\n".join(map(json.dumps, rows))
        assert documents(write("a.jsonl", lines)) == [
            ("a", "a", "id: a\ncity: 서울\npeople: 9.4\ncapital: true"),
            ("7", "Ann Lee", f"id: 7\nnote: {'x' * 61}\nname: Ann Lee"),
            ("line-3", "Busan", "open: true\ncity: Busan\nyear: 1876"),
            ("line-4", "Ulsan", "A port."),
        ]

    @pytest.mark.parametrize(
        "row",
        [
            {"id": "a", "title": "A"},
            {"city": None, "people": ""},
            {"city": "Seoul", "mayor": {"name": "Oh"}},
            {"city": "Seoul", "parts": ["Mapo"]},
            {"city": "Seoul", "text": None},
        ],
    )
    def test_an_object_that_is_nested_or_says_nothing_is_told_in_a_sentence(
        self, write: Write, row: object
    ) -> None:
        path = write("a.jsonl", json.dumps(row) + '\n{"text": "good"}\n')
        assert failures(path) == ['a.jsonl, line 1 has no text; put it under "text".']

    def test_a_line_longer_than_the_limit_is_reported_and_the_next_loads(
        self, write: Write
    ) -> None:
        long = json.dumps({"id": "long", "text": "x" * 5000})
        path = write("a.jsonl", f'{long}\n{{"id": "b", "text": "b"}}\n{long}')
        limits = Limits(line_characters=1000)
        assert [document[0] for document in documents(path, limits=limits)] == ["b"]
        assert [message[:15] for message in failures(path, limits=limits)] == [
            "a.jsonl, line 1",
            "a.jsonl, line 3",
        ]

    @pytest.mark.slow
    def test_a_large_file_streams(self, write: Write) -> None:
        path = write(
            "a.jsonl",
            '{"id": "x", "text": "some text of a row, some more, and still more of it"}\n' * 30_000,
        )
        assert path.stat().st_size > 2_000_000
        assert peak_mb(path) < 2

    def test_one_endless_line_takes_no_memory_beyond_the_limit(self, write: Write) -> None:
        path = write("a.jsonl", b"x" * 20_000_000)
        assert peak_mb(path, limits=Limits(line_characters=100_000)) < 4

    def test_half_a_character_in_a_row_does_not_reach_the_text(self, write: Write) -> None:
        path = write("a.jsonl", '{"id": "a\\u0000", "text": "cut \\ud83d off"}')
        ((identifier, _, text),) = documents(path)
        assert (identifier, text) == ("a\ufffd", "cut \ufffd off")
        text.encode()

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp949"])
    def test_other_encodings_are_read(self, write: Write, encoding: str) -> None:
        row = json.dumps({"id": "a", "text": KOREAN}, ensure_ascii=False)
        assert documents(write("a.jsonl", f"{row}\n{row}", encoding))[1][2] == KOREAN

    def test_a_flood_of_bad_lines_is_reported_in_short(self, write: Write) -> None:
        path = write("a.jsonl", "bad\n" * 1000 + '{"text": "good"}\n')
        assert len(documents(path)) == 1
        reported = failures(path)
        assert len(reported) == 101
        assert "900 more" in reported[-1]


class TestJson:
    @pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"documents": rows}])
    def test_a_list_of_objects_is_a_document_each(
        self, write: Write, wrap: Callable[[object], object]
    ) -> None:
        rows = [{"id": "a", "title": "A", "text": "one"}, {"text": "two"}, {"id": "c"}, 5]
        path = write("a.json", json.dumps(wrap(rows)))
        assert documents(path) == [("a", "A", "one"), ("item-2", "item-2", "two")]
        assert [message[:14] for message in failures(path)] == ["a.json, item 3", "a.json, item 4"]

    def test_one_object_with_text_is_one_document(self, write: Write) -> None:
        path = write("a.json", '{"id": "a", "title": "A", "text": "one"}')
        assert documents(path) == [("a", "A", "one")]

    def test_one_object_without_an_id_is_the_file_itself(self, write: Write) -> None:
        assert documents(write("report.json", '{"text": "one"}')) == [("", "report", "one")]

    def test_other_json_is_laid_out_as_one_document(self, write: Write) -> None:
        path = write("a.json", '{"capital":"서울","parts":[1,2]}')
        expected = '{\n  "capital": "서울",\n  "parts": [\n    1,\n    2\n  ]\n}'
        assert documents(path) == [("", "a", expected)]

    @pytest.mark.parametrize("content", ["{}", "[]", "null", '""', '{"documents": []}'])
    def test_json_that_says_nothing_is_empty(self, write: Write, content: str) -> None:
        assert "is empty" in reason(write("a.json", content))

    def test_broken_json_is_reported_with_its_line(self, write: Write) -> None:
        assert "at line 2" in reason(write("a.json", '{"a": 1,\n oops}'))

    def test_json_lines_under_the_wrong_ending_are_recognised(self, write: Write) -> None:
        assert "name it .jsonl" in reason(write("a.json", '{"text": "a"}\n{"text": "b"}'))

    def test_json_beyond_the_limit_is_refused(self, write: Write) -> None:
        path = write("a.json", '{"text": "' + "x" * 3000 + '"}')
        assert "larger than 2 KB" in reason(path, limits=Limits(json_bytes=2048))

    def test_json_too_deep_is_refused(self, write: Write) -> None:
        assert "too deep" in reason(write("a.json", "[" * 200_000 + "]" * 200_000))

    def test_the_texts_of_a_list_that_is_laid_out_are_whole(self, write: Write) -> None:
        rows = ["The Forth Bridge was built by William Arrol, from 1882 on. " * 3, ["x" * 100]]
        text = text_of(only(write("a.json", json.dumps(rows))))
        assert text == json.dumps(rows, indent=2)

    @pytest.mark.slow
    def test_json_that_grows_when_it_is_laid_out_is_refused_in_time(self, write: Write) -> None:
        content = "[" * 200 + "1," * 50_000 + "1" + "]" * 200
        limits = Limits(text_characters=1_000_000)
        path = write("a.json", content)
        assert "more than 1,000,000 characters" in reason(path, limits=limits)
        assert peak_mb(path, limits=limits) < 20


class TestCsv:
    def test_a_row_with_a_text_column_is_a_document(self, write: Write) -> None:
        path = write(
            "a.csv", 'ID,Title,Text,other\n1,One,"first\r\nrow, quoted ""so""",x\n,,second,\n'
        )
        assert documents(path) == [
            ("1", "One", 'first\nrow, quoted "so"'),
            ("row-3", "row-3", "second"),
        ]

    def test_without_a_text_column_all_columns_are_the_text(self, write: Write) -> None:
        path = write("a.csv", "id,city,people\na,Seoul,9.4 million\nb,Busan,\n")
        assert documents(path) == [
            ("a", "a", "id: a\ncity: Seoul\npeople: 9.4 million"),
            ("b", "b", "id: b\ncity: Busan"),
        ]

    def test_a_row_without_a_title_is_called_by_its_first_words(self, write: Write) -> None:
        path = write("a.csv", f"no,note,name\n7,{'x' * 61},Ann Lee\n8,,\n")
        assert [title for _, title, _ in documents(path)] == ["Ann Lee", "row-3"]

    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_the_delimiter_is_that_of_the_header(self, write: Write, delimiter: str) -> None:
        path = write("a.csv", f"id{delimiter}text\n1{delimiter}one\n")
        assert documents(path) == [("1", "1", "one")]

    def test_blank_lines_are_skipped(self, write: Write) -> None:
        path = write("a.csv", "\n\nid,text\n\n1,one\n,\n\n2,two\n")
        assert [document[0] for document in documents(path)] == ["1", "2"]
        assert failures(path) == []

    def test_bad_rows_are_reported_and_the_others_load(self, write: Write) -> None:
        path = write("a.csv", 'id,text\n1,one\n2,\n3,"bad"quote\n4,x, y unquoted\n5,five\n')
        assert [document[0] for document in documents(path)] == ["1", "5"]
        reported = failures(path)
        assert [message.split(" ", 3)[:3] for message in reported] == [
            ["a.csv,", "row", "3"],
            ["a.csv,", "line", "4"],
            ["a.csv,", "row", "5"],
        ]

    def test_a_quote_that_never_closes_is_reported(self, write: Write) -> None:
        path = write("a.csv", 'id,text\n1,one\n2,"open\n3,three\n')
        assert [document[0] for document in documents(path)] == ["1"]
        assert "check its quotes" in failures(path)[0]

    def test_a_header_alone_says_so(self, write: Write) -> None:
        assert "no rows" in reason(write("a.csv", "id,text\n"))

    def test_long_cells_are_read(self, write: Write) -> None:
        text = "long " * 60_000 + "end"
        assert documents(write("a.csv", f"id,text\n1,{text}\n"))[0][2] == text

    def test_a_line_longer_than_the_limit_is_refused(self, write: Write) -> None:
        path = write("a.csv", "id,text\n1,one\n2," + "x" * 5000)
        assert "line 3 is longer" in failures(path, limits=Limits(line_characters=1000))[0]

    @pytest.mark.slow
    def test_a_large_file_streams(self, write: Write) -> None:
        path = write("a.csv", "id,text\n" + f"1,{'some text of a row' * 20}\n" * 6000)
        assert path.stat().st_size > 2_000_000
        assert peak_mb(path) < 2

    def test_spreadsheets_of_korean_windows_are_read(self, write: Write) -> None:
        path = write("a.csv", "이름,text\n서울,대한민국의 수도이다\n", "cp949")
        assert documents(path)[0][2] == "대한민국의 수도이다"
