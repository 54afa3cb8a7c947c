"""Manners: Ctrl-C, threads, forks, callbacks and progress."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import same_model

from isotherm import RBM, sample_target

LONG = {
    "hidden": 20,
    "updates": 10**9,
    "metrics_every": 50,
    "likelihood_every": 0,
    "random_state": 1,
}


def _listen_to_ctrl_c():
    # What is started in the background inherits that it does not.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupted_in(script, pause=0.3):
    """Runs a script and sends it Ctrl-C once it says that it is going. Tells what it says next, and
    how long it took until it noticed: ``now()`` in the script."""
    words = [sys.executable, "-c", script]
    child = subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, bufsize=1, preexec_fn=_listen_to_ctrl_c
    )
    for line in child.stdout:
        if line.strip() == "going":
            break
    time.sleep(pause)
    begun = time.monotonic()  # the same clock in all processes
    child.send_signal(signal.SIGINT)
    try:
        noticed, *said = child.communicate(timeout=30)[0].split()
    finally:
        child.kill()
    assert child.returncode == 0
    return said, float(noticed) - begun


BEGINNING = """
import time, numpy as np, isotherm
now = time.monotonic
X = np.random.default_rng(0).integers(0, 2, (500, 30))
"""


def test_ctrl_c_stops_an_enumeration():
    """Of 2^25 states, which take most of a minute; it is looked for eight times in it, and there is room
    for a busy machine."""
    said, seconds = interrupted_in(
        f"""{BEGINNING}
from isotherm._runs import of_arrays
rng = np.random.default_rng(0)
rbm = of_arrays(rng.normal(0, 0.3, (8000, 25)), rng.normal(size=25), rng.normal(size=8000))
rbm.threads = 1
print("going", flush=True)
try:
    rbm.log_z_
except KeyboardInterrupt:
    print(now(), "interrupted")
""",
        pause=0.1,
    )
    assert said == ["interrupted"] and seconds < 10


def test_ctrl_c_keeps_what_was_learned():
    said, seconds = interrupted_in(f"""{BEGINNING}
tell = lambda row: print("going", flush=True) if row["step"] == 100 else None
rbm = isotherm.RBM(**{LONG!r}, callback=tell)
try:
    rbm.fit(X)
except KeyboardInterrupt:
    print(now(), "interrupted", rbm.n_updates_, rbm.transform(X).shape[1], len(rbm.sample(3, warm_up=5)))
    step = rbm.n_updates_
    rbm.set_params(callback=None).partial_fit(X)
    print(rbm.n_updates_ - step, np.isfinite(rbm.score(X)), rbm.history_["step"][0])
""")
    assert seconds < 2
    assert said[0] == "interrupted" and int(said[1]) >= 100
    assert said[2:] == ["20", "3", "5", "True", "50"]


@pytest.mark.parametrize(
    "work",
    [
        "rbm.log_likelihood(X, steps=10**6, particles=1000)",
        "rbm.sample(10**7)",
        "isotherm.sample_target(isotherm.Quadratic.qubo(np.eye(30)), n_samples=10**7)",
        "isotherm.sample_target(lambda x: x.sum(axis=1), n=30, n_samples=10**7)",
    ],
)
def test_ctrl_c_stops_other_work(work):
    said, seconds = interrupted_in(f"""{BEGINNING}
