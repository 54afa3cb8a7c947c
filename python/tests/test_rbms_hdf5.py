"""Files of the PyTorch package rbms. The fixtures were written by it: see rbms/make_fixture.py."""

import builtins
import gzip
from pathlib import Path

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")
from isotherm import RBM, load_rbms, save_rbms  # noqa: E402
from isotherm._rbms_hdf5 import _torch_rng_state, read_rbms, write_rbms  # noqa: E402

HERE = Path(__file__).parent / "rbms"


def energy(W, b, c, v, h):
    return -(h @ b) - (v @ c) - np.einsum("ni,ij,nj->n", v, W, h)


def free_energy(W, b, c, v):
    return -(v @ c) - np.logaddexp(0, b + v @ W).sum(1)


@pytest.fixture
def fixture(tmp_path):
    def unpack(stem):
        path = tmp_path / f"{stem}.h5"
        path.write_bytes(gzip.decompress((HERE / f"{stem}.h5.gz").read_bytes()))
        return path, np.load(HERE / f"{stem}.npz")

    return unpack


@pytest.fixture
def model():
    rng = np.random.default_rng(7)
    return rng.normal(size=(12, 5)), rng.normal(size=5), rng.normal(size=12)


@pytest.fixture
def states():
    rng = np.random.default_rng(8)
    return rng.integers(0, 2, (9, 12)).astype(float), rng.integers(0, 2, (9, 5)).astype(float)


# ---- reading what rbms wrote


@pytest.mark.parametrize("update", [1, 8, None])
def test_reads_a_file_of_rbms(fixture, update):
    path, want = fixture("rbms_fixture")
    got, u = read_rbms(path, update), update or 8
    assert (got.update, got.updates, got.model_type, got.energy_offset) == (u, (1, 8), "BBRBM", 0.0)
    np.testing.assert_array_equal(got.W, want[f"weight_matrix_{u}"])
    np.testing.assert_array_equal(got.b, want[f"hbias_{u}"])
    np.testing.assert_array_equal(got.c, want[f"vbias_{u}"])
    assert got.W.dtype == got.b.dtype == got.c.dtype == np.float64
    np.testing.assert_allclose(
        energy(got.W, got.b, got.c, want["v"], want["h"]), want[f"energy_{u}"], rtol=1e-12
    )
    np.testing.assert_allclose(
        free_energy(got.W, got.b, got.c, want["v"]), want[f"free_energy_{u}"], rtol=1e-12
    )
    if u == 8:
        np.testing.assert_array_equal(got.chains, want["chains"])
        assert got.chains.dtype == np.uint8
    else:
        assert got.chains is None  # the file keeps the chains of the last update only


@pytest.mark.parametrize("update", [1, 8])
def test_converts_an_ising_file(fixture, update):
    path, want = fixture("rbms_ising_fixture")
    got = read_rbms(path, update)
    assert got.model_type == "IIRBM"
    np.testing.assert_allclose(
        energy(got.W, got.b, got.c, want["v"], want["h"]) + got.energy_offset,
        want[f"energy_{update}"],
        rtol=1e-10,
        atol=1e-10,
    )
    np.testing.assert_allclose(
        free_energy(got.W, got.b, got.c, want["v"]) + got.energy_offset,
        want[f"free_energy_{update}"],
        rtol=1e-10,
        atol=1e-10,
    )
    if update == 8:
        np.testing.assert_array_equal(2.0 * got.chains - 1, want["chains"])


# ---- round trip


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_round_trip(tmp_path, model, states, kind):
    W, b, c = (x.astype(kind) for x in model)
    write_rbms(tmp_path / "m.h5", W, b, c, chains=states[0], updates=123)
    got = read_rbms(tmp_path / "m.h5")
    for mine, theirs in zip((W, b, c, states[0]), (got.W, got.b, got.c, got.chains)):
        np.testing.assert_array_equal(mine, theirs)
    assert got.update == 123 and got.updates == (123,)
    with h5py.File(tmp_path / "m.h5") as f:
        assert f["update_123/params/weight_matrix"].dtype == kind
    assert [p.name for p in tmp_path.iterdir()] == ["m.h5"]


