"""The workloads: `benches/workloads.json`, what is derived from it, and the tables of examples."""

import copy
import json
import math
import random
from pathlib import Path

FILE = Path(__file__).parent.parent / "workloads.json"

# Bytes below this one become ones: three in ten, with nothing to be had from zeros that lie together.
ONES_BELOW = 77
# Steps of the pen in a table of strokes: 14 ones in 100, where binarized digits have 13.
STEPS = 80
# Values of a table, whatever its width: 10,000 examples of 784.
VALUES = 10_000 * 784
# How often each size of the base workload is doubled.
DOUBLINGS = 3
BASE = "paper-20"
SIZES = ["rungs", "columns", "visible", "hidden"]


def described():
    """All workloads, the doubled ones included."""
    workloads = json.loads(FILE.read_text(encoding="utf-8"))
    for size in SIZES:
        for doubling in range(1, DOUBLINGS + 1):
            workloads[scaled(size, doubling)] = doubled(workloads[BASE], size, 2**doubling)
    return workloads


def scaled(size, doubling):
    """The name of the base workload with one size doubled so many times."""
    return f"{size}-x{2**doubling}" if doubling else BASE


def doubled(work, size, factor):
    work = copy.deepcopy(work)
    train = work["train"]
    if size == "visible":
        train["data"] = f"{factor * 784}.npy"
    else:
        train[size] *= factor
    return work


def write(workloads, folder, values=VALUES):
    """Writes the file that contestants read, and the tables that it names; gives its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "workloads.json"
    path.write_text(json.dumps(workloads, indent=1), encoding="utf-8")
    for work in workloads.values():
        for part in work.values():
            if "data" in part:
                write_table(folder / part["data"], values)
    return path


def write_table(path, values):
    """Examples in NumPy's format, as many columns as the file's name says: random, or strokes."""
    kind, _, columns = path.stem.rpartition("-")
    columns = int(columns)
    rows = values // columns
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    magic = b"\x93NUMPY\x01\x00\x76\x00"
    size = len(magic) + 118 + rows * columns
    if path.exists() and path.stat().st_size == size:
        return
    if kind == "strokes":
        bits = strokes(rows, columns)
    else:
        ones = bytes(value < ONES_BELOW for value in range(256))
        bits = random.Random(columns).randbytes(rows * columns).translate(ones)
    path.write_bytes(magic + f"{header:<117}\n".encode() + bits)


def strokes(rows, pixels):
    """Pictures of a line drawn by a pen that wanders over the middle of a square."""
    width, generator, pictures = math.isqrt(pixels), random.Random(pixels), []
    margin = width // 7
    for _ in range(rows):
        picture = bytearray(pixels)
        at = [width // 2, width // 2]
        way = [0, 0]
        for _ in range(STEPS):
            if generator.random() < 0.3 or way == [0, 0]:
                way = [generator.randint(-1, 1), generator.randint(-1, 1)]
            at = [min(max(x + by, margin), width - 2 - margin) for x, by in zip(at, way)]
            for y in (at[0], at[0] + 1):
                picture[y * width + at[1] : y * width + at[1] + 2] = b"\1\1"
        pictures.append(bytes(picture))
    return b"".join(pictures)
