"""A real, tiny cross-encoder in ONNX: it counts the words of a question that a text has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

LISTED = "Xenova/ms-marco-MiniLM-L-6-v2"  # fastembed opens a folder by a name that it knows
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def write_cross_encoder(folder: Path, texts: Iterable[str], per_word: float = 1.0) -> str:
    """Writes a model that knows the words of ``texts`` into ``folder``, and gives its name.

    The score is the number of the question's words that the text has, times ``per_word``.
    """
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    _tokenizer(texts).save(str(folder / "tokenizer.json"))
    config = {"model_max_length": 512, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    onnx.save(_shared_words(per_word), str(folder / "onnx" / "model.onnx"))
    return f"fastembed:{LISTED}@{folder}"


def _tokenizer(texts: Iterable[str]) -> Tokenizer:
    words = sorted({word for text in texts for word in re.findall(r"\w+", text.lower())})
    vocabulary = {word: place for place, word in enumerate([*_SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def _shared_words(per_word: float) -> onnx.ModelProto:
    """The number of places of the question whose word stands in the text, times ``per_word``."""
    steps = [
        ("Greater", ["input_ids", "last_special"], "is_word"),
        ("Equal", ["token_type_ids", "zero"], "in_question"),
        ("Equal", ["token_type_ids", "one"], "in_text"),
        ("And", ["is_word", "in_question"], "asked"),
        ("And", ["is_word", "in_text"], "said"),
        ("Unsqueeze", ["input_ids", "two"], "rows"),
        ("Unsqueeze", ["input_ids", "one"], "columns"),
        ("Equal", ["rows", "columns"], "same"),
        ("Unsqueeze", ["said", "one"], "said_columns"),
        ("And", ["same", "said_columns"], "met"),
        ("Cast", ["met"], "met_numbers"),
        ("ReduceMax", ["met_numbers", "two"], "met_words"),
        ("Unsqueeze", ["asked", "two"], "asked_rows"),
        ("Cast", ["asked_rows"], "asked_numbers"),
        ("Mul", ["met_words", "asked_numbers"], "shared"),
        ("ReduceSum", ["shared", "one"], "count_rows"),
        ("Squeeze", ["count_rows", "two"], "count"),
        ("Mul", ["count", "per_word"], "logits"),
    ]
    options: dict[str, Any] = {"Cast": {"to": TensorProto.FLOAT}}
    nodes = [
        helper.make_node(kind, given, [made], **options.get(kind, {}))
        for kind, given, made in steps
    ]
    constants = {"zero": [0], "one": [1], "two": [2], "last_special": [len(_SPECIAL) - 1]}
    held = [numpy_helper.from_array(np.array(v, np.int64), name) for name, v in constants.items()]
    held.append(numpy_helper.from_array(np.array([per_word], np.float32), "per_word"))
    shape = ["texts", "tokens"]
    inputs = ("input_ids", "token_type_ids", "attention_mask")
    graph = helper.make_graph(
        nodes,
        "shared words",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["texts", 1])],
        held,
    )
    opset = [helper.make_opsetid("", 18)]
    return helper.make_model(graph, opset_imports=opset, ir_version=9)
