"""Arrays in: whatever holds the same zeros and ones gives the same model."""

import numpy as np
import pytest
from conftest import every_state, same_model, votes_of
from scipy import sparse

from isotherm import RBM


def fitted(X, **options):
    return RBM(**{"hidden": 3, "updates": 100, "random_state": 1, **options}).fit(X)


@pytest.fixture(scope="module")
def reference(votes):
    return fitted(votes)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, bool, np.int64, np.int8, np.float16])
def test_types(votes, reference, dtype):
    X = votes.astype(dtype)
    rbm = fitted(X)
    assert same_model(rbm, reference)
    np.testing.assert_allclose(rbm.transform(X), reference.transform(votes), rtol=1e-5)
    np.testing.assert_allclose(rbm.score_samples(X), reference.score_samples(votes), rtol=1e-5)


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array])
def test_sparse(votes, reference, make):
    X = make(votes)
    rbm = fitted(X)
    assert same_model(rbm, reference)
    for method in ("transform", "score_samples", "reconstruct", "free_energy"):
        ours, dense = getattr(rbm, method)(X), getattr(reference, method)(votes)
        assert isinstance(ours, np.ndarray)
        np.testing.assert_allclose(ours, dense, rtol=1e-9)
    assert np.array_equal(rbm.gibbs(X, random_state=1), reference.gibbs(votes, random_state=1))
    assert rbm.log_likelihood(X).value == reference.log_likelihood(votes).value


def test_sparse_with_zeros_written_out(votes, reference):
    X = sparse.csr_array(np.where(votes == 0, 7.0, votes))
    X.data[X.data == 7] = 0
    before = X.data.copy()
    assert same_model(fitted(X), reference)
    assert np.array_equal(X.data, before), "the matrix is left alone"


def test_sparse_with_places_named_twice(votes, reference):
    rows, columns = np.nonzero(votes)
    twice = np.r_[rows, rows], np.r_[columns, columns]
    X = sparse.csr_array(sparse.coo_array((np.full(2 * len(rows), 0.5), twice), shape=votes.shape))
    X = sparse.csr_array((X.data, X.indices, X.indptr), shape=X.shape)
    assert same_model(fitted(X), reference)


def test_sparse_grey():
    X = np.random.default_rng(0).random((50, 6)) * votes_of(50)
    assert same_model(fitted(sparse.csr_array(X)), fitted(X))


@pytest.mark.parametrize("dtype", [float, np.float32, np.uint8, bool])
def test_layouts(votes, reference, dtype):
    X = votes.astype(dtype)
    assert same_model(fitted(np.asfortranarray(X)), reference)
    apart = np.zeros((400, 12), dtype)
    apart[::2, 1::2] = X
    assert same_model(fitted(apart[::2, 1::2]), reference)
    assert same_model(fitted(X[::-1][::-1]), reference)
    X.flags.writeable = False
    assert same_model(fitted(X), reference)


def test_the_array_is_left_alone():
    X = np.random.default_rng(0).random((50, 6))
    before = X.copy()
    fitted(X).transform(X)
    assert np.array_equal(X, before)


@pytest.mark.parametrize("options", [{}, {"hidden": 40, "particles": 100}])
def test_threads_do_not_matter(options):
    X = np.random.default_rng(0).integers(0, 2, (300, 64))
    one, two = (fitted(X, updates=60, threads=threads, **options) for threads in (1, 2))
    assert same_model(one, two)
    assert one._checkpoint == two._checkpoint
    assert np.array_equal(one.sample(20, warm_up=20), two.sample(20, warm_up=20))


def test_random_states(votes, reference):
    assert same_model(fitted(votes, random_state=np.int64(1)), reference)
    assert not same_model(fitted(votes, random_state=2), reference)
    drawn = [fitted(votes, random_state=np.random.RandomState(7)) for _ in range(2)]
    assert same_model(*drawn)
    assert fitted(votes, random_state=None).seed_ != fitted(votes, random_state=None).seed_


@pytest.fixture(scope="module")
def grey():
    return np.random.default_rng(3).random((80, 6))


#: What does not learn.
MEASURING = {
    "transform": lambda it, X: it.transform(X),
    "score_samples": lambda it, X: it.score_samples(X),
    "score": lambda it, X: it.score(X),
    "gibbs": lambda it, X: it.gibbs(X, random_state=1),
    "reconstruct": lambda it, X: it.reconstruct(X),
    "free_energy": lambda it, X: it.free_energy(X),
    "log_likelihood": lambda it, X: it.log_likelihood(X).value,
}


