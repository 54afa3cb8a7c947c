"""Arguments: the engine's options by the command line's names, and errors that name them."""

import inspect
import pydoc
import re
import runpy
import typing
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import same_model

from isotherm import RBM, IsothermWarning, _isotherm, _parameters
from isotherm._parameters import OPTIONS


TABLE = {spec["name"].replace("-", "_"): spec for spec in _isotherm.options_table()}


def test_the_arguments_follow_the_table():
    """``scripts/options`` writes them."""
    script = Path(__file__).resolve().parents[2] / "scripts" / "options"
    written = runpy.run_path(str(script))["generated"](_isotherm.options_table())
    assert inspect.getsource(_parameters) == written, "run scripts/options"


def test_defaults_are_those_of_the_engine():
    """``None`` leaves a choice to the engine; whatever else is a default is the engine's."""
    ours = RBM().get_params()
    for name in OPTIONS:
        if name in ("constant_columns", "binarise"):
            assert ours[name] != TABLE[name]["default"], "Python's own"
        elif ours[name] is not None:
            assert TABLE[name]["default"] == ours[name] and not TABLE[name]["found_by"], name


def test_all_options_of_learning_are_there():
    of_files = {"train", "valid", "test", "split", "drop", "checkpoint_every"}
    named_otherwise = {"seed"}
    assert set(TABLE) - of_files - named_otherwise == set(OPTIONS)
    assert set(OPTIONS) < set(RBM().get_params())


def test_every_argument_is_documented():
    """By itself, in what ``help(RBM)`` prints."""
    printed = pydoc.plain(pydoc.render_doc(RBM))
    for name in inspect.signature(RBM).parameters:
        assert len(re.findall(rf"^ \|  {name} : .+\n \|      .+", printed, re.M)) == 1, name
    assert "{" not in RBM.__doc__.replace("{'", "")
    # The mixture that the command line has built in is not data of Python; the mixture that a ladder starts from is
    # named by its own two options and by the columns and particles of that ladder.
    others = re.sub(r"^    (reference|components|columns|particles) : .+\n(        .+\n)+", "", RBM.__doc__, flags=re.M)
    assert " reference :" not in others and " components :" not in others
    assert "mixture" not in others.split("data_seed :")[0]


def test_words_are_typed():
    """Every word of the engine, and no other but Python's own."""
    own = {"algorithm": {"pcd"}}
    hints = typing.get_type_hints(_parameters.Parameters.__init__)
    for name, spec in TABLE.items():
        if spec["kind"] == "word" and name in OPTIONS:
            some = (hints[name], *typing.get_args(hints[name]))
            (words,) = [it for it in some if typing.get_origin(it) is typing.Literal]
            assert set(typing.get_args(words)) == {*spec["values"], *own.get(name, ())}, name


def test_names_and_values_are_those_of_the_command_line(cli):
    helped = cli("train", "--help")
    for name in OPTIONS:
        assert f"--{name.replace('_', '-')} " in helped, name


@pytest.mark.filterwarnings("ignore::isotherm.IsothermWarning")
def test_defaults_take_effect(votes):
    config = RBM(updates=20, random_state=1).fit(votes).config_
    # The votes have no clusters, so the ladder starts from independent units.
    assert (config["hidden"], config["particles"]) == (10, 500)
    assert config["l1"] == pytest.approx(0.22 * 6**0.5 / 200)
    assert RBM(updates=20, l1=0.0, random_state=1).fit(votes).config_["l1"] == 0


WRONG = [
    ("lr", -1),
    ("lr", "fast"),
    ("lr", float("nan")),
    ("lr", float("inf")),
    ("lr", [0.1]),
    ("algorithm", "foo"),
    ("algorithm", None.__class__),
    ("hidden", 0),
    ("hidden", 2.5),
    ("hidden", -3),
    ("hidden", "ten"),
    ("hidden", True),
    ("min_swap", 2),
    ("momentum", 1.0),
    ("updates", 0),
    ("updates", 1.5),
    ("batch", 0),
    ("k", 0),
    ("temper_every", 0),
    ("rungs", 1),
    ("max_rungs", 1),
    ("burn_in", 1000),
    ("path", "detour"),
    ("swap", "places"),
    ("spacing", "wide"),
    ("respace", "often"),
    ("lr_decay", "never"),
    ("gradient", "steep"),
    ("constant_columns", "drop"),
    ("final_likelihood", "later"),
    ("binarise", "sometimes"),
    ("binarise", 3),
    ("patience", 100),
    ("random_state", -1),
    ("random_state", 2**63),
    ("threads", 0),
    ("threads", -1),
    ("threads", 1.5),
]


