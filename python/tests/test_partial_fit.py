"""Learning in pieces."""

import pickle

import numpy as np
import pytest
from conftest import same_model, votes_of

from isotherm import RBM, load


def test_it_returns_the_model(votes):
    rbm = RBM(hidden=2, random_state=1)
    assert rbm.partial_fit(votes) is rbm and rbm.n_updates_ == 2
    assert rbm.partial_fit(votes[:30]) is rbm and rbm.n_updates_ == 3


@pytest.mark.parametrize("temper_every", [1, 3])
def test_as_many_pieces_as_updates_are_a_fit(votes, temper_every):
    """The ladder adapts and the average goes on as if there had been no pause."""
    X, lr = votes[:50], 0.05
    whole = RBM(
        hidden=3,
        updates=130,
        lr=lr,
        lr_decay="constant",
        average=1000,
        likelihood_every=0,
        spawn_every=20,
        burn_in=5,
        min_swap=0.9,
        temper_every=temper_every,
        random_state=1,
    )
    pieces = RBM(hidden=3, lr=lr, spawn_every=20, burn_in=5, min_swap=0.9, random_state=1)
    pieces.set_params(temper_every=temper_every)
    whole.fit(X)
    for _ in range(130):
        pieces.partial_fit(X)
    assert pieces.n_updates_ == whole.n_updates_
    np.testing.assert_array_equal(pieces.ladder_.betas, whole.ladder_.betas)
    assert len(whole.ladder_.betas) != 10, "rungs came or went"
    assert same_model(pieces, whole)


def test_chunks_are_learned():
    rbm = RBM(hidden=3, average=50, random_state=1)
    rbm.partial_fit(votes_of(100, seed=0))
    held_out = votes_of(500, seed=999)
    before = rbm.score(held_out)
    for seed in range(1, 200):
        rbm.partial_fit(votes_of(100, seed))
    assert rbm.score(held_out) > before + 0.3


def test_one_row_at_a_time(votes):
    rbm = RBM(hidden=2, random_state=1).partial_fit(votes)
    before = rbm.components_.copy()
    for row in votes[:20]:
        rbm.partial_fit(row[None])
    assert rbm.n_updates_ == 22 and not np.array_equal(rbm.components_, before)


def test_it_goes_on_after_unpickling(votes):
    rbm = RBM(hidden=2, random_state=1).partial_fit(votes)
    other = pickle.loads(pickle.dumps(rbm))
    for model in (rbm, other):
        model.partial_fit(votes).partial_fit(votes[:10])
    assert same_model(rbm, other)
    assert rbm.history_["step"].tolist() == other.history_["step"].tolist()
    assert np.array_equal(rbm.sample(10), other.sample(10))


@pytest.mark.parametrize("decay", [None, "linear", "inverse"])
def test_it_goes_on_from_a_fit_at_the_rate_of_its_beginning(votes, decay):
    rbm = RBM(hidden=2, updates=200, lr=0.03, lr_decay=decay, averaged=False, random_state=1)
    rbm.fit(votes)
    last_rate, fitted = rbm.history_["learning_rate"][-1], rbm.components_.copy()
    assert last_rate < 0.005
    rbm.partial_fit(votes)
    change = np.abs(rbm.components_ - fitted).max()
    assert 1e-4 < change < 0.1, "it learned, from where it was"
    assert rbm.n_updates_ == 202
    assert rbm.history_["learning_rate"][-1] == 0.03
    assert rbm.history_["step"][-1] == 202 and len(rbm.history_["step"]) > 100


def test_it_goes_on_from_the_model_that_was_best_on_held_out_data(votes):
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 2, (200, 6))
    rbm = RBM(hidden=3, updates=600, patience=200, averaged=False, random_state=1)
    rbm.fit(votes, valid=noise)
    assert rbm.summary_["best"]["update"] < rbm.n_updates_
    fitted = rbm.components_.copy()
    rbm.partial_fit(votes)
    assert 0 < np.abs(rbm.components_ - fitted).max() < 0.1
    before = rbm.components_.copy()
    rbm.partial_fit(votes)
    assert not np.array_equal(rbm.components_, before)