def test_chains_are_sampled_when_none_are_given(tmp_path):
    c = np.array([6.0, -6.0, 0.0])
    write_rbms(tmp_path / "m.h5", np.zeros((3, 2)), np.zeros(2), c, batch=2000, gibbs_steps=3)
    chains = read_rbms(tmp_path / "m.h5").chains
    assert chains.shape == (2000, 3)
    np.testing.assert_allclose(chains.mean(0), [1, 0, 0.5], atol=0.05)


def test_has_the_same_places_as_a_file_of_rbms(tmp_path, model, fixture):
    write_rbms(tmp_path / "m.h5", *model, updates=8)
    for stem in ("rbms_fixture", "rbms_ising_fixture"):  # written by rbms 0.5 and by rbms 0.6
        with h5py.File(fixture(stem)[0]) as real, h5py.File(tmp_path / "m.h5") as ours:

            def check(name, item):
                if name.split("/")[0] != "update_1":
                    assert name in ours, name
                    assert isinstance(ours[name], type(item)), name
                    if isinstance(item, h5py.Dataset):
                        assert (ours[name].dtype.kind, ours[name].ndim) == (
                            item.dtype.kind,
                            item.ndim,
                        ), name

            real.visititems(check)
            for name in ("weight_matrix", "vbias", "hbias"):  # two names of one dataset
                assert ours[f"update_8/{name}"] == ours[f"update_8/params/{name}"]


# ---- errors: one sentence with the file, the place and the remedy


def broken(path, edit):
    with h5py.File(path, "a") as f:
        edit(f)


def set_type(f):
    f["model_type"][()] = "PBRBM"


def set_nan(f):
    f["update_8/params/hbias"][0] = np.nan


def drop_row(f):
    del f["update_8/params/vbias"]
    f["update_8/params/vbias"] = np.zeros(11)


def odd_chains(f):
    f["parallel_chains"][0, 0] = 0.5


def no_updates(f):
    del f["update_1"], f["update_8"]


@pytest.mark.parametrize(
    "edit, words",
    [
        (set_type, ["'model_type'", "PBRBM", "BBRBM"]),
        (set_nan, ["update_8/params/hbias", "finite", "another update"]),
        (drop_row, ["update_8/params/weight_matrix", "(11, 5)"]),
        (odd_chains, ["'parallel_chains'", "0 and 1"]),
        (no_updates, ["update_<number>"]),
        (lambda f: f.__delitem__("model_type"), ["'model_type' is missing"]),
        (
            lambda f: f.__delitem__("update_8/params"),
            ["'update_8/params/weight_matrix' is missing"],
        ),
    ],
)
def test_errors_on_reading(fixture, edit, words):
    path, _ = fixture("rbms_fixture")
    broken(path, edit)
    with pytest.raises(ValueError) as error:
        read_rbms(path)
    text = str(error.value)
    assert text.startswith(f"{path}: ") and text.endswith(".") and "\n" not in text
    assert all(w in text for w in words), text


def test_no_such_update(fixture):
    path, _ = fixture("rbms_fixture")
    with pytest.raises(ValueError, match=r"no update 5; choose one of 1, 8\."):
        read_rbms(path, 5)


def test_no_such_file_and_no_hdf5(tmp_path, model):
    with pytest.raises(ValueError, match="no such file"):
        read_rbms(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("hello")
    with pytest.raises(ValueError, match="cannot be opened as an HDF5 file"):
        read_rbms(tmp_path / "text.h5")
    write_rbms(tmp_path / "m.h5", *model)
    (tmp_path / "half.h5").write_bytes((tmp_path / "m.h5").read_bytes()[:9000])
    with pytest.raises(ValueError, match="cannot be opened as an HDF5 file"):
        read_rbms(tmp_path / "half.h5")
    with pytest.raises(ValueError, match="does not exist"):
        write_rbms(tmp_path / "none" / "m.h5", *model)


def test_overwrites_only_when_asked(tmp_path, model):
    path = tmp_path / "m.h5"
    write_rbms(path, *model)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="overwrite=True"):
        write_rbms(path, *model, updates=2)
    assert path.read_bytes() == before
    write_rbms(path, *model, updates=2, overwrite=True)
    assert read_rbms(path).updates == (2,)