@pytest.mark.filterwarnings("ignore::isotherm.IsothermWarning")
@pytest.mark.parametrize(("name", "value"), WRONG)
def test_errors_name_the_argument(votes, name, value):
    with pytest.raises((ValueError, TypeError)) as error:
        RBM(**{"updates": 20, "random_state": 1, name: value}).fit(votes)
    text = str(error.value)
    assert re.search(rf"\b{name}\b", text), text
    for word in ("--", "usize", "u64", "f64", "isotherm train", "split"):
        assert word not in text, text


def test_how_errors_read(votes):
    def said(**options):
        with pytest.raises(ValueError) as error:
            RBM(**{"updates": 20, **options}).fit(votes)
        return str(error.value)

    assert said(hidden=2.5).startswith("hidden must be a whole number")
    assert said(hidden=2.5).endswith("not 2.5")
    words = "cd, sml, pt, apt, exact"
    assert said(algorithm="foo") == f"algorithm must be one of {words}, not foo"
    assert said(min_swap=2) == "min_swap must be a number from 0.0 to 0.95, not 2"
    assert "'auto'" in said(binarise="sometimes")
    assert "algorithm='cd'" in said(algorithm="cd", columns=7)
    assert "give valid to fit" in said(patience=10)
    assert said(burn_in=2000).startswith("burn_in=2000 must be shorter than spawn_every=1000")


def test_whole_numbers_may_be_written_as_floats(votes):
    plain = RBM(hidden=3, updates=100, batch=50, random_state=1).fit(votes)
    other = RBM(hidden=3.0, updates=1e2, batch=np.float32(50), random_state=1).fit(votes)
    assert same_model(plain, other) and other.n_updates_ == 100


def test_numbers_of_numpy(votes):
    options = {"hidden": np.int32(2), "updates": np.uint64(30), "lr": np.float32(0.05)}
    assert RBM(**options, random_state=1).fit(votes).n_updates_ == 30


@pytest.mark.parametrize(
    "ask, name",
    [
        (lambda it: it.sample(0), "n_samples=0"),
        (lambda it: it.sample(-1), "n_samples=-1"),
        (lambda it: it.sample(2.5), "n_samples=2.5"),
        (lambda it: it.sample(5, thin=0), "thin=0"),
        (lambda it: it.sample(5, warm_up=-1), "warm_up=-1"),
        (lambda it: it.sample(5, seed=-1), "seed=-1"),
        (lambda it: it.traces(0), "steps=0"),
        (lambda it: it.gibbs(np.zeros((1, 6)), steps=0), "steps=0"),
        (lambda it: it.log_likelihood(np.zeros((1, 6)), log_z="guess"), "log_z must be one of"),
        (lambda it: it.log_likelihood(np.zeros((1, 6)), particles=0), "particles=0"),
        (lambda it: it.log_likelihood(np.zeros((1, 6)), sampling_steps=0), "sampling_steps=0"),
        (lambda it: it.log_likelihood(np.zeros((1, 6)), seed=1.5), "seed=1.5"),
    ],
)
def test_errors_of_methods_name_the_argument(trained, ask, name):
    with pytest.raises(ValueError, match=re.escape(name)):
        ask(trained)


def test_whole_numbers_in_methods(trained):
    assert trained.sample(1e1, warm_up=np.int64(10)).shape == (10, 6)


def test_held_out_data_must_fit(votes):
    rbm = RBM(hidden=2, updates=20)
    with pytest.raises(ValueError, match="valid: X has 5 features, but RBM is expecting 6"):
        rbm.fit(votes, valid=votes[:, :5])
    with pytest.raises(ValueError, match="^test, row 1, column 1: 0.5 is not 0 or 1"):
        rbm.fit(votes, test=votes / 2)


