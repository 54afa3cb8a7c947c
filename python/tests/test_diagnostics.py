"""What can be seen of a model: history, ladder, figures, report, traces."""

import matplotlib
import numpy as np
import pandas
import pytest
from conftest import same_model

from isotherm import RBM, History, load

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def without_ladder(votes):
    return RBM(hidden=2, algorithm="sml", updates=100, random_state=1).fit(votes)


def test_history(trained):
    history = trained.history_
    rows = len(history["step"])
    assert isinstance(history, dict) and history["step"][-1] == 3000
    assert np.all(np.diff(history["step"]) > 0)
    assert all(isinstance(it, np.ndarray) and len(it) == rows for it in history.values())
    likelihood = history["log_likelihood_averaged"]
    at_end = trained.summary_["log_likelihood_averaged"]["value"]
    assert likelihood[np.isfinite(likelihood)][-1] == pytest.approx(at_end)
    rungs = history["rungs"][-1]
    assert np.isfinite(history["betas"][-1]).sum() == rungs
    assert history["betas"][-1][0] == 1 and history["betas"][-1][rungs - 1] == 0
    assert history["swap_rates"].shape[1] == history["betas"].shape[1] - 1
    assert history["round_trips"][-1] > 0 and history["learning_rate"][0] > 0


def test_rows_with_fewer_rungs_are_filled_up():
    row = {"step": 1, "learning_rate": 0.1}
    ladder = {
        "swap_rate": 0.5,
        "f_up": [1, None, 0],
        "swap_rates": [0.5, None],
        "betas": [1, 0.5, 0],
    }
    shorter = {"swap_rate": 0.5, "f_up": [1, 0], "swap_rates": [0.5], "betas": [1, 0]}
    history = History.of([row | {"ladder": ladder}, row | {"ladder": shorter}, row])
    expected = [[1, 0.5, 0], [1, 0, np.nan], [np.nan] * 3]
    np.testing.assert_array_equal(history["betas"], expected)
    np.testing.assert_array_equal(history["f_up"][0], [1, np.nan, 0])
    assert history["rungs"].tolist() == [3, 2, 0]


def test_history_in_pandas(trained):
    frame = trained.history_.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "step"
    assert len(frame) == len(trained.history_["step"])
    assert (frame["betas_0"] == 1).all() and "learning_rate" in frame


def test_ladder(trained):
    ladder = trained.ladder_
    assert ladder.betas[0] == 1 and ladder.betas[-1] == 0 and np.all(np.diff(ladder.betas) < 0)
    assert len(ladder.f_up) == len(ladder.betas) == len(ladder.swap_rates) + 1
    assert np.all((ladder.swap_rates >= 0) & (ladder.swap_rates <= 1))
    assert ladder.f_up[0] == 1 and ladder.f_up[-1] == 0
    assert ladder.round_trips > 0 and ladder.steps_per_round_trip > 0 and ladder.return_time > 0


def test_no_ladder(without_ladder):
    assert without_ladder.ladder_ is None and "betas" not in without_ladder.history_
    for draw in ("ladder", "flow", "swap_rates", "round_trips"):
        with pytest.raises(ValueError, match="there is no ladder"):
            getattr(without_ladder.plot, draw)()
    assert without_ladder.plot.likelihood().lines


@pytest.mark.parametrize("draw", ["likelihood", "ladder", "flow", "swap_rates", "round_trips"])
def test_figures(trained, draw, tmp_path):
    import matplotlib.pyplot as plt

    axes = getattr(trained.plot, draw)()
    assert axes.get_xlabel() and axes.get_ylabel() and (axes.lines or axes.patches)
    axes.figure.savefig(tmp_path / "figure.png")
    _, mine = plt.subplots()
    assert getattr(trained.plot, draw)(ax=mine) is mine
    plt.close("all")


def test_figures_show_the_numbers(trained):
    import matplotlib.pyplot as plt

    line = trained.plot.flow().lines[0]
    np.testing.assert_array_equal(line.get_ydata(), trained.ladder_.f_up)
    heights = [bar.get_height() for bar in trained.plot.swap_rates().patches]
    np.testing.assert_allclose(heights, trained.ladder_.swap_rates)
    # Their count begins anew once; the picture goes on.
    trips, count = trained.plot.round_trips().lines[0].get_ydata(), trained.history_["round_trips"]
    assert np.any(np.diff(count) < 0) and np.all(np.diff(trips) >= 0)
    assert trips[-1] >= count[-1] + count.max() / 2
    plt.close("all")


def test_figures_after_learning_in_pieces(votes):
    import matplotlib.pyplot as plt

    rbm = RBM(hidden=2, random_state=1).partial_fit(votes)
    for draw in ("ladder", "flow", "swap_rates"):
        getattr(rbm.plot, draw)()
    with pytest.raises(ValueError, match="likelihood_every"):
        rbm.plot.likelihood()
    plt.close("all")


