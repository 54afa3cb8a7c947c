"""How well plain Gibbs sampling and the tempered sampler mix on a trained model.

    python benches/mixing.py RUN DATA.npy

Chains of both kinds start at random states and at examples. Chains that mix forget where they began:
the mean free energies of the two starts meet. `isotherm evaluate` says the same of the ladder by its two
starts and its round trips.
"""

import argparse

import numpy as np

import isotherm


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", help="folder of a run, or a model file")
    parser.add_argument("data", help="examples that it learned from, .npy or .npz:NAME")
    parser.add_argument("--chains", type=int, default=250)
    parser.add_argument("--steps", type=int, default=3000)
    arguments = parser.parse_args()

    rbm = isotherm.load(arguments.run)
    rng = np.random.RandomState(1)
    file, _, name = arguments.data.partition(":")
    data = np.load(file)[name] if name else np.load(file)
    starts = {
        "random": (rng.random_sample((arguments.chains, data.shape[1])) < 0.5).astype(np.uint8),
        "data": data[rng.choice(len(data), arguments.chains, replace=False)],
    }
    print("plain Gibbs sampling, mean free energy ± standard error over chains")
    print(f"{'steps':>8}  {'from random states':>20}  {'from data':>20}  {'apart':>16}")
    done = 0
    tens = 10 ** np.arange(1, int(np.log10(arguments.steps)) + 1)
    for steps in sorted({*tens.tolist(), arguments.steps}):
        for start in starts:
            starts[start] = rbm.gibbs(starts[start], steps=steps - done, random_state=rng)
        done = steps
        ends = [rbm.free_energy(starts[start]) for start in ("random", "data")]
        (a, ea), (b, eb) = [(f.mean(), f.std(ddof=1) / len(f) ** 0.5) for f in ends]
        print(f"{steps:8}  {a:12.2f} ± {ea:.2f}  {b:13.2f} ± {eb:.2f}  {a - b:9.2f} ± {np.hypot(ea, eb):.2f}")

    samples = rbm.sample(4 * arguments.chains, thin=50, warm_up=3000)
    free = rbm.free_energy(samples)
    print(f"tempered sampler: {free.mean():.2f} ± {free.std(ddof=1) / len(free) ** 0.5:.2f}")


if __name__ == "__main__":
    main()