def test_a_large_model_goes_on_too():
    """Its likelihood is followed along a fit, and not in pieces."""
    X = np.random.default_rng(0).integers(0, 2, (40, 30))
    rbm = RBM(hidden=20, updates=30, particles=20, final_likelihood="exact-only", random_state=1)
    rbm.fit(X).partial_fit(X)
    assert rbm.n_updates_ == 31


def test_another_rate_in_between(votes):
    rbm = RBM(hidden=2, lr=0.01, random_state=1).partial_fit(votes)
    rbm.set_params(lr=0.5).partial_fit(votes)
    assert rbm.history_["learning_rate"].tolist() == [0.01, 0.5]
    assert rbm.n_updates_ == 4


def test_patience_and_sampling_steps_are_for_fit(votes):
    rbm = RBM(hidden=2, patience=10, sampling_steps=50, random_state=1)
    assert rbm.partial_fit(votes).partial_fit(votes).n_updates_ == 4


def test_what_belonged_to_the_fit_is_gone(rbm, votes):
    before = rbm.log_z_
    updates = rbm.summary_["updates"]
    rbm.partial_fit(votes)
    assert rbm.summary_["updates"] == updates + 2 and rbm.log_z_ != before
    assert np.exp(rbm.score_samples(np.indices((2,) * 6).reshape(6, -1).T)).sum() == pytest.approx(
        1
    )
    assert len(rbm.ladder_.betas) == len(rbm.ladder_.swap_rates) + 1


@pytest.mark.filterwarnings("ignore::isotherm.IsothermWarning")
def test_the_summary_is_that_of_a_fit(votes):
    """It is found when it is asked for, of the model and the rows of the last call."""
    rbm = RBM(hidden=2, random_state=1)
    for rows in (votes[:50], votes[50:]):
        rbm.partial_fit(rows)
        assert rbm.summary_["updates"] == rbm.n_updates_
        found = rbm.summary_["log_likelihood_averaged"]
        assert found["value"] == pytest.approx(rbm.score(rows), abs=1e-5)
    assert rbm.summary_ is rbm.summary_ and rbm.summary_["diagnostics"]
    whole = RBM(hidden=2, updates=2, random_state=1).fit(votes)
    assert rbm.summary_.keys() == whole.summary_.keys()


def test_asking_for_the_summary_changes_nothing(votes, tmp_path):
    asked, other = (RBM(hidden=2, random_state=1).partial_fit(votes) for _ in range(2))
    ladder = asked.ladder_.betas
    assert asked.summary_["betas"] == ladder.tolist()
    assert same_model(asked.partial_fit(votes), other.partial_fit(votes))
    # What was asked for is kept with the model.
    for again in (pickle.loads(pickle.dumps(asked)), pickle.loads(pickle.dumps(other))):
        assert not hasattr(again, "summary_")
    asked.summary_
    assert pickle.loads(pickle.dumps(asked)).summary_ == asked.summary_
    asked.save(tmp_path / "run")
    loaded = load(tmp_path / "run")
    assert loaded.summary_ == asked.summary_ and loaded.n_updates_ == 4


def test_fit_begins_anew(votes):
    rbm = RBM(hidden=2, updates=50, random_state=1).fit(votes)
    first = rbm.components_.copy()
    rbm.partial_fit(votes).fit(votes)
    assert np.array_equal(rbm.components_, first) and rbm.n_updates_ == 50
    assert rbm.partial_fit(votes).n_updates_ == 52


def test_errors(votes):
    with pytest.raises(ValueError, match="minimum of 2"):
        RBM().partial_fit(votes[:1])
    rbm = RBM(hidden=2, random_state=1).partial_fit(votes)
    with pytest.raises(ValueError, match="5 features"):
        rbm.partial_fit(votes[:, :5])
    with pytest.raises(ValueError, match="batch=0"):
        RBM(hidden=2, batch=0).partial_fit(votes)


def test_every_row_is_seen_in_every_call():
    """Also where the batches do not divide the rows: flipping any row changes the model."""
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 2, (2, 150, 6)).astype(np.uint8)

    def learned(rows):
        rbm = RBM(hidden=2, algorithm="cd", averaged=False, random_state=1)
        return rbm.partial_fit(first).partial_fit(rows).components_

    before = learned(second)
    for row in range(0, 150, 7):
        flipped = second.copy()
        flipped[row] ^= 1
        assert not np.array_equal(learned(flipped), before), row