def test_images(trained):
    import matplotlib.pyplot as plt

    with pytest.raises(ValueError, match="6 columns are no square"):
        trained.plot.filters()
    with pytest.raises(ValueError, match="no image of shape 2x2"):
        trained.plot.filters(shape=(2, 2))
    for shape in ((3, 2), "3x2"):  # width first
        sheet = trained.plot.filters(shape=shape).images[-1].get_array()
        assert sheet.shape == (2 * 3 + 1, 2 * 4 + 1)
        np.testing.assert_allclose(sheet[1:3, 1:4], trained.components_[0].reshape(2, 3))
        assert trained.plot.samples(shape=shape, n=4).images[-1].get_array().shape == (7, 9)
    plt.close("all")


@pytest.mark.filterwarnings("ignore::isotherm.IsothermWarning")
def test_a_shape_is_one_thing_everywhere(votes, tmp_path):
    """A pair or text, width first: the argument, the figures, the configuration and a run."""
    import matplotlib.pyplot as plt

    options = {"hidden": 2, "updates": 20, "smooth": 0.1, "random_state": 1}
    pair, text = (RBM(shape=shape, **options).fit(votes) for shape in ((np.int64(3), 2), "3x2"))
    assert same_model(pair, text) and pair.config_["shape"] == text.config_["shape"] == "3x2"
    assert not same_model(RBM(shape=(2, 3), **options).fit(votes), pair), "it says who are neighbours"
    for rbm in (pair, text):
        assert rbm.plot.filters().images[-1].get_array().shape == (1 * 3 + 1, 2 * 4 + 1)
        rbm.save(tmp_path / "run", overwrite=True)
        assert load(tmp_path / "run").get_params() == rbm.get_params()
    plt.close("all")
    for wrong in ((3,), (2, 2, 2), (0, 6), (1.5, 4), "wide", "6"):
        with pytest.raises(ValueError, match="shape"):
            RBM(shape=wrong, **options).fit(votes)
        with pytest.raises(ValueError, match="shape"):
            pair.plot.filters(shape=wrong)


def test_figures_without_matplotlib(trained, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"isotherm\[plot\]"):
        trained.plot.ladder()


def test_report(trained, tmp_path):
    report = trained.report()
    assert report.page.lstrip().lower().startswith("<!doctype html>") and "<svg" in report.page
    assert "http://" not in report.page.replace("http://www.w3.org", "")
    inline = report._repr_html_()
    assert inline.startswith("<iframe") and "&lt;svg" in inline and "<svg" not in inline
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.page
    with pytest.raises(FileExistsError):
        report.save(tmp_path / "page.html")
    report.save(tmp_path / "page.html", overwrite=True)


def test_the_report_names_no_place_of_this_machine(trained):
    import tempfile

    page = trained.report().page
    assert tempfile.gettempdir() not in page and "the same data with the same arguments" in page


def test_report_of_an_unfinished_model(votes, without_ladder):
    assert "<svg" in RBM(hidden=2, random_state=1).partial_fit(votes).report().page
    assert "<svg" in without_ladder.report().page


def test_traces(trained):
    traces = trained.traces(300, warm_up=100)
    columns, rungs = trained.config_["columns"], len(traces.betas)
    assert traces.free_energy.shape == (columns, 300), "no spare replicas, which change places"
    assert traces.rungs.shape == (columns * rungs, 300)
    assert traces.rungs.min() == 0 and traces.rungs.max() == rungs - 1
    assert np.abs(np.diff(traces.rungs.astype(int))).max() <= 1, "a replica goes step by step"
    assert traces.round_trips > 0
    at_cold = (traces.rungs == 0).sum(axis=0)
    assert np.all(at_cold == columns)
    again = trained.traces(300, warm_up=100)
    assert np.array_equal(again.free_energy, traces.free_energy)


def test_the_mean_free_energy_of_traces(trained):
    """That of the model, by a sum over its states."""
    states = np.indices((2,) * 6).reshape(6, -1).T
    p, energy = np.exp(trained.score_samples(states)), trained.free_energy(states)
    mean, spread = p @ energy, np.sqrt(p @ energy**2 - (p @ energy) ** 2)
    found = trained.traces(400, warm_up=200).free_energy.mean()
    assert abs(found - mean) < 0.05 * spread


def test_traces_without_a_ladder(without_ladder):
    traces = without_ladder.traces(20, warm_up=10)
    assert traces.free_energy.shape[1] == 20 and len(traces.betas) > 1


@pytest.mark.filterwarnings("ignore:More chains", "ignore::FutureWarning")
def test_traces_for_arviz(trained):
    arviz = pytest.importorskip("arviz")
    traces = trained.traces(200, warm_up=100)
    data = traces.to_arviz()
    assert data.posterior["free_energy"].dims[:2] == ("chain", "draw")
    np.testing.assert_array_equal(data.posterior["free_energy"].values, traces.free_energy)
    assert data.sample_stats["rung"].dims == ("chain", "draw", "replica")
    np.testing.assert_array_equal(data.sample_stats["rung"].values[0].T, traces.rungs)
    assert float(arviz.rhat(data)["free_energy"]) < 1.05
    assert float(arviz.ess(data)["free_energy"]) > 1000


def test_without_arviz(trained, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ImportError, match=r"isotherm\[arviz\]"):
        trained.traces(5, warm_up=1).to_arviz()
