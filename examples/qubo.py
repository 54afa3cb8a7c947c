"""Max-cut as a QUBO: the heaviest cut of a small graph, found by sampling and checked by counting.

A cut gives each node a side, x_i = 0 or 1. An edge of weight w is cut if its ends differ, and
x_i + x_j − 2 x_i x_j is 1 just then; so the energy −w (x_i + x_j − 2 x_i x_j), summed over the
edges, is the weight of the cut with a minus before it.
"""

import time

import numpy as np

import isotherm

NODES, COLD = 18, 4.0  # the energy is multiplied by COLD, so that the best cuts stand out


def main():
    rng = np.random.default_rng(1)
    weights = np.triu(rng.integers(1, 10, (NODES, NODES)) * (rng.random((NODES, NODES)) < 0.4), 1)
    Q = 2.0 * weights - np.diag((weights + weights.T).sum(axis=1))

    start = time.perf_counter()
    target = isotherm.Quadratic.qubo(COLD * Q)
    found = isotherm.sample_target(target, n_samples=1000, log_z_steps=0, seed=1)
    seconds = time.perf_counter() - start
    best = found.states[found.energies.argmin()]
    cut = -found.energies.min() / COLD
    print(f"{NODES} nodes, {np.count_nonzero(weights)} edges of weight {weights.sum()} in all")
    print(f"heaviest cut found   {cut:.0f}  {''.join(map(str, best))}  in {seconds:.1f} s")

    # Every cut, with node 0 on side 0: a cut stays the same if all nodes change sides.
    every = (np.arange(1 << (NODES - 1))[:, None] << 1 >> np.arange(NODES) & 1).astype(float)
    cuts = -np.einsum("si,si->s", every @ Q, every)
    optima = every[cuts == cuts.max()].astype(np.uint8)
    print(f"heaviest cut of all  {cuts.max():.0f}  {''.join(map(str, optima[0]))}")
    share = np.isclose(found.energies, found.energies.min()).mean()
    print(f"{share:.0%} of the samples are optimal; {len(optima)} cut(s) reach the optimum")
    assert round(cut) == round(cuts.max())
    assert any((best ^ best[0] == optimum).all() for optimum in optima)


if __name__ == "__main__":
    main()
