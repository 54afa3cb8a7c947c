"""Diagnostics are warnings with a kind and figures, in the words of Python."""

import json
import pickle
import types
import warnings

import numpy as np
import pytest
from conftest import ROOT

from isotherm import RBM, IsothermWarning, _diagnostics, _isotherm, load
from isotherm._runs import of_arrays

#: One of every kind.
ALL = json.loads((ROOT / "crates/isotherm/tests/fixtures/diagnostics.json").read_text())


def kinds(caught):
    return [it.message.kind for it in caught if isinstance(it.message, IsothermWarning)]


@pytest.mark.parametrize("diagnostic", ALL, ids=lambda it: it["kind"])
def test_every_kind_is_a_warning(diagnostic):
    with pytest.warns(IsothermWarning) as caught:
        _diagnostics.warn([diagnostic])
    (warning,) = caught
    assert warning.filename == __file__
    assert {"kind": warning.message.kind, **warning.message.details} == diagnostic
    sentence = str(warning.message)
    assert sentence.endswith(".") and "--" not in sentence and "isotherm " not in sentence
    again = pickle.loads(pickle.dumps(warning.message))
    assert (str(again), again.kind, again.details) == (
        sentence,
        warning.message.kind,
        warning.message.details,
    )


def test_options_and_methods_have_their_names_in_python():
    said = {it["kind"]: str(_diagnostics.of(it)) for it in ALL}
    assert "a lower lr should help" in said["large-parameters"]
    assert "respace='rejection'" in said["starved-gap"]
    assert "max_rungs=7" in said["full-ladder"] and "min_swap=0.6" in said["full-ladder"]
    assert "warm_up" in said["few-round-trips"]
    assert "log_likelihood(X)" in said["not-converged"]


class OfTheEngine:
    """A fit that raises one of every kind."""

    def __init__(self, native):
        self.native = native

    def __getattr__(self, name):
        return getattr(self.native, name)

    def diagnostics_at_start(self):
        return [it for it in ALL if it["kind"] in ("data", "unused-options")]

    def summarise(self, threads):
        return {**self.native.summarise(threads), "diagnostics": ALL}


class AnyFit:
    @staticmethod
    def begin(*arguments, **others):
        return OfTheEngine(_isotherm.Fit.begin(*arguments, **others))


def raised_by(rbm, X, monkeypatch):
    """The warnings of a fit that raises one of every kind."""
    engine = types.SimpleNamespace(**{**vars(_isotherm), "Fit": AnyFit})
    monkeypatch.setattr("isotherm._rbm._isotherm", engine)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rbm.fit(X)
    assert all(it.filename == __file__ for it in caught)
    return [{"kind": it.message.kind, **it.message.details} for it in caught]


def by_kind(diagnostics):
    return sorted(diagnostics, key=json.dumps)


def test_fit_warns_of_every_kind(votes, monkeypatch):
    rbm = RBM(hidden=2, updates=30, random_state=1)
    assert by_kind(raised_by(rbm, votes, monkeypatch)) == by_kind(ALL), "each of them once"


@pytest.mark.parametrize(
    "arguments, silent",
    [
        ({"callback": lambda row: True}, "stopped-early"),
        ({"final_likelihood": "exact-only"}, "no-likelihood"),
    ],
)
def test_what_an_argument_asks_for_is_no_warning(votes, monkeypatch, arguments, silent):
    rbm = RBM(hidden=2, updates=30, random_state=1, **arguments)
    others = [it for it in ALL if it["kind"] != silent]
    assert by_kind(raised_by(rbm, votes, monkeypatch)) == by_kind(others)


def test_the_summary_holds_kinds_and_their_sentences(votes):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rbm = RBM(hidden=2, updates=3, random_state=1).fit(votes)
    diagnostics, sentences = rbm.summary_["diagnostics"], rbm.summary_["warnings"]
    assert "no-round-trip" in [it["kind"] for it in diagnostics]
    assert sentences == [str(_diagnostics.of(it)) for it in diagnostics]
    assert kinds(caught) == [it["kind"] for it in diagnostics]
    assert all(it.filename == __file__ for it in caught)


def test_a_run_of_the_command_line_has_its_diagnostics(cli, tmp_path):
    data = tmp_path / "votes.csv"
    data.write_text("0,1,0\n1,0,0\n1,1,0\n" * 5)
    options = ["--hidden", 2, "--updates", 5, "--constant-columns", "keep", "--quiet"]
    cli("train", data, *options, "--out", tmp_path / "run")
    (found,) = [it for it in load(tmp_path / "run").summary_["diagnostics"] if it["kind"] == "data"]
    assert found["about"]["kind"] == "constant-columns" and found["about"]["count"] == 1


