"""Runs: what Python writes the command line reads, and the other way round."""

import json
import warnings

import numpy as np
import pytest
from conftest import parameters, same_model
from safetensors.numpy import load_file, save_file
from sklearn.exceptions import NotFittedError

import isotherm
from isotherm import RBM

OPTIONS = {"hidden": 3, "updates": 400, "random_state": 7}


@pytest.fixture(scope="module")
def by_cli(cli, votes, tmp_path_factory):
    """A run of the command line on the votes, and the folder it lies in."""
    folder = tmp_path_factory.mktemp("cli")
    np.save(folder / "votes.npy", votes.astype(np.uint8))
    words = ["--hidden", 3, "--updates", 400, "--seed", 7, "--constant-columns", "keep"]
    cli("train", folder / "votes.npy", *words, "--out", folder / "run")
    return folder


@pytest.fixture(scope="module")
def saved(votes, tmp_path_factory):
    """The same run of Python, and where it was saved."""
    rbm, path = RBM(**OPTIONS).fit(votes), tmp_path_factory.mktemp("python") / "run"
    rbm.save(path)
    return rbm, path


# -- the two meet ------------------------------------------------------------------------------


def test_a_seed_means_the_same_to_both(by_cli, saved):
    ours, theirs = (load_file(path / "model.safetensors") for path in (saved[1], by_cli / "run"))
    assert sorted(ours) == sorted(theirs)
    for name in ours:
        assert ours[name].tobytes() == theirs[name].tobytes(), name


def test_grey_data_and_other_options_too(cli, tmp_path):
    grey = np.random.default_rng(0).integers(0, 256, (60, 9)).astype(np.uint8)
    np.save(tmp_path / "grey.npy", grey)
    rbm = RBM(
        hidden=4,
        algorithm="pt",
        rungs=5,
        path="base-rate",
        batch=20,
        lr=0.02,
        lr_decay="linear",
        updates=150,
        momentum=0.5,
        binarise="dynamic",
        random_state=3,
    ).fit(grey)
    words = (
        "--hidden 4 --algorithm pt --rungs 5 --path base-rate --batch 20 --lr 0.02 --momentum 0.5 "
    )
    words += "--lr-decay linear --updates 150 --binarise dynamic --seed 3"
    cli("train", tmp_path / "grey.npy", *words.split(), "--out", tmp_path / "run")
    assert same_model(rbm, isotherm.load(tmp_path / "run"))


def test_values_outside_the_range_of_a_run_of_the_command_line(cli, tmp_path):
    grey = np.random.default_rng(0).random((60, 6))
    np.save(tmp_path / "grey.npy", grey)
    words = ["--hidden", 2, "--updates", 20, "--binarise", "dynamic", "--quiet"]
    cli("train", tmp_path / "grey.npy", *words, "--out", tmp_path / "run")
    loaded = isotherm.load(tmp_path / "run")
    for beyond in (1.2, 1 + 1e-15):
        X = grey * beyond / grey.max()
        expected = loaded.transform(np.clip(X, 0, 1))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            np.testing.assert_array_equal(loaded.transform(X), expected)
        assert len(told) == (beyond == 1.2), "rounding is no other range"
    with pytest.raises(ValueError):
        loaded.transform(np.round(16 * grey))  # they could mean anything


def test_the_metrics_are_the_same(by_cli, saved):
    ours, theirs = ((path / "metrics.jsonl").read_text() for path in (saved[1], by_cli / "run"))
    assert ours == theirs.replace(str(by_cli / "votes.npy"), "X")


def test_a_run_of_the_command_line(by_cli, saved):
    loaded, rbm = isotherm.load(by_cli / "run"), saved[0]
    assert same_model(loaded, rbm)
    assert loaded.n_updates_ == 400 and loaded.n_features_in_ == 6
    assert loaded.history_.keys() == rbm.history_.keys()
    for name, values in rbm.history_.items():
        np.testing.assert_array_equal(loaded.history_[name], values)
    np.testing.assert_array_equal(loaded.ladder_.betas, rbm.ladder_.betas)
    np.testing.assert_array_equal(loaded.ladder_.f_up, rbm.ladder_.f_up)
    assert loaded.log_z_ == rbm.log_z_
    # The first half: the second sampler begins at training data, of which the run has none.
    assert np.array_equal(loaded.sample(30)[:15], rbm.sample(30)[:15])


