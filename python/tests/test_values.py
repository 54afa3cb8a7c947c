"""Numbers against plain NumPy, and against sums over all states."""

import numpy as np
import pytest
from conftest import every_state, parameters
from scipy import stats

from isotherm import RBM
from isotherm._runs import of_arrays


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.fixture(scope="module")
def exact(trained):
    """log p(v) of all 64 states, by a sum over all states of both layers."""
    weights, b, c = (array.astype(float) for array in parameters(trained))
    v, h = every_state(6), every_state(3)
    joint = v @ weights.T @ h.T + (h @ b) + (v @ c)[:, None]
    by_state = np.logaddexp.reduce(joint, axis=1)
    return v, by_state, np.logaddexp.reduce(by_state)


def test_transform(trained, votes):
    weights, b, _ = parameters(trained)
    np.testing.assert_allclose(trained.transform(votes), sigmoid(votes @ weights.T + b), rtol=1e-6)


def test_free_energy(trained, exact):
    states, by_state, _ = exact
    np.testing.assert_allclose(trained.free_energy(states), -by_state, rtol=1e-12)


def test_log_z_is_enumerated(trained, exact):
    assert trained.log_z_.method == "exact" and trained.log_z_.converged
    assert trained.log_z_.value == pytest.approx(exact[2], rel=1e-10)


def test_probabilities_add_up_to_one(trained, exact):
    states, by_state, log_z = exact
    log_p = trained.score_samples(states)
    np.testing.assert_allclose(log_p, by_state - log_z, atol=1e-9)
    assert np.exp(log_p).sum() == pytest.approx(1, abs=1e-9)


def test_score_is_the_mean(trained, votes):
    assert trained.score(votes) == pytest.approx(trained.score_samples(votes).mean(), rel=1e-12)
    assert trained.score(votes) == pytest.approx(
        trained.summary_["log_likelihood_averaged"]["value"]
    )


def test_log_likelihood(trained, votes):
    found = trained.log_likelihood(votes)
    assert float(found) == found.value == pytest.approx(trained.score(votes), rel=1e-9)
    assert found.lower == found.value == found.upper and found.converged
    assert str(found).endswith("nats, exact")
    rows = trained.score_samples(votes)
    assert found.examples_std_error == pytest.approx(rows.std(ddof=1) / len(rows) ** 0.5, rel=1e-6)


def test_an_estimate_brackets_the_truth(trained, votes):
    truth = trained.score(votes)
    found = trained.log_likelihood(votes, log_z="estimate", quick=True)
    assert found.lower <= truth <= found.upper
    assert found.value == pytest.approx(truth, abs=0.05) and found.std_error > 0
    assert "between" in str(found)
    again = trained.log_likelihood(votes, log_z="estimate", quick=True)
    other = trained.log_likelihood(votes, log_z="estimate", quick=True, seed=2)
    assert again.value == found.value != other.value


def test_a_model_too_large_to_enumerate():
    rng = np.random.default_rng(0)
    weights = 0.1 * rng.normal(size=(26, 26))
    rbm = of_arrays(weights, np.zeros(26), np.zeros(26))
    X = rng.integers(0, 2, (100, 26))
    found = rbm.log_likelihood(X, quick=True)
    assert found.log_z.method != "exact" and found.log_z.details["samplers"]
    assert found.lower < found.value < found.upper
    assert rbm.score(X) == pytest.approx(found.value, abs=0.2)
    with pytest.raises(RuntimeError, match="26"):
        rbm.log_likelihood(X, log_z="exact")


def test_reconstruct(trained, votes):
    weights, b, c = parameters(trained)
    hidden = sigmoid(votes @ weights.T + b)
    expected = sigmoid(hidden @ weights + c)
    np.testing.assert_allclose(trained.reconstruct(votes), expected, rtol=1e-6)


def chi_square(samples, p):
    """How likely counts as uneven as these are, if the samples are independent."""
    states = (samples @ (2 ** np.arange(5, -1, -1))).astype(int)
    counts, expected = np.bincount(states, minlength=64), p * len(samples)
    order = np.argsort(expected)
    # Rare states are put together, so that every group is expected twenty times.
    groups = (np.cumsum(expected[order]) // 20).astype(int)
    groups = np.unique(groups, return_inverse=True)[1]
    counts, expected = (np.bincount(groups, weights=it[order]) for it in (counts, expected))
    return stats.chisquare(counts, expected).pvalue


def test_samples_follow_the_model(trained, exact):
    p = np.exp(exact[1] - exact[2])
    samples = trained.sample(20_000, thin=20)
    assert samples.shape == (20_000, 6) and samples.dtype == np.uint8
    assert chi_square(samples, p) > 1e-4
    assert chi_square(samples, np.full(64, 1 / 64)) < 1e-10, "the test would notice"


def test_samples_of_a_model_from_elsewhere(trained, exact):
    weights, b, c = parameters(trained)
    rbm = of_arrays(weights.T, b, c)
    assert chi_square(rbm.sample(20_000, thin=20), np.exp(exact[1] - exact[2])) > 1e-4


def test_samples_belong_to_their_seed(trained):
    first, again = trained.sample(50, seed=5), trained.sample(50, seed=5)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, trained.sample(50, seed=6))
    assert np.array_equal(trained.sample(50), trained.sample(50, seed=trained.seed_))


