"""Watches a ladder adapt: python watch_a_ladder.py [folder for the figures]

The data are 8 × 8 images of four patterns with a few pixels flipped: modes far from each other,
between which plain Gibbs sampling does not move. Rungs are added while the model learns them.
"""

import pathlib
import sys
import tempfile

import numpy as np

import isotherm

PATTERNS = 4


def patterns():
    """Halves and quarters of a square: any two of them differ in half of the pixels."""
    y, x = np.indices((8, 8))
    left, top = x < 4, y < 4
    checks, middle = left ^ top, (x + 2) % 8 < 4
    return np.stack([left, top, checks, middle]).reshape(PATTERNS, 64)


def show(row):
    """Called with each row of metrics: every 1000 updates, and when the ladder got a rung more."""
    ladder, likelihood = row["ladder"], row.get("log_likelihood_averaged")
    print(
        f"{row['step']:7} {len(ladder['betas']):6} {ladder['swap_rate']:10.2f} "
        f"{ladder['round_trips']:12}"
        + (f" {likelihood['value']:15.2f}" if likelihood else "")
    )


def main():
    rng = np.random.default_rng(1)
    shapes = patterns()
    X = shapes[rng.integers(PATTERNS, size=2000)] ^ (rng.random((2000, 64)) < 0.03)

    print("updates  rungs  swap rate  round trips  log-likelihood")
    rbm = isotherm.RBM(
        hidden=10,
        path="joint",  # the energy times β, as in the paper; others need fewer rungs
        rungs=4,
        spawn_every=500,
        updates=20_000,
        metrics_every=1000,
        likelihood_every=1000,
        random_state=1,
        callback=show,
    ).fit(X)

    # The patterns have equal shares in the data; so they should in samples of the model.
    distance = (rbm.sample(2000)[:, None] != shapes).sum(axis=2)
    shares = np.bincount(distance.argmin(axis=1), minlength=PATTERNS) / 2000
    print("shares of the patterns in 2000 samples:", shares.round(2))
    assert distance.min(axis=1).mean() < 4
    assert shares.min() > 0.1
    assert rbm.ladder_.round_trips > 0
    assert len(rbm.ladder_.betas) > 4

    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("likelihood", "ladder", "flow", "swap_rates", "round_trips", "filters", "samples"):
        axes = getattr(rbm.plot, name)()
        axes.figure.savefig(folder / f"{name}.png", dpi=100)
        assert (folder / f"{name}.png").stat().st_size > 1000
    print("figures are in", folder)


if __name__ == "__main__":
    main()