def test_its_options_come_along(by_cli, votes):
    loaded = isotherm.load(by_cli / "run")
    assert loaded.get_params()["hidden"] == 3 and loaded.random_state == 7
    from sklearn.base import clone

    assert same_model(clone(loaded).fit(votes), loaded), "they train the same model again"


def test_the_last_parameters(by_cli):
    tensors = load_file(by_cli / "run" / "model.safetensors")
    last, averaged = (isotherm.load(by_cli / "run", averaged=choice) for choice in (False, True))
    assert np.array_equal(last.components_, tensors["W"].T)
    assert not same_model(last, averaged)


def test_a_loaded_model_learns_on(by_cli, votes):
    loaded = isotherm.load(by_cli / "run")
    before = loaded.components_.copy()
    loaded.partial_fit(votes)
    assert loaded.n_updates_ == 402 and not np.array_equal(loaded.components_, before)


def test_an_unfinished_run(votes, tmp_path):
    rbm = RBM(hidden=2, random_state=1).partial_fit(votes)
    rbm.save(tmp_path / "run")
    loaded = isotherm.load(tmp_path / "run")
    assert same_model(loaded, rbm) and loaded.n_updates_ == 2
    assert np.array_equal(loaded.sample(10), rbm.sample(10))
    assert loaded.score(votes) == pytest.approx(rbm.score(votes))


# -- the command line reads what Python wrote ----------------------------------------------------


def test_evaluate(cli, saved, by_cli, votes):
    rbm, path = saved
    data = by_cli / "votes.npy"
    found = json.loads(cli("evaluate", path, "--data", data, "--averaged", "--json"))
    assert rbm.score(votes) == pytest.approx(found["value"])


@pytest.mark.parametrize("finished", [True, False])
def test_sample_and_report(cli, saved, votes, tmp_path, finished):
    rbm, path = saved if finished else (RBM(hidden=2, random_state=1).partial_fit(votes), None)
    if path is None:
        path = tmp_path / "run"
        rbm.save(path)
    out = tmp_path / "samples.npy"
    cli("sample", path, "-n", 40, "--seed", 5, "--averaged", "--out", out)
    # The first half. The second sampler begins at training data, of which the command line has none.
    assert np.array_equal(np.load(out)[:20], rbm.sample(40, seed=5)[:20])
    cli("report", path)
    assert "<svg" in (path / "report.html").read_text(encoding="utf-8")


# -- files ---------------------------------------------------------------------------------------


def test_the_model_file_reads_with_safetensors(saved):
    rbm, path = saved
    tensors = load_file(path / "model.safetensors")
    averaged = {name.removeprefix("averaged."): tensors[name] for name in tensors if "." in name}
    for ours, name in zip(parameters(rbm), ("W", "b", "c"), strict=True):
        ours = ours.T if name == "W" else ours
        assert np.array_equal(averaged[name], ours) and averaged[name].dtype == np.float32


def test_a_model_file_of_somebody_else(saved, votes, tmp_path):
    weights, b, c = parameters(saved[0])
    save_file({"W": np.ascontiguousarray(weights.T), "b": b, "c": c}, tmp_path / "m.safetensors")
    loaded = isotherm.load(tmp_path / "m.safetensors")
    assert same_model(loaded, saved[0])
    np.testing.assert_allclose(loaded.score_samples(votes), saved[0].score_samples(votes))
    assert loaded.sample(5).shape == (5, 6) and loaded.history_["step"].size == 0
    assert loaded.ladder_ is None
    for impossible in (
        lambda: loaded.save(tmp_path / "run"),
        lambda: loaded.report(),
        lambda: loaded.traces(5),
        lambda: loaded.partial_fit(votes),
    ):
        with pytest.raises(ValueError, match="not trained by isotherm"):
            impossible()


