"""llama.cpp's server, with a model that has learnt nothing, for what only a real server does.

As a program: llama_server.py MODEL PORT CONTEXT SLOTS
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from server_process import ServerProcess, free_port

NAME = "made"
_WIDTH, _HEADS, _LONGEST = 64, 4, 32_768
_BYTES = 256
_MARKS = ["<|end|>", "<|user|>", "<|assistant|>", "<|system|>"]
_TEMPLATE = (
    "{% for turn in messages %}<|{{ turn['role'] }}|>{{ turn['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


class LlamaServer(ServerProcess):
    """A server on a port of this machine, with a model that is written into ``folder``.

    server = LlamaServer(folder, context=4096, slots=2)
    server.start()
    """

    def __init__(self, folder: Path, *, context: int, slots: int) -> None:
        model, port = folder / f"{NAME}.gguf", free_port()
        if not model.exists():
            write_model(model)
        self.url = f"http://127.0.0.1:{port}"
        self.base_url = f"{self.url}/v1"
        command = [sys.executable, __file__, str(model), *map(str, (port, context, slots))]
        super().__init__(folder, command, f"{self.url}/health")

    def working(self) -> int:
        """The number of slots that write a reply."""
        slots = httpx.get(f"{self.url}/slots", timeout=5).json()
        return sum(slot["is_processing"] for slot in slots)


@contextmanager
def serving_llama(folder: Path, *, context: int = 8192, slots: int = 2) -> Iterator[LlamaServer]:
    """A running server; each slot has ``context`` tokens, which are bytes."""
    server = LlamaServer(folder, context=context, slots=slots)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def write_model(file: Path) -> None:
    """Writes a llama of one layer that does nothing: the next byte hangs on the one before.

    Letters, quotes and closing brackets are likelier than others, so that replies come to an end.
    """
    from gguf import GGUFWriter

    words = [*_byte_names(), *_MARKS, "th"]  # one merge, without which no vocabulary is taken
    writer = GGUFWriter(str(file), "llama")
    writer.add_name(NAME)
    writer.add_context_length(_LONGEST)
    writer.add_embedding_length(_WIDTH)
    writer.add_feed_forward_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    _add_vocabulary(writer, words)
    for name, tensor in _weights(len(words)).items():
        writer.add_tensor(f"{name}.weight", tensor.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_vocabulary(writer: Any, words: list[str]) -> None:
    from gguf import TokenType

    normal, control = TokenType.NORMAL, TokenType.CONTROL
    writer.add_vocab_size(len(words))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(words)
    writer.add_token_types([normal] * _BYTES + [control] * len(_MARKS) + [normal])
    writer.add_token_merges(["t h"])
    writer.add_bos_token_id(_BYTES)
    writer.add_eos_token_id(_BYTES)
    writer.add_add_bos_token(False)
    writer.add_chat_template(_TEMPLATE)


def _byte_names() -> list[str]:
    """The sign of each byte in the vocabularies of byte-level BPE."""
    shown = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(_BYTES, 2 * _BYTES))
    return [chr(byte if byte in shown else next(others)) for byte in range(_BYTES)]


def _weights(size: int) -> dict[str, Any]:
    """A random bigram model: column 0 is the same in every embedding, and so gives each bias."""
    chance = np.random.default_rng(0)
    given, next_ones = chance.normal(0, 0.3, (2, size, _WIDTH))
    given[:, 0] = 2
    next_ones[:, 0] = -2
    next_ones[[*range(ord("a"), ord("z") + 1)], 0] = 0.5
    next_ones[list(b',"'), 0], next_ones[list(b"}]"), 0] = 1.5, 0.9
    next_ones[_BYTES, 0] = 2
    square, parts = np.zeros((_WIDTH, _WIDTH)), "attn_q attn_k attn_v attn_output".split()
    layer = {f"blk.0.{part}": square for part in [*parts, "ffn_gate", "ffn_up", "ffn_down"]}
    norms = dict.fromkeys(["output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"], np.ones(_WIDTH))
    return {"token_embd": given, "output": next_ones, **layer, **norms}


def _serve(model: str, port: int, context: int, slots: int) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.hostnames, params.port = model, ["127.0.0.1"], port
    params.n_ctx, params.n_parallel, params.use_jinja = context * slots, slots, True
    params.endpoint_slots = True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    _serve(sys.argv[1], *map(int, sys.argv[2:]))
