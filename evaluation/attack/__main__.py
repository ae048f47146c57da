from __future__ import annotations
import itertools, json, sys, time
from . import replies, files
from importlib import import_module
PART=import_module(f".{sys.argv.pop(1)}", __package__).PART
from .trials import attacked

seed, first, count, at_once = map(int, sys.argv[1:5])
t = time.time()
n = 0
for row in attacked(PART, seed, itertools.count(first), count, at_once):
    n += 1
    print(
        round(time.time() - t, 1),
        row.repeat,
        row.seconds,
        len(row.labels),
        row.problems,
        row.labels[:3],
    )
print(n, time.time() - t)
