"""A 4 × 4 Ising lattice with periodic edges: log Z and mean energy against all 65,536 states.

The energy is given twice: as bonds, which the engine sweeps itself, and as a function in Python.
"""

import time

import numpy as np

import isotherm

SIDE, COUPLING = 4, 0.6  # colder than the critical point at 0.44: all up or all down

site = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
bonds = [
    (i, j, COUPLING)
    for axis in (0, 1)
    for i, j in zip(site.ravel(), np.roll(site, -1, axis).ravel())
]


def energy(states):
    """The same energy for rows of zeros and ones."""
    s = 2.0 * states.reshape(-1, SIDE, SIDE) - 1
    right, below = np.roll(s, -1, axis=2), np.roll(s, -1, axis=1)
    return -COUPLING * (s * (right + below)).sum(axis=(1, 2))


def main():
    every = (np.arange(1 << 16)[:, None] >> np.arange(16) & 1).astype(np.uint8)
    e = energy(every)
    log_z = np.logaddexp.reduce(-e)
    mean = np.sum(np.exp(-e - log_z) * e)
    print(f"{'':18}     log Z            mean energy          time")
    print(f"{'enumeration':18} {log_z:9.4f}           {mean:9.4f}")

    lattice = isotherm.Quadratic.ising_bonds(bonds, h=np.zeros(SIDE * SIDE))
    assert np.allclose(lattice.energies(every), e)
    for name, target in (("Quadratic", lattice), ("Python function", energy)):
        start = time.perf_counter()
        found = isotherm.sample_target(target, n=SIDE * SIDE, n_samples=2000, seed=1)
        seconds = time.perf_counter() - start
        z, u = found.log_z, found.mean_energy
        print(
            f"{name:18} {z.value:9.4f} ± {z.std_error:.4f}  {u.value:9.4f} ± {u.std_error:.4f} "
            f"{seconds:9.1f} s"
        )
        up = (found.states.mean(axis=1) > 0.5).mean()
        print(f"{'':18} {found.round_trips} round trips, {up:.0%} of the samples mostly up")
        assert found.converged, found.verdict
        assert abs(z.value - log_z) < 4 * z.std_error + 0.01
        assert abs(u.value - mean) < 4 * u.std_error + 0.01
        assert 0.4 < up < 0.6


if __name__ == "__main__":
    main()
