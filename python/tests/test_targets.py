"""Energies of one's own."""

import pickle

import numpy as np
import pytest
from conftest import every_state

from isotherm import IsothermWarning, Quadratic, sample_target

QUICK = {"n_samples": 2000, "warm_up": 300, "log_z_steps": 500, "thin": 3}


@pytest.fixture(scope="module")
def couplings():
    rng = np.random.default_rng(1)
    return np.triu(rng.normal(size=(6, 6)), 1), rng.normal(size=6)


def ising_energy(states, couplings):
    upper, h = couplings
    spins = 2.0 * states - 1
    return -np.einsum("ni,ij,nj->n", spins, upper, spins) - spins @ h


def test_qubo():
    Q = np.random.default_rng(0).normal(size=(5, 5))
    states = every_state(5)
    expected = np.einsum("ni,ij,nj->n", states, Q, states)
    np.testing.assert_allclose(Quadratic.qubo(Q).energies(states), expected, atol=1e-12)
    assert Quadratic.qubo(Q).n == 5
    np.testing.assert_allclose(Quadratic.qubo(np.asfortranarray(Q)).energies(states), expected)


def test_ising(couplings):
    upper, h = couplings
    states = every_state(6)
    expected = ising_energy(states, couplings)
    bonds = [(i, j, upper[i, j]) for i in range(6) for j in range(i + 1, 6)]
    for target in (
        Quadratic.ising(upper, h),
        Quadratic.ising(upper.T, h),
        Quadratic.ising(upper + upper.T, h),
        Quadratic.ising_bonds(bonds, h),
    ):
        np.testing.assert_allclose(target.energies(states), expected, atol=1e-12)
    free = Quadratic.ising(upper).energies(states)
    np.testing.assert_allclose(free, ising_energy(states, (upper, np.zeros(6))), atol=1e-12)


def test_energies_that_cannot_be():
    with pytest.raises(ValueError, match="square"):
        Quadratic.qubo(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="square"):
        Quadratic.ising(np.zeros((2, 3)))
    with pytest.raises(ValueError):
        Quadratic.ising(np.zeros((3, 3)), np.zeros(2))
    with pytest.raises(ValueError):
        Quadratic.ising_bonds([(0, 5, 1.0)], np.zeros(3))
    with pytest.raises((ValueError, FloatingPointError)):
        Quadratic.qubo([[np.nan]])
    for states in (np.zeros((2, 4)), np.zeros(3), np.full((2, 3), 2), np.full((2, 3), 0.5)):
        with pytest.raises(ValueError, match="rows of 3 zeros and ones"):
            Quadratic.qubo(np.eye(3)).energies(states)


@pytest.mark.parametrize("native", [True, False])
def test_samples_and_log_z(couplings, native):
    states = every_state(6)
    energies = ising_energy(states, couplings)
    log_z = np.logaddexp.reduce(-energies)
    energy = Quadratic.ising(*couplings) if native else lambda x: ising_energy(x, couplings)
    found = sample_target(energy, None if native else 6, **QUICK)
    assert found.states.shape == (2000, 6) and found.states.dtype == np.uint8
    np.testing.assert_allclose(found.energies, ising_energy(found.states, couplings), atol=1e-9)
    assert found.log_z.value == pytest.approx(log_z, abs=max(0.02, 4 * found.log_z.std_error))
    below, above = found.log_z_bounds
    assert below.lower <= log_z <= above.upper
    p = np.exp(-energies - log_z)
    error = 4 * found.mean_energy.std_error
    assert found.mean_energy.value == pytest.approx(p @ energies, abs=error)
    seen = np.bincount((found.states @ 2 ** np.arange(5, -1, -1)).astype(int), minlength=64) / 2000
    assert np.abs(seen - p).sum() < 0.2
    assert found.converged and found.round_trips > 0
    assert found.betas[0] == 1 and found.betas[-1] == 0
    assert len(found.betas) == len(found.f_up) == len(found.swap_rates) + 1


def test_samples_belong_to_their_seed(couplings):
    target = Quadratic.ising(*couplings)
    few = {**QUICK, "n_samples": 100, "log_z_steps": 0}
    first, again = sample_target(target, **few), sample_target(target, **few, threads=1)
    assert np.array_equal(first.states, again.states)
    assert not np.array_equal(first.states, sample_target(target, **few, seed=2).states)
    assert first.log_z is None and first.log_z_bounds is None