def test_held_out_data_of_which_a_rule_leaves_nothing_are_told(votes):
    dark = np.full((20, 6), 0.2)
    with pytest.warns(IsothermWarning) as caught:
        RBM(hidden=2, updates=20, binarise="threshold:0.5", random_state=1).fit(votes, valid=dark)
    about = [it.message.details["about"] for it in caught if it.message.kind == "data"]
    assert [it["kind"] for it in about] == ["rule-leaves-nothing"]
    assert about[0]["source"] == "valid" and about[0]["value"] == 0


def test_idle_units_are_told(votes):
    """A rate at which every unit ends up always on or always off."""
    with pytest.warns(IsothermWarning) as caught:
        rbm = RBM(hidden=3, updates=1500, lr=20.0, random_state=1).fit(votes)
    (idle,) = [it for it in rbm.summary_["diagnostics"] if it["kind"] == "idle-units"]
    assert sorted(idle["off"] + idle["on"]) == [0, 1, 2] and idle["samples"] == 500
    assert kinds(caught).count("idle-units") == 1
    page = rbm.report().page
    assert page.count('data-kind="idle-units"') == 1 and "--lr" not in page


def test_samples_after_too_few_round_trips_are_told():
    rng = np.random.default_rng(0)
    weights = 3 * rng.normal(size=(40, 30))
    rbm = of_arrays(weights, rng.normal(size=30), rng.normal(size=40))
    with pytest.warns(IsothermWarning) as caught:
        rbm.sample(5, warm_up=3, thin=1)
    (warning,) = [it for it in caught if it.message.kind == "few-round-trips"]
    assert warning.filename == __file__
    details = warning.message.details
    assert details["round_trips"] < details["columns"] == 16


def two_kinds(first):
    """300 rows, of which this many are of the first of two kinds."""
    one, other = [1] * 8 + [0] * 8, [0] * 8 + [1] * 8
    return np.array([one] * first + [other] * (300 - first), np.uint8)


def test_weights_of_clusters_are_in_the_summary_and_a_warning_of_samples():
    rbm = RBM(hidden=3, updates=20_000, lr=0.2, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IsothermWarning)
        rbm.fit(two_kinds(210))
    clusters = rbm.summary_["clusters"]
    assert clusters["of"] == "data" and clusters["data"] == pytest.approx([0.7, 0.3, 0.0], abs=0.01)
    assert sum(clusters["samples"]) == pytest.approx(1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rbm.sample(400)
    assert "cluster-weights" not in kinds(caught)
    rbm._starts = np.packbits(two_kinds(60), axis=1)  # as if it had learned other data
    with pytest.warns(IsothermWarning) as caught:
        rbm.sample(400)
    (warning,) = [it for it in caught if it.message.kind == "cluster-weights"]
    assert warning.filename == __file__
    assert warning.message.details["clusters"] == 2 and warning.message.details["distance"] > 0.3


def test_options_without_effect_are_told(votes):
    with pytest.warns(IsothermWarning) as caught:
        rbm = RBM(hidden=2, updates=20, algorithm="cd", min_swap=0.3, random_state=1).fit(votes)
    found = {"kind": "unused-options", "names": ["min-swap"]}
    assert kinds(caught).count("unused-options") == 1, "at the start, and not again at the end"
    assert found in rbm.summary_["diagnostics"]
    assert 'data-kind="unused-options"' in rbm.report().page
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        RBM(hidden=2, updates=20, algorithm="cd", random_state=1).fit(votes)
    assert "unused-options" not in kinds(caught), "defaults are not chosen"


def test_partial_fit_tells_of_the_rows_that_it_begins_with(votes):
    X = np.c_[votes, np.ones(len(votes))]
    rbm = RBM(hidden=2, random_state=1)
    with pytest.warns(IsothermWarning) as caught:
        rbm.partial_fit(X)
    assert kinds(caught) == ["data"] and caught[0].filename == __file__
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rbm.partial_fit(X[:1])  # no column changes, which means nothing by now
    assert kinds(caught) == []


def test_an_unfinished_or_diverged_run_is_told_by_load(cli, tmp_path):
    data = tmp_path / "votes.csv"
    data.write_text("0,1,0\n1,0,0\n1,1,1\n" * 5)
    run = tmp_path / "run"
    options = ["--hidden", 2, "--updates", 500, "--algorithm", "sml", "--quiet", "--out", run]
    diverging = ["--lr", 1e37, "--momentum", 0.9, "--checkpoint-every", 1]
    cli("train", data, *options, *diverging, code=2)
    with pytest.warns(IsothermWarning) as caught:
        load(run)
    (warning,) = caught
    assert warning.message.kind == "stopped-early" and warning.filename == __file__
    because = warning.message.details["because"]
    assert because["kind"] == "diverged" and because["lr"] == 1e37
    (run / "stopped.json").unlink()
    current = run / "checkpoint.safetensors"
    current.rename(run / "checkpoint.previous.safetensors")
    current.write_text("damaged")
    with pytest.warns(IsothermWarning) as caught:
        load(run)
    assert kinds(caught) == ["unfinished", "previous-checkpoint"]