class TestGreyValues:
    """Values between 0 and 1 are probabilities; others are scaled to them."""

    def test_they_are_means(self, grey):
        rbm = fitted(grey)
        assert rbm.config_["binarise"] == "dynamic"
        field = grey @ rbm.components_.T + rbm.intercept_hidden_
        np.testing.assert_allclose(rbm.transform(grey), 1 / (1 + np.exp(-field)), rtol=1e-6)

    def test_their_score_is_a_bound(self, grey):
        rbm, row = fitted(grey, updates=500), grey[0]
        states = every_state(6)
        p = np.prod(np.where(states == 1, row, 1 - row), axis=1)
        assert rbm.score_samples(row[None])[0] <= p @ rbm.score_samples(states)

    def test_other_ranges_are_scaled_with_a_warning(self, grey):
        with pytest.warns(UserWarning, match="from -5 to 15"):
            wide = np.vstack([20 * grey - 5, np.full((1, 6), -5), np.full((1, 6), 15)])
            rbm = fitted(wide)
        assert rbm.range_ == (-5, 15)
        unit = np.vstack([grey, np.zeros((1, 6)), np.ones((1, 6))])
        assert same_model(rbm, fitted(unit))
        np.testing.assert_allclose(rbm.transform(20 * grey - 5), fitted(unit).transform(grey))

    @pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
    @pytest.mark.parametrize("method", MEASURING)
    def test_values_outside_are_clipped_with_one_warning(self, grey, method, make):
        rbm, X = fitted(grey), grey.copy()
        X[:, 0] *= 1.5
        X[:3, 1] = -0.25 * X[:3, 1]
        inside = MEASURING[method](rbm, make(np.clip(X, 0, 1)))
        with pytest.warns(UserWarning, match="values outside are clipped") as caught:
            clipped = MEASURING[method](rbm, make(X))
        assert len(caught) == 1 and caught[0].filename == __file__
        np.testing.assert_array_equal(clipped, inside)

    @pytest.mark.parametrize("rule", ["as-is", "dynamic", "static:1"])
    @pytest.mark.parametrize("method", MEASURING)
    def test_they_are_with_any_rule(self, grey, rule, method):
        rbm, bits = fitted((grey > 0.5).astype(float), binarise=rule), (grey > 0.5).astype(float)
        with pytest.warns(UserWarning, match="values outside are clipped") as caught:
            clipped = MEASURING[method](rbm, 2 * bits - 0.5)
        assert len(caught) == 1
        np.testing.assert_array_equal(clipped, MEASURING[method](rbm, bits))

    @pytest.mark.parametrize("method", MEASURING)
    def test_they_are_beyond_a_range_that_was_found(self, grey, method):
        with pytest.warns(UserWarning, match="scaled to 0 and 1"):
            wide = fitted(10 * grey)
        with pytest.warns(UserWarning, match="values outside are clipped") as caught:
            MEASURING[method](wide, 11 * grey)
        assert len(caught) == 1

    def test_learning_refuses_them(self, grey):
        bits = (grey > 0.5).astype(float)
        for wrong in (2 * bits - 1, 255 * bits, sparse.csr_array(2 * bits)):
            for part in ("valid", "test"):
                with pytest.raises(ValueError, match=f"{part} has values from"):
                    RBM(hidden=2, updates=50).fit(bits, **{part: wrong})
            with pytest.raises(ValueError, match="fitted on values from 0 to 1"):
                RBM(hidden=2).partial_fit(bits).partial_fit(wrong)

    @pytest.mark.filterwarnings("error")
    def test_rounding_is_no_other_range(self, grey):
        rounded = np.vstack([grey, np.ones((1, 6))]) * (1 + 1e-15)
        assert rounded.max() > 1
        for X in (rounded, sparse.csr_array(rounded)):
            rbm = fitted(X)
            assert rbm.range_ == (0, 1) and np.isfinite(rbm.score(X))

    @pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
    def test_what_is_no_number_is_refused_everywhere(self, grey, wrong):
        rbm, X = fitted(grey), grey.copy()
        X[3, 2] = wrong
        learning = {"fit": lambda it, X: it.fit(X), "partial_fit": lambda it, X: it.partial_fit(X)}
        for ask in (*MEASURING.values(), *learning.values()):
            with pytest.raises(ValueError, match="NaN|infinity"):
                ask(rbm, X)

    @pytest.mark.parametrize("rule", ["dynamic", "static:1", "threshold:0.5"])
    def test_bytes_and_fractions_mean_the_same(self, grey, rule):
        grey = np.vstack([np.round(255 * grey) / 255, np.ones((1, 6))])
        bytes_ = np.round(255 * grey).astype(np.uint8)
        by_bytes, by_fractions = fitted(bytes_, binarise=rule), fitted(grey, binarise=rule)
        assert same_model(by_bytes, by_fractions)
        assert by_bytes.range_ == (0, 255) and by_fractions.range_ == (0, 1)
        for rows in (slice(None), slice(0, 1)):
            ours, theirs = by_bytes.transform(bytes_[rows]), by_fractions.transform(grey[rows])
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)
        ours = by_bytes.log_likelihood(bytes_[:9]).value
        assert ours == pytest.approx(by_fractions.log_likelihood(grey[:9]).value)
        assert same_model(by_bytes.partial_fit(bytes_[:1]), by_fractions.partial_fit(grey[:1])), (
            "also where one row could mean anything"
        )

    def test_thresholds(self, grey):
        rbm = fitted(grey, binarise="threshold:0.3")
        assert same_model(rbm, fitted((grey > 0.3).astype(float)))
        assert np.array_equal(rbm.transform(grey), rbm.transform((grey > 0.3).astype(float)))
        spins = np.where(grey > 0.5, 1, -1)
        rbm = fitted(spins, binarise="threshold:0")
        assert same_model(rbm, fitted(grey > 0.5))
        np.testing.assert_allclose(rbm.transform(spins), fitted(grey > 0.5).transform(grey > 0.5))

    def test_single_precision_stays_single(self, grey):
        single = grey.astype(np.float32)
        for rule in ("auto", "threshold:0.5", "dynamic"):
            assert fitted(single, binarise=rule).transform(single).dtype == np.float32

    def test_as_is_refuses_them(self, grey):
        with pytest.raises(ValueError, match="binarise='threshold:0.5'") as error:
            fitted(grey, binarise="as-is")
        assert "isotherm data" not in str(error.value) and "--" not in str(error.value)