def test_errors_on_writing(tmp_path, model):
    W, b, c = model
    path = tmp_path / "m.h5"
    for args, options, words in [
        ((W.T, b, c), {}, "transpose W"),
        ((W, c, b), {}, "swap b and c"),
        ((W, b * np.inf, c), {}, "not finite"),
        (model, dict(chains=np.zeros((3, 5))), r"\[n_chains, 12\]"),
        (model, dict(chains=-np.ones((3, 12))), "0 and 1"),
        (model, dict(updates=0), "at least 1"),
        (model, dict(learning_rate=0.0), "above 0"),
    ]:
        with pytest.raises(ValueError, match=words):
            write_rbms(path, *args, **options)
        assert not list(tmp_path.iterdir())


def test_the_message_without_h5py_names_the_extra(tmp_path, model, monkeypatch):
    real = builtins.__import__

    def blocked(name, *rest, **named):
        if name == "h5py":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", blocked)
    for call in (
        lambda: read_rbms(tmp_path / "m.h5"),
        lambda: write_rbms(tmp_path / "m.h5", *model),
    ):
        with pytest.raises(ImportError, match=r"pip install 'isotherm\[hdf5\]'"):
            call()


# ---- the real package reads, samples and trains on what we wrote


@pytest.fixture
def rbms():
    pytest.importorskip("torch")
    return pytest.importorskip("rbms.io")


@pytest.mark.filterwarnings("ignore")
def test_rbms_loads_our_file(tmp_path, model, states, rbms):
    import torch
    from rbms.utils import get_saved_updates

    (W, b, c), (v, h), path = model, states, str(tmp_path / "m.h5")
    write_rbms(path, W, b, c, chains=v, updates=40, learning_rate=0.02, batch=33, seed=5)
    assert list(get_saved_updates(path)) == [40]
    cpu = torch.device("cpu")
    params, chains, seconds, *rest = rbms.load_model(path, 40, cpu, torch.float64, restore=True)
    for p in (params, rbms.load_params(path, 40, cpu, torch.float64)):
        assert p.name == "BBRBM"
        for mine, theirs in zip((W, c, b), p.parameters()):
            np.testing.assert_array_equal(mine, theirs.numpy())
        tv, th = torch.from_numpy(v), torch.from_numpy(h)
        np.testing.assert_allclose(
            p.compute_energy(tv, th).numpy(), energy(W, b, c, v, h), rtol=1e-12
        )
        np.testing.assert_allclose(
            p.compute_energy_visibles(tv).numpy(), free_energy(W, b, c, v), rtol=1e-12
        )
    np.testing.assert_array_equal(chains["visible"].numpy(), v)
    assert seconds == 0.0
    if rest:  # rbms before 0.6 returns the hyperparameters too
        assert (rest[0]["learning_rate"], rest[0]["batch_size"], rest[0]["gibbs_steps"]) == (
            0.02,
            33,
            100,
        )


def test_the_random_state_is_that_of_torch():
    torch = pytest.importorskip("torch")
    for seed in (0, 5, 2**32 - 1):
        torch.manual_seed(seed)
        ours = _torch_rng_state(seed, np.random.RandomState(seed).get_state()[1])
        np.testing.assert_array_equal(ours, torch.get_rng_state().numpy())


@pytest.mark.filterwarnings("ignore")
def test_rbms_samples_our_model(tmp_path, rbms):
    """The mean of each unit agrees with an exact sum over all states."""
    import torch

    rng = np.random.default_rng(3)
    W, b, c = rng.normal(size=(6, 3)), rng.normal(size=3), rng.normal(size=6)
    write_rbms(tmp_path / "m.h5", W, b, c, chains=rng.integers(0, 2, (4000, 6)))
    params, chains, *_ = rbms.load_model(
        str(tmp_path / "m.h5"), 1, torch.device("cpu"), torch.float64, restore=True
    )
    if hasattr(params, "sample_state"):
        chains = params.sample_state(chains, n_steps=50)
    else:  # rbms 0.1
        from rbms.sampling.gibbs import sample_state

        chains = sample_state(gibbs_steps=50, chains=chains, params=params)
    every = np.indices((2,) * 6).reshape(6, -1).T.astype(float)
    weight = np.exp(-free_energy(W, b, c, every))
    np.testing.assert_allclose(
        chains["visible"].numpy().mean(0), weight @ every / weight.sum(), atol=0.035
    )


