"""Single-precision products of the same shapes, by NumPy or by PyTorch: `sgemm.py … numpy|torch`.

The bits of the examples lie as 0.0 and 1.0 in a dense matrix, which is the best that a general
product can be given.
"""

import sys

import numpy as np

import protocol


def by_numpy(examples, weights):
    out = np.empty((examples.shape[0], weights.shape[1]), dtype=np.float32)

    def run(steps):
        for _ in range(steps):
            np.matmul(examples, weights, out=out)

    return run


def by_torch(examples, weights):
    import torch

    torch.set_num_threads(1)
    examples, weights = torch.from_numpy(examples), torch.from_numpy(weights)
    out = torch.empty(examples.shape[0], weights.shape[1])

    def run(steps):
        with torch.inference_mode():
            for _ in range(steps):
                torch.mm(examples, weights, out=out)

    return run


def prepare(work, path):
    products = work["products"]
    examples = np.load(path(products["data"])).astype(np.float32)
    examples = np.resize(examples, (products["rows"], examples.shape[1]))
    shape = (examples.shape[1], products["outputs"])
    weights = np.random.default_rng(1).normal(0, 0.1, shape).astype(np.float32)
    return {"numpy": by_numpy, "torch": by_torch}[sys.argv[4]](examples, weights)


protocol.serve(prepare)
