"""scikit-learn's BernoulliRBM, persistent contrastive divergence: `sklearn_rbm.py … partial_fit|fit`.

`partial_fit` takes a minibatch an update, and computes in double precision whatever it is given.
`fit` keeps single precision, but only takes all data at once: here its inner loop is called, batch by
batch, which it would do no faster.
"""

import sys

import numpy as np
import sklearn
from sklearn.neural_network import BernoulliRBM

import protocol

# What it would check on every call costs it no time.
sklearn.set_config(assume_finite=True, skip_parameter_validation=True)


def prepare(work, path):
    config = work["train"]
    batch, single = config["batch"], sys.argv[4] == "fit"
    if config["algorithm"] != "sml" or config["columns"] != batch:
        raise SystemExit("BernoulliRBM knows only SML with as many columns as examples in a batch")
    examples = np.load(path(config["data"])).astype(np.float32 if single else np.float64)
    machine = BernoulliRBM(
        config["hidden"], learning_rate=config["lr"], batch_size=batch, n_iter=1, random_state=1
    )
    rng = np.random.default_rng(1)
    if single:
        machine.fit(examples[:batch])
        random = np.random.RandomState(1)

    def run(steps):
        for _ in range(steps):
            examples_now = examples[rng.integers(len(examples), size=batch)]
            if single:
                machine._fit(examples_now, random)
            else:
                machine.partial_fit(examples_now)

    return run


protocol.serve(prepare)