@pytest.mark.parametrize(
    "answer",
    [
        lambda x: x.sum(axis=1),
        lambda x: x.sum(axis=1).astype(np.float32),
        lambda x: x.sum(axis=1).tolist(),
    ],
)
def test_energies_of_any_kind(answer):
    found = sample_target(answer, 3, n_samples=20, warm_up=20, log_z_steps=0)
    assert np.array_equal(found.energies, found.states.sum(axis=1))


def test_exceptions_come_out_as_they_are():
    class Mine(Exception):
        pass

    mine, calls = Mine("here"), []

    def fail(states):
        calls.append(len(states))
        if len(calls) > 5:
            raise mine
        return np.zeros(len(states))

    with pytest.raises(Mine) as error:
        sample_target(fail, 4, n_samples=10)
    assert error.value is mine


@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_energies_that_are_not_finite(value):
    with pytest.raises(FloatingPointError, match="finite|not a number"):
        sample_target(lambda x: np.where(x[:, 0] == 1, value, 0.0), 4, n_samples=10)


@pytest.mark.parametrize(
    "answer, words",
    [
        (lambda x: np.zeros(len(x) + 1), "energies for"),
        (lambda x: np.zeros((len(x), 2)), "a number for each row"),
        (lambda x: 0.0, "a number for each row"),
    ],
)
def test_answers_of_the_wrong_shape(answer, words):
    with pytest.raises(ValueError, match=words):
        sample_target(answer, 4, n_samples=10)


def test_no_energy_at_all():
    with pytest.raises((ValueError, TypeError)):
        sample_target(lambda x: "low", 4, n_samples=10)
    with pytest.raises(TypeError, match="energy"):
        sample_target(3, 4, n_samples=10)


@pytest.mark.parametrize(
    "options, name",
    [
        ({"n_samples": -1}, "n_samples=-1"),
        ({"columns": 0}, "columns=0"),
        ({"thin": 0}, "thin=0"),
        ({"rungs": 1}, "rungs=1"),
        ({"warm_up": 0.5}, "warm_up=0.5"),
        ({"seed": -2}, "seed=-2"),
        ({"threads": 0}, "threads=0"),
        ({"n": None}, "n is missing"),
        ({"n": 0}, "n=0"),
    ],
)
def test_errors_name_the_argument(options, name):
    with pytest.raises(ValueError, match=name):
        sample_target(lambda x: x.sum(axis=1), **{"n": 3, **options})


def test_a_callback_that_raises():
    def stop(share):
        raise RuntimeError("that will do")

    with pytest.raises(RuntimeError, match="that will do"):
        sample_target(Quadratic.qubo(np.eye(3)), n_samples=10**5, callback=stop)


def test_a_ladder_that_nobody_climbs_is_a_warning():
    """Two states that a single flip cannot join, and hardly any time."""
    wall = lambda x: 200.0 * np.abs(x.sum(axis=1) - 10.0) * (x.sum(axis=1) % 2)
    with pytest.warns(IsothermWarning) as caught:
        found = sample_target(wall, 20, n_samples=20, warm_up=1, thin=1, log_z_steps=1, columns=2)
    assert not found.converged and found.verdict
    (warning,) = [it.message for it in caught]
    assert warning.kind == "not-converged" and str(warning) == found.verdict
    reasons = [reason["kind"] for reason in warning.details["verdict"]["reasons"]]
    assert "few-round-trips" in reasons


def test_states_are_numbers_that_do_not_wrap():
    exact = 4 * np.log1p(np.e)
    for energy in (lambda x: -x.sum(1), lambda x: -((2 * x - 1).sum(1) + 4) / 2):
        found = sample_target(energy, n=4, n_samples=100, warm_up=200, log_z_steps=300)
        assert found.converged and abs(found.log_z.value - exact) < 0.15


def test_quadratic_energies_pickle():
    rng = np.random.default_rng(3)
    states, h = rng.integers(0, 2, (20, 4)), rng.normal(size=4)
    matrix = rng.normal(size=(4, 4))
    upper = np.triu(matrix, 1)
    energies = [
        Quadratic.qubo(matrix),
        Quadratic.ising(upper, h),
        Quadratic.ising(upper),
        Quadratic.ising_bonds([(0, 1, 0.5), (2, 3, -1.0)], h),
    ]
    before = [energy.energies(states) for energy in energies]
    matrix[:] = upper[:] = h[:] = 0.0  # what they were made from may change
    for energy, expected in zip(energies, before):
        again = pickle.loads(pickle.dumps(energy))
        np.testing.assert_array_equal(again.energies(states), expected)
        assert "4 variables" in repr(again)