def test_overwriting_is_refused_unless_asked_for(rbm, votes, tmp_path):
    path = tmp_path / "run"
    rbm.save(path)
    before = (path / "model.safetensors").read_bytes()
    with pytest.raises(OSError) as error:
        rbm.save(path)
    assert error.value.kind == "io" and str(path) in str(error.value)
    assert (path / "model.safetensors").read_bytes() == before
    other = RBM(hidden=2, updates=50, random_state=1).fit(votes)
    other.save(str(path), overwrite=True)
    assert (path / "model.safetensors").read_bytes() != before
    assert same_model(isotherm.load(path), other)


def test_a_folder_of_something_else_is_left_alone(rbm, tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(OSError) as error:
        rbm.save(tmp_path, overwrite=True)
    assert error.value.kind == "io" and str(tmp_path) in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_errors_on_loading(rbm, tmp_path):
    with pytest.raises(OSError, match="nowhere") as error:
        isotherm.load(tmp_path / "nowhere")
    assert error.value.kind == "io"
    with pytest.raises(OSError, match=tmp_path.name) as error:
        isotherm.load(tmp_path)
    assert error.value.kind == "io"
    (tmp_path / "m.safetensors").write_bytes(b"nonsense")
    with pytest.raises(RuntimeError, match="m.safetensors") as error:
        isotherm.load(tmp_path / "m.safetensors")
    assert error.value.kind == "corrupt"
    with pytest.raises(NotFittedError):
        RBM().save(tmp_path / "run")


def test_a_damaged_checkpoint_is_noticed(rbm, tmp_path):
    rbm.save(tmp_path / "run")
    for path in (tmp_path / "run").glob("checkpoint*"):
        damaged = bytearray(path.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        path.write_bytes(damaged)
    with pytest.raises(RuntimeError, match="checkpoint"):
        isotherm.load(tmp_path / "run")


def test_bytes_mean_the_same_to_a_loaded_model(tmp_path):
    grey = np.random.default_rng(0).integers(0, 256, (60, 6)).astype(np.uint8)
    rbm = RBM(hidden=2, updates=50, binarise="dynamic", random_state=1).fit(grey)
    rbm.save(tmp_path / "run")
    loaded = isotherm.load(tmp_path / "run")
    np.testing.assert_allclose(loaded.transform(grey), rbm.transform(grey))
    assert loaded.log_likelihood(grey).value == rbm.log_likelihood(grey).value


def test_what_values_mean_survives_a_run(tmp_path):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pandas.DataFrame(rng.integers(0, 17, (60, 5)), columns=list("abcde"))
    with pytest.warns(UserWarning, match="scaled"):
        rbm = RBM(hidden=2, updates=50, random_state=1).fit(X)
    rbm.save(tmp_path / "run")
    again = isotherm.load(tmp_path / "run")
    assert again.range_ == rbm.range_ == (0.0, 16.0) and again.binarise == "auto"
    assert again.get_params() == rbm.get_params()
    np.testing.assert_array_equal(again.transform(X), rbm.transform(X))
    assert again.log_likelihood(X) == rbm.log_likelihood(X)
    with pytest.raises(ValueError, match="[Ff]eature names"):
        again.transform(X[list("edcba")])


def test_rows_after_the_checkpoint_are_left_out(tmp_path):
    X = np.random.default_rng(0).integers(0, 2, (60, 5))
    rbm = RBM(hidden=2, updates=200, metrics_every=10, random_state=1).fit(X)
    rbm.save(tmp_path / "run")
    with open(tmp_path / "run" / "metrics.jsonl", "a") as out:
        out.write('{"step":210,"phase":"train","learning_rate":0.1}\n')
    assert isotherm.load(tmp_path / "run").history_["step"][-1] == 200


def test_learning_in_pieces_is_saved_with_its_model(tmp_path):
    import warnings

    X = np.random.default_rng(0).integers(0, 2, (60, 5))
    rbm = RBM(hidden=2, random_state=1).partial_fit(X)
    rbm.save(tmp_path / "run")
    assert (tmp_path / "run" / "model.safetensors").is_file()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        isotherm.load(tmp_path / "run")
