"""The estimator as scikit-learn sees it."""

import copy
import pickle

import joblib
import numpy as np
import pandas
import pytest
from conftest import same_model
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neural_network import BernoulliRBM
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler
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


#: A short fit.
QUICK = {"updates": 100, "likelihood_every": 0, "final_likelihood": "exact-only", "random_state": 0}


@pytest.mark.filterwarnings("ignore")
def test_a_pipeline_on_digits_meets_values_that_training_did_not_have():
    X, y = load_digits(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, random_state=0)
    assert MinMaxScaler().fit(train).transform(test).max() > 1.5
    model = make_pipeline(MinMaxScaler(), RBM(100, **QUICK), LogisticRegression(C=100, max_iter=500))
    assert model.fit(train, y_train).score(test, y_test) > 0.8
    search = GridSearchCV(model, {"rbm__n_components": [20, 40]}, cv=2, error_score="raise")
    search.fit(train, y_train)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_["rbm"].components_.shape[0] in (20, 40)


#: Arguments of BernoulliRBM, and what they are here.
NAMES = [
    ({"n_components": 3}, {"hidden": 3}),
    ({"learning_rate": 0.02}, {"lr": 0.02}),
    ({"batch_size": 20}, {"batch": 20}),
    ({"n_iter": 25}, {"updates": 50}),
    ({"epochs": 25}, {"updates": 50}),
    ({"n_iter": 3, "batch_size": 70}, {"updates": 9, "batch": 70}),
    ({"algorithm": "pcd"}, {"algorithm": "sml"}),
]


@pytest.mark.filterwarnings("ignore::isotherm.IsothermWarning")
@pytest.mark.parametrize("theirs, ours", NAMES)
def test_names_of_bernoulli_rbm(votes, theirs, ours):
    base = {} if "updates" in ours else {"updates": 50}
    one = RBM(**theirs, **base, random_state=1).fit(votes)
    other = RBM(**ours, **base, random_state=1).fit(votes)
    assert same_model(one, other) and one.config_ == other.config_
    assert one.get_params() | {"epochs": None, "updates": None, "algorithm": None} == (
        other.get_params() | {"epochs": None, "updates": None, "algorithm": None}
    )
    assert {name: getattr(one, name) for name in theirs} == theirs
    assert same_model(clone(one).fit(votes), one)
    set_later = RBM(**base, hidden=7, lr=0.7, batch=7, random_state=1)
    set_later.set_params(hidden=10, lr=None, batch=None).set_params(**theirs)
    assert same_model(set_later.fit(votes), one)
    assert sorted(one._given()) == sorted(other._given()), "for warnings of options without effect"


def test_a_search_over_their_names():
    X, y = labelled()
    model = make_pipeline(RBM(**{**QUICK, "updates": None}), LogisticRegression())
    names = {"n_components": [2, 4], "learning_rate": [0.01, 0.1], "batch_size": [10], "n_iter": [2]}
    grid = {f"rbm__{name}": values for name, values in names.items()}
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(X, y)
    rbm = search.best_estimator_["rbm"]
    assert rbm.components_.shape[0] == rbm.n_components and rbm.n_updates_ == 24
    assert rbm.config_["lr"] == rbm.learning_rate and rbm.config_["batch"] == 10


@pytest.mark.filterwarnings("ignore::isotherm.IsothermWarning")
def test_their_names_in_pieces(votes):
    theirs = RBM(n_components=2, learning_rate=0.5, batch_size=50, n_iter=7, random_state=1)
    ours = RBM(hidden=2, lr=0.5, batch=50, random_state=1)
    for rbm in (theirs, ours):
        rbm.partial_fit(votes).partial_fit(votes[:60])
    assert same_model(theirs, ours) and theirs.n_updates_ == 6, "each call is one pass"
    theirs.set_params(learning_rate=0.25).partial_fit(votes)
    assert theirs.history_["learning_rate"][-1] == 0.25


@pytest.mark.parametrize(
    "given",
    [
        {"hidden": 20, "n_components": 30},
        {"lr": 0.1, "learning_rate": 0.2},
        {"batch": 10, "batch_size": 20},
        {"updates": 50, "n_iter": 2},
        {"updates": 50, "epochs": 2},
        {"epochs": 2, "n_iter": 3},
    ],
)
def test_two_names_for_one_thing_are_an_error(votes, given):
    first, second = given
    with pytest.raises(ValueError, match=f"{first}.* and .*{second}"):
        RBM(**given).fit(votes)
    with pytest.raises(ValueError, match=f"{first}.* and .*{second}"):
        RBM().set_params(**given).partial_fit(votes)


def test_the_name_that_is_set_last_counts():
    """In a search over one name, the estimator may have been made with the other."""
    rbm = clone(RBM(hidden=20, lr=0.1)).set_params(n_components=30, learning_rate=np.float64(0.2))
    assert (rbm.hidden, rbm.n_components, rbm.lr, rbm.learning_rate) == (30, 30, 0.2, 0.2)
    assert clone(rbm).hidden == 30 and repr(rbm) == repr(RBM(hidden=30, lr=np.float64(0.2)))
    rbm.n_components = 3
    assert rbm.get_params()["hidden"] == 3


@pytest.mark.parametrize("name", ["n_iter", "epochs"])
@pytest.mark.parametrize("value", [0, 1.5, "many"])
def test_passes_are_counted(votes, name, value):
    with pytest.raises(ValueError, match=f"epochs={value!r} must be a whole number"):
        RBM(**{name: value}).fit(votes)


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