def test_gibbs_leaves_the_model_invariant(trained, exact):
    rng = np.random.default_rng(1)
    p = np.exp(exact[1] - exact[2])
    start = exact[0][rng.choice(64, size=20_000, p=p / p.sum())]
    assert chi_square(trained.gibbs(start, random_state=2), p) > 1e-4


def test_one_step_of_gibbs(trained):
    """The mean over many walks from one state is what two sums give."""
    weights, b, c = (array.astype(float) for array in parameters(trained))
    v = np.array([1.0, 1, 1, 0, 0, 0])
    h = every_state(3)
    p_h = np.prod(
        np.where(h == 1, sigmoid(v @ weights.T + b), sigmoid(-(v @ weights.T + b))), axis=1
    )
    expected = p_h @ sigmoid(h @ weights + c)
    walks = trained.gibbs(np.tile(v, (40_000, 1)), random_state=3)
    assert walks.dtype == np.uint8
    np.testing.assert_allclose(walks.mean(axis=0), expected, atol=0.015)


def test_gibbs_repeats_itself(trained, votes):
    first = trained.gibbs(votes, steps=3, random_state=1)
    assert np.array_equal(first, trained.gibbs(votes, steps=3, random_state=1))
    assert not np.array_equal(first, trained.gibbs(votes, steps=3, random_state=2))


def test_learning_comes_close_to_the_entropy():
    X = np.array([[1, 1, 0, 0], [0, 0, 1, 1]] * 50)
    rbm = RBM(hidden=2, updates=10_000, random_state=1).fit(X)
    assert -0.85 < rbm.score(X) < -np.log(2)


def test_the_last_parameters_and_their_average(votes):
    averaged = RBM(hidden=2, updates=200, random_state=1).fit(votes)
    last = RBM(hidden=2, updates=200, random_state=1, averaged=False).fit(votes)
    assert not np.array_equal(averaged.components_, last.components_)
    measured = last.summary_
    assert last.score(votes) == pytest.approx(measured["log_likelihood"]["value"])
    assert averaged.score(votes) == pytest.approx(measured["log_likelihood_averaged"]["value"])


def test_held_out_data(votes):
    rbm = RBM(hidden=2, updates=400, random_state=1)
    rbm.fit(votes[:120], valid=votes[120:160], test=votes[160:])
    for name, rows in (("valid", votes[120:160]), ("test", votes[160:])):
        measured = rbm.summary_[f"log_likelihood_{name}_averaged"]["value"]
        assert rbm.score(rows) == pytest.approx(measured)
    history = rbm.history_["log_likelihood_valid"]
    assert np.nanmax(history) == rbm.summary_["best"]["log_likelihood_valid"]


def test_log_z_is_followed_along_a_large_model():
    X = np.random.default_rng(0).integers(0, 2, (300, 30))
    rbm = RBM(hidden=20, updates=2000, final_likelihood="exact-only", random_state=1).fit(X)
    names = ("log_z_averaged", "log_z_averaged_std_error", "log_z_averaged_round_trips")
    log_z, error, round_trips = (rbm.history_[name] for name in names)
    likelihood = rbm.history_["log_likelihood_averaged"]
    assert log_z[-1] + likelihood[-1] == pytest.approx(-rbm.free_energy(X).mean(), abs=1e-3)
    assert 0 < error[-1] < 0.05
    assert log_z[-1] == pytest.approx(rbm.log_z_.value, abs=5 * error[-1])
    assert (np.diff(round_trips[~np.isnan(round_trips)]) >= 0).all() and round_trips[-1] > 16


def test_patience_stops_early(votes):
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 2, (200, 6))
    rbm = RBM(hidden=3, updates=20_000, patience=300, random_state=1).fit(votes, valid=noise)
    assert rbm.n_updates_ < 10_000


def test_which_parameters_are_used_is_settled_by_fit():
    X = np.random.default_rng(0).integers(0, 2, (80, 6))
    rbm = RBM(hidden=3, updates=300, random_state=1).fit(X)
    before, samples = rbm.score(X), rbm.sample(20)
    rbm.set_params(averaged=False)
    assert rbm.score(X) == before
    np.testing.assert_array_equal(rbm.sample(20), samples)


def test_a_likelihood_says_where_its_samplers_began():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (100, 30))
    rbm = RBM(hidden=26, updates=50, final_likelihood="exact-only", random_state=1).fit(X)
    reasons = lambda log_z: [it["kind"] for it in log_z.details["verdict"]["reasons"]]
    starts = lambda log_z: [it["start"] for it in log_z.details["samplers"]]
    found = rbm.log_likelihood(X[:1], quick=True).log_z
    assert starts(found) == ["random", "known"] * 2
    assert "not-checked-from-data" not in reasons(found)
    basis = found.details["verdict"]["basis"]
    assert (basis["kind"], basis["data"]) == ("two-references", "training")
    rbm._starts = None  # as of a model that came from a file
    found = rbm.log_likelihood(X[:1], quick=True).log_z
    assert not found.converged and reasons(found)[-1] == "not-checked-from-data"
    assert found.details["verdict"]["basis"]["data"] == "own-samples"
    assert found.verdict == found.details["verdict"]["sentence"]
    given = rbm.log_likelihood(X[:1], training=X, quick=True).log_z
    assert starts(given) == ["random", "known"] * 2
    assert "not-checked-from-data" not in reasons(given)
