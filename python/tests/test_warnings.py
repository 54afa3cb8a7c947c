"""Diagnostics are warnings with a kind and figures, in the words of Python."""

import json
import pickle
import warnings

import numpy as np
import pytest
from conftest import ROOT

from isotherm import RBM, IsothermWarning, _diagnostics, load
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


def test_fit_warns_of_every_kind_but_those_that_the_caller_knows(votes, monkeypatch):
    rbm = RBM(hidden=2, updates=300, random_state=1)
    rbm.summary_, rbm.averaged_ = {"diagnostics": ALL}, True
    every = {it["kind"] for it in ALL}
    told = {it["kind"] for it in rbm._worth_a_warning(chooses=False)}
    assert told == every - {"data", "stopped-early", "online-likelihood"}
    told = {it["kind"] for it in rbm._worth_a_warning(chooses=True)}
    assert told == every - {"data", "stopped-early"}
    rbm.final_likelihood = "exact-only"
    assert "no-likelihood" not in {it["kind"] for it in rbm._worth_a_warning(chooses=True)}
    rbm.averaged_ = False  # the one that did not converge is of the averaged parameters
    assert "not-converged" not in {it["kind"] for it in rbm._worth_a_warning(chooses=True)}


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
    with pytest.warns(IsothermWarning, match="every value is 0") as caught:
        RBM(hidden=2, updates=20, binarise="threshold:0.5", random_state=1).fit(votes, valid=dark)
    about = [it.message.details["about"] for it in caught if it.message.kind == "data"]
    assert [it["kind"] for it in about] == ["rule-leaves-nothing"]
    assert about[0]["source"] == "valid" and about[0]["value"] == 0


def test_idle_units_are_told(votes):
    """A rate at which every unit ends up always on or always off."""
    with pytest.warns(IsothermWarning, match="Idle hidden units over 500 samples") as caught:
        rbm = RBM(hidden=3, updates=1500, lr=20.0, random_state=1).fit(votes)
    (idle,) = [it for it in rbm.summary_["diagnostics"] if it["kind"] == "idle-units"]
    assert sorted(idle["off"] + idle["on"]) == [0, 1, 2]
    assert kinds(caught).count("idle-units") == 1
    page = rbm.report().page
    assert page.count('data-kind="idle-units"') == 1 and "--lr" not in page


def test_samples_after_too_few_round_trips_are_told():
    rng = np.random.default_rng(0)
    weights = 3 * rng.normal(size=(40, 30))
    rbm = of_arrays(weights, rng.normal(size=30), rng.normal(size=40))
    with pytest.warns(IsothermWarning, match="a larger warm_up should help") as caught:
        rbm.sample(5, warm_up=3, thin=1)
    (warning,) = [it for it in caught if it.message.kind == "few-round-trips"]
    assert warning.filename == __file__
    details = warning.message.details
    assert details["round_trips"] < details["columns"] == 16