@pytest.mark.filterwarnings("ignore")
def test_rbms_resumes_the_training_from_our_file(tmp_path, model, states, rbms):
    train_rbm = pytest.importorskip("rbms.scripts.train_rbm")
    parser = pytest.importorskip("rbms.parser")
    if not hasattr(parser, "match_args_dtype"):
        pytest.skip("rbms 0.1 is too old for this way to start a training")

    path, data = tmp_path / "m.h5", tmp_path / "data.h5"
    with h5py.File(data, "w") as f:
        f["samples"] = np.random.default_rng(1).integers(0, 2, (60, 12)).astype(np.float32)
    W, b, c = model
    write_rbms(path, W, b, c, chains=states[0], updates=40, batch=20, gibbs_steps=3)
    words = [
        "-d",
        data,
        "-o",
        path,
        "--restore",
        "--num_updates",
        43,
        "--n_save",
        1,
        "--device",
        "cpu",
        "--learning_rate",
        0.01,
    ]
    args = vars(train_rbm.create_parser().parse_args([str(w) for w in words]))
    getattr(train_rbm, "train_rbm", train_rbm.main)(parser.match_args_dtype(args))
    old, new = read_rbms(path, 40), read_rbms(path)
    assert new.updates == (40, 43) and new.chains.shape == (9, 12)
    np.testing.assert_array_equal(old.W, W)
    change = np.abs(new.W - W).max()
    assert 0 < change < 0.1  # three small steps away from our parameters


# ---- models


@pytest.mark.parametrize("update", [1, 8, None])
def test_load_rbms(fixture, update):
    path, want = fixture("rbms_fixture")
    rbm, u = load_rbms(path, update=update), update or 8
    assert rbm.components_.shape == (5, 12) and rbm.n_features_in_ == 12 and rbm.hidden == 5
    np.testing.assert_allclose(rbm.free_energy(want["v"]), want[f"free_energy_{u}"], rtol=1e-5)
    states = np.indices((2,) * 12).reshape(12, -1).T
    assert np.exp(rbm.score_samples(states)).sum() == pytest.approx(1, abs=1e-6)
    assert rbm.sample(7).shape == (7, 12)


def test_save_rbms_and_back(tmp_path):
    X = np.random.default_rng(0).integers(0, 2, (50, 6))
    rbm = RBM(hidden=3, updates=70, random_state=1).fit(X)
    save_rbms(rbm, tmp_path / "m.h5", chains=12)
    found = read_rbms(tmp_path / "m.h5")
    np.testing.assert_array_equal(found.W, rbm.components_.T)
    np.testing.assert_array_equal(found.b, rbm.intercept_hidden_)
    np.testing.assert_array_equal(found.c, rbm.intercept_visible_)
    np.testing.assert_array_equal(found.chains, rbm.sample(12))
    assert found.update == 70
    back = load_rbms(tmp_path / "m.h5")
    np.testing.assert_array_equal(back.transform(X), rbm.transform(X))
    with pytest.raises(ValueError, match="overwrite=True"):
        save_rbms(rbm, tmp_path / "m.h5")
    save_rbms(back, tmp_path / "m.h5", overwrite=True)
    assert read_rbms(tmp_path / "m.h5").update == 1
    with pytest.raises(ValueError, match="chains=0"):
        save_rbms(rbm, tmp_path / "none.h5", chains=0)


def test_an_unfitted_model_is_not_saved(tmp_path):
    with pytest.raises(Exception, match="not fitted"):
        save_rbms(RBM(), tmp_path / "m.h5")
