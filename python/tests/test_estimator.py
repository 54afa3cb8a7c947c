"""The estimator as scikit-learn sees it."""

import copy
import pickle

import joblib
import numpy as np
import pandas
import pytest
from conftest import same_model
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import BernoulliRBM
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from isotherm import RBM


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([RBM(hidden=3, updates=50, random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def labelled():
    """Two patterns with noise."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    patterns = np.array([[1, 1, 1, 0, 0, 0, 1, 0], [0, 0, 1, 1, 1, 0, 0, 1]])
    X = patterns[y] ^ (rng.random((120, 8)) < 0.1)
    return X.astype(float), y


def test_it_stands_where_bernoulli_rbm_stood():
    X, y = labelled()
    steps = lambda rbm: Pipeline([("rbm", rbm), ("classify", LogisticRegression(C=100))])
    theirs = steps(BernoulliRBM(n_components=4, random_state=0)).fit(X, y)
    ours = steps(RBM(hidden=4, updates=1000, random_state=0)).fit(X, y)
    assert ours.score(X, y) >= theirs.score(X, y) - 0.02 and ours.score(X, y) > 0.9
    rbm = ours.named_steps["rbm"]
    for name in ("components_", "intercept_hidden_", "intercept_visible_"):
        assert getattr(rbm, name).shape == getattr(theirs.named_steps["rbm"], name).shape
    for name in ("fit", "fit_transform", "gibbs", "partial_fit", "score_samples", "transform"):
        assert callable(getattr(BernoulliRBM, name)) and callable(getattr(RBM, name))


def test_its_parts_are_those_of_bernoulli_rbm():
    """Given the same parameters, both give the same numbers."""
    X, _ = labelled()
    ours = RBM(hidden=4, updates=200, random_state=0).fit(X)
    theirs = BernoulliRBM(n_components=4, n_iter=1, random_state=0).fit(X)
    for name in ("components_", "intercept_hidden_", "intercept_visible_"):
        setattr(theirs, name, getattr(ours, name))
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-5)
    np.testing.assert_allclose(ours.free_energy(X), theirs._free_energy(X), rtol=1e-5)


def test_grid_search_by_likelihood():
    X, _ = labelled()
    search = GridSearchCV(
        RBM(updates=300, random_state=0), {"hidden": [1, 4], "lr": [0.001, 0.05]}, cv=2
    ).fit(X)
    assert search.best_params_["lr"] == 0.05
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all() and scores.max() > scores.min() + 0.1


def test_grid_search_in_processes():
    X, y = labelled()
    model = make_pipeline(RBM(updates=100, random_state=0), LogisticRegression())
    search = GridSearchCV(model, {"rbm__hidden": [2, 4]}, cv=2, n_jobs=2, error_score="raise")
    assert search.fit(X, y).best_score_ > 0.6


@pytest.mark.parametrize(
    "go", [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy, copy.copy]
)
def test_copies(trained, votes, go):
    other = go(trained)
    assert same_model(other, trained)
    assert other.score(votes) == trained.score(votes)
    assert np.array_equal(other.sample(20), trained.sample(20))
    assert other.history_.keys() == trained.history_.keys()
    assert other.get_params() == trained.get_params()


def test_an_unfitted_one_is_copied_too():
    other = pickle.loads(pickle.dumps(RBM(hidden=7)))
    assert other.hidden == 7 and not other.__sklearn_is_fitted__()


def test_joblib(trained, votes, tmp_path):
    joblib.dump(trained, tmp_path / "rbm.joblib", compress=3)
    other = joblib.load(tmp_path / "rbm.joblib")
    np.testing.assert_array_equal(other.transform(votes), trained.transform(votes))


def test_clones_are_unfitted(trained):
    other = clone(trained)
    assert other.get_params() == trained.get_params() and not hasattr(other, "components_")


def test_set_params(votes):
    rbm = RBM().set_params(hidden=2, updates=30, random_state=1)
    assert same_model(rbm.fit(votes), RBM(hidden=2, updates=30, random_state=1).fit(votes))
    with pytest.raises(ValueError, match="hiddn"):
        rbm.set_params(hiddn=3)


def test_names_of_features(votes):
    rbm = RBM(hidden=2, updates=30, random_state=1)
    frame = pandas.DataFrame(votes, columns=list("abcdef"))
    out = rbm.set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == list(rbm.get_feature_names_out()) == ["rbm0", "rbm1"]
    assert list(rbm.feature_names_in_) == list("abcdef")
    with pytest.raises(ValueError, match="feature names"):
        rbm.transform(frame.rename(columns={"a": "z"}))


def test_tags():
    tags = RBM().__sklearn_tags__()
    assert tags.input_tags.sparse and tags.transformer_tags.preserves_dtype


def test_methods_of_an_unfitted_one(votes):
    from sklearn.exceptions import NotFittedError

    rbm = RBM()
    for ask in (
        lambda: rbm.transform(votes),
        lambda: rbm.sample(3),
        lambda: rbm.log_z_,
        lambda: rbm.history_,
        lambda: rbm.ladder_,
        lambda: rbm.plot,
        lambda: rbm.report(),
        lambda: rbm.traces(),
        lambda: rbm.gibbs(votes),
        lambda: rbm.log_likelihood(votes),
    ):
        with pytest.raises(NotFittedError):
            ask()