@pytest.mark.filterwarnings("error")
def test_data_that_cannot_be_learned_from():
    with pytest.raises(ValueError, match="every column is constant"):
        RBM(updates=20).fit(np.ones((10, 4)))
    with pytest.raises(ValueError, match="constant_columns='keep'"):
        X = np.array([[0, 1], [1, 1]] * 5)
        RBM(updates=20, constant_columns="refuse").fit(X)


def test_learning_that_diverges(votes):
    with pytest.raises(FloatingPointError) as error:
        RBM(hidden=2, updates=100, lr=1e30, random_state=1).fit(votes)
    assert error.value.kind == "non-finite"


def test_errors_are_in_the_words_of_python(votes, tmp_path):
    """The one test of wording: an option and a setting have their names in Python."""
    with pytest.raises(FloatingPointError, match="a lower lr than 1e") as error:
        RBM(hidden=2, updates=100, lr=1e30, random_state=1).fit(votes)
    assert "--" not in str(error.value)
    with pytest.raises(ValueError, match="constant_columns='keep'") as error:
        RBM(updates=20, constant_columns="refuse").fit(np.array([[0, 1], [1, 1]] * 5))
    assert error.value.kind == "data"
    rbm = RBM(hidden=2, updates=5, algorithm="cd", random_state=1).fit(votes)
    rbm.save(tmp_path / "run")
    with pytest.raises(OSError, match="overwrite=True replaces it, another path leaves") as error:
        rbm.save(tmp_path / "run")
    assert "isotherm resume" not in str(error.value) and "--" not in str(error.value)
    assert f'isotherm.load("{tmp_path / "run"}").partial_fit(X)' in str(error.value)


@pytest.mark.filterwarnings("ignore::isotherm.IsothermWarning")
def test_warnings_are_warnings(votes):
    with pytest.warns(IsothermWarning) as caught:
        RBM(hidden=2, updates=20, random_state=1).fit(np.c_[votes, np.ones(200)])
    assert caught[0].filename == __file__, "they point to who called"
    of_data = [it.message for it in caught if it.message.kind == "data"]
    assert len(of_data) == 1, "and are said once"
    about = {"kind": "constant-columns", "source": "X", "count": 1, "columns": 7}
    assert of_data[0].details == {"about": about}


def test_an_estimate_that_cannot_be_relied_on_is_a_warning():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.integers(0, 2, (4, 40)), 50, axis=0)
    X[:2] = [[0], [1]]  # no column is constant
    rbm = RBM(hidden=30, updates=150, lr=2.0, particles=20, random_state=1)
    with pytest.warns(IsothermWarning) as caught:
        rbm.fit(X)
    assert all("isotherm evaluate" not in str(it.message) for it in caught)
    assert caught[0].filename == __file__
    found = [it.message for it in caught if it.message.kind == "not-converged"]
    assert [it.details["parameters"] for it in found] == ["raw", "averaged"]
    assert found[0].details["verdict"]["reasons"] and not rbm.log_z_.converged


@pytest.mark.filterwarnings("ignore::isotherm.IsothermWarning")
def test_who_wants_no_estimate_is_not_warned_of_it():
    X = np.random.default_rng(0).integers(0, 2, (50, 30))
    rbm = RBM(hidden=26, updates=20, particles=20, final_likelihood="exact-only", random_state=1)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rbm.fit(X)
    assert "no-likelihood" not in [getattr(it.message, "kind", None) for it in told]
    assert {"kind": "no-likelihood", "units": 26} in rbm.summary_["diagnostics"]
    assert any("No likelihood" in sentence for sentence in rbm.summary_["warnings"])


def test_held_out_columns_must_be_those_of_the_data():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(np.random.default_rng(0).integers(0, 2, (60, 4)), columns=list("abcd"))
    with pytest.raises(ValueError, match="valid: .*[Ff]eature names"):
        RBM(hidden=2, updates=10).fit(X, valid=X[list("dcba")])


def test_validation_data_as_y_are_noticed():
    X = np.random.default_rng(0).integers(0, 2, (60, 4))
    with pytest.warns(UserWarning, match="valid="):
        RBM(hidden=2, updates=10, algorithm="cd", random_state=1).fit(X, X[:20])


def test_rules_are_the_engines():
    for wrong in ("thresh:0.5", "threshold:high", "static:x", "static", ""):
        with pytest.raises(ValueError, match="binarise .*auto"):
            RBM(binarise=wrong, updates=10).fit(np.eye(4))