from isotherm._runs import of_arrays
rbm = of_arrays(np.zeros((30, 26)), np.zeros(26), np.zeros(30))
print("going", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print(now(), "interrupted")
""")
    assert said == ["interrupted"] and seconds < 2


def test_ctrl_c_in_the_likelihood_at_the_end_keeps_the_model():
    said, seconds = interrupted_in(
        f"""{BEGINNING}
rbm = isotherm.RBM(hidden=200, updates=2000, lr=0.0, batch=20, particles=20, columns=20, rungs=2,
    algorithm="pt", likelihood_every=0, metrics_every=2000, random_state=1)
rbm.callback = lambda row: print("going", flush=True)
X = np.random.default_rng(0).integers(0, 2, (500, 200))
try:
    rbm.fit(X)
    print(now(), "too late")
except KeyboardInterrupt:
    print(now(), "interrupted", rbm.n_updates_, hasattr(rbm, "summary_"))
""",
        pause=0.05,
    )
    assert said == ["interrupted", "2000", "False"] and seconds < 2


@pytest.mark.filterwarnings("ignore::isotherm.IsothermWarning")
def test_other_threads_go_on():
    ticks, done = [], threading.Event()

    def count():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    X = np.random.default_rng(0).integers(0, 2, (500, 100))
    counter = threading.Thread(target=count)
    counter.start()
    try:
        begun = time.monotonic()
        RBM(hidden=100, updates=200, likelihood_every=0, final_likelihood="exact-only").fit(X)
        took = time.monotonic() - begun
    finally:
        done.set()
        counter.join()
    during = np.array([tick for tick in ticks if begun < tick < begun + took])
    assert len(during) > 20
    assert np.diff(during).max() < max(0.25, 0.5 * took), "the lock was never held for long"


def test_several_fits_at_once(votes):
    fits = [RBM(hidden=3, updates=300, random_state=1) for _ in range(3)]
    threads = [threading.Thread(target=rbm.fit, args=(votes,)) for rbm in fits]
    [thread.start() for thread in threads]
    [thread.join(timeout=30) for thread in threads]
    assert same_model(fits[0], fits[1]) and same_model(fits[1], fits[2])


def _fit_in_child(rbm, votes, queue):
    again = RBM(hidden=3, updates=300, random_state=1).fit(votes)
    queue.put((again.components_, rbm.sample(20), rbm.partial_fit(votes).n_updates_))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forks(votes):
    rbm = RBM(hidden=3, updates=300, random_state=1).fit(votes)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_fit_in_child, args=(rbm, votes, queue))
    child.start()
    components, samples, updates = queue.get(timeout=30)
    child.join(timeout=30)
    assert child.exitcode == 0
    assert np.array_equal(components, rbm.components_)
    assert np.array_equal(samples, rbm.sample(20)) and updates == 302


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_bare_fork(votes):
    rbm = RBM(hidden=3, updates=300, random_state=1).partial_fit(votes)
    pid = os.fork()
    if pid == 0:
        try:
            rbm.partial_fit(votes).sample(5)
            os._exit(0)
        except BaseException:
            os._exit(1)
    deadline = time.monotonic() + 30
    while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.02)
    if ended == (0, 0):
        os.kill(pid, signal.SIGKILL)
    assert ended == (pid, 0)
    assert rbm.partial_fit(votes).n_updates_ == 4


# -- callbacks -----------------------------------------------------------------------------------


def test_a_callback_sees_every_row(votes):
    rows = []
    rbm = RBM(hidden=2, updates=100, metrics_every=10, random_state=1, callback=rows.append)
    rbm.fit(votes)
    assert [row["step"] for row in rows] == rbm.history_["step"].tolist()
    assert rows[0]["ladder"]["betas"][0] == 1 and "learning_rate" in rows[0]


def test_a_callback_stops_where_it_says_so(votes):
    stop = lambda row: row["step"] < 300
    rbm = RBM(hidden=2, updates=10**8, metrics_every=100, random_state=1, callback=stop)
    assert rbm.fit(votes).n_updates_ == 300
    assert rbm.history_["step"][-1] == 300 and np.isfinite(rbm.score(votes))


def test_only_false_stops(votes):
    nothing = lambda row: None
    assert RBM(hidden=2, updates=50, callback=nothing).fit(votes).n_updates_ == 50


def test_an_exception_of_a_callback_comes_out(votes):
    class Mine(Exception):
        pass

    def fail(row):
        if row["step"] >= 200:
            raise Mine("enough")

    rbm = RBM(hidden=2, updates=10**8, metrics_every=100, random_state=1, callback=fail)
    with pytest.raises(Mine, match="enough"):
        rbm.fit(votes)
    assert rbm.n_updates_ == 200 and np.isfinite(rbm.score(votes))
    assert rbm.sample(4).shape == (4, 6)
    rbm.callback = None
    assert rbm.partial_fit(votes).n_updates_ == 202


def test_a_callback_may_use_the_engine(votes):
    other, seen = RBM(hidden=2, updates=50, random_state=1).fit(votes), []
    use = lambda row: seen.append(other.sample(2).shape)
    RBM(hidden=2, updates=30, metrics_every=10, random_state=1, callback=use).fit(votes)
    assert set(seen) == {(2, 6)}


# -- progress ------------------------------------------------------------------------------------


def test_silence(votes, capfd):
    RBM(hidden=2, updates=100, random_state=1).fit(votes)
    assert capfd.readouterr() == ("", "")


def test_a_bar(votes, capfd):
    RBM(hidden=2, updates=100, random_state=1, verbose=1).fit(votes)
    out, err = capfd.readouterr()
    assert out == "" and "100/100" in err and "updates" in err and "log-likelihood=" in err


def test_lines_without_tqdm(votes, capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    RBM(hidden=2, updates=100, metrics_every=50, random_state=1, verbose=1).fit(votes)
    out, err = capfd.readouterr()
    lines = [line for line in err.splitlines() if "/100" in line]
    assert out == "" and lines[-1].startswith("100/100  log-likelihood -") and "swap" in lines[-1]


@pytest.mark.parametrize("tqdm", [True, False])
def test_patience_is_told(votes, capfd, monkeypatch, tqdm):
    if not tqdm:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    noise = np.random.default_rng(0).integers(0, 2, (200, 6))
    rbm = RBM(hidden=3, updates=20_000, patience=300, random_state=1, verbose=1)
    rbm.fit(votes, valid=noise)
    assert "the likelihood of the validation data has not risen since update" in capfd.readouterr().err


def test_the_progress_of_a_target():
    shares = []
    sample_target(
        lambda x: x.sum(axis=1),
        n=3,
        n_samples=50,
        warm_up=50,
        log_z_steps=0,
        callback=shares.append,
    )
    assert shares == sorted(shares) and shares[-1] == 1
