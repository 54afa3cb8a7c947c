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
from isotherm._progress import Progress

LONG = {
    "hidden": 20,
    "updates": 10**9,
    "metrics_every": 50,
    "likelihood_every": 0,
    "random_state": 1,
}


#: Seconds after which work that should have ended counts as hanging. All work that is interrupted here
#: takes longer than that if it is not.
HANGING = 120


def _listen_to_ctrl_c():
    # A process that was started in the background ignores SIGINT, and its children inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _start(script):
    words = [sys.executable, "-c", script]
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, bufsize=1, preexec_fn=_listen_to_ctrl_c
    )


def _words_of(child):
    """The words that a script prints until it ends, which it must do without an error."""
    try:
        printed = child.communicate(timeout=HANGING)[0]
    finally:
        child.kill()
    assert child.returncode == 0
    return printed.split()


def interrupted_in(script):
    """Runs a script, and sends it Ctrl-C a moment after it prints "going". Returns the words that it
    prints after that."""
    child = _start(script)
    for line in child.stdout:
        if line.strip() == "going":
            break
    time.sleep(0.3)  # so that the work has begun
    child.send_signal(signal.SIGINT)
    return _words_of(child)


BEGINNING = """
import time, numpy as np, isotherm
X = np.random.default_rng(0).integers(0, 2, (500, 30))
"""


def test_ctrl_c_stops_an_enumeration():
    """The sum has 2^25 states of 100,000 terms, with weights whose exponentials overflow. It takes more
    than an hour, and an eighth of it takes longer than HANGING. How much work is done between two
    looks for Ctrl-C is counted in the tests of the library."""
    said = interrupted_in(f"""{BEGINNING}
from isotherm._runs import of_arrays
rng = np.random.default_rng(0)
rbm = of_arrays(rng.normal(0, 300, (100_000, 25)), rng.normal(size=25), rng.normal(size=100_000))
rbm.threads = 1
print("going", flush=True)
try:
    rbm.log_z_
except KeyboardInterrupt:
    print("interrupted")
""")
    assert said == ["interrupted"]


def test_ctrl_c_keeps_what_was_learned():
    said = interrupted_in(f"""{BEGINNING}
tell = lambda row: print("going", flush=True) if row["step"] == 100 else None
rbm = isotherm.RBM(**{LONG!r}, callback=tell)
try:
    rbm.fit(X)
except KeyboardInterrupt:
    print("interrupted", rbm.n_updates_, rbm.transform(X).shape[1], len(rbm.sample(3, warm_up=5)))
    step = rbm.n_updates_
    rbm.set_params(callback=None).partial_fit(X)
    print(rbm.n_updates_ - step, np.isfinite(rbm.score(X)), rbm.history_["step"][0])
""")
    assert said[0] == "interrupted" and 100 <= int(said[1]) < LONG["updates"]
    assert said[2:] == ["20", "3", "5", "True", "50"]


@pytest.mark.parametrize(
    "work",
    [
        "rbm.log_likelihood(X, training=X, steps=10**6, particles=10**6)",
        "rbm.sample(10, warm_up=10**12)",
        "rbm.sample(10, thin=10**12)",
        "isotherm.sample_target(isotherm.Quadratic.qubo(np.eye(30)), n_samples=20, thin=10**12)",
        "isotherm.sample_target(lambda x: x.sum(axis=1), n=30, n_samples=20, thin=10**12)",
    ],
)
def test_ctrl_c_stops_other_work(work):
    said = interrupted_in(f"""{BEGINNING}
from isotherm._runs import of_arrays
rbm = of_arrays(np.zeros((30, 26)), np.zeros(26), np.zeros(30))
print("going", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted")
""")
    assert said == ["interrupted"]


def test_ctrl_c_in_the_likelihood_at_the_end_keeps_the_model():
    """The likelihood is enumerated twice, for the parameters and for their average, over 2^25 states of
    100,000 terms each."""
    said = interrupted_in(f"""{BEGINNING}
rbm = isotherm.RBM(hidden=25, updates=20, lr=0.0, batch=20, particles=20, columns=20, rungs=2,
    algorithm="pt", likelihood_every=0, metrics_every=20, random_state=1, threads=1)
rbm.callback = lambda row: print("going", flush=True)
X = np.random.default_rng(0).integers(0, 2, (20, 100_000), dtype=np.uint8)
try:
    rbm.fit(X)
    print("too late")
except KeyboardInterrupt:
    print("interrupted", rbm.n_updates_, hasattr(rbm, "summary_"))
""")
    assert said == ["interrupted", "20", "False"]


def test_other_threads_go_on():
    """A thread beside a fit without end takes a hundred turns, and more until the fit has used a second
    of processor time. Then it presses Ctrl-C. The fit has no rows to report, so that it runs no Python
    code: if it held the lock of the interpreter, the thread would get no turn, and the script would
    hang."""
    child = _start(f"""{BEGINNING}
import os, signal, threading

def press_ctrl_c():
    turns, begun = 0, time.process_time()
    while turns < 100 or time.process_time() < begun + 1:
        time.sleep(0.001)
        turns += 1
    os.kill(os.getpid(), signal.SIGINT)

rbm = isotherm.RBM(**{LONG | {"metrics_every": LONG["updates"]}!r})
try:
    threading.Thread(target=press_ctrl_c).start()
    rbm.fit(X)
except KeyboardInterrupt:
    print("interrupted")
""")
    assert _words_of(child) == ["interrupted"]


def test_several_fits_at_once(votes):
    fits = [RBM(hidden=3, updates=300, random_state=1) for _ in range(3)]
    threads = [threading.Thread(target=rbm.fit, args=(votes,)) for rbm in fits]
    [thread.start() for thread in threads]
    [thread.join(timeout=HANGING) for thread in threads]
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
    components, samples, updates = queue.get(timeout=HANGING)
    child.join(timeout=HANGING)
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
    deadline = time.monotonic() + HANGING
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


def test_the_bar_keeps_the_last_likelihood():
    """Likelihoods are measured less often than rows are written."""
    measured = {"log_likelihood": {"value": -3.6}, "log_likelihood_averaged": {"value": -3.5}}
    ladder = {"betas": [1, 0.5, 0], "swap_rate": 0.5}
    first = {"step": 10, "ladder": ladder, **measured, "log_likelihood_valid": {"value": -4.5}}
    later = {"step": 20, "ladder": {**ladder, "swap_rate": 0.25}, "log_likelihood": None}
    progress = Progress(0, 30, 1)
    progress.row(first)
    progress.row(later)
    shown = progress.bar.postfix
    progress.close()
    assert shown == "log-likelihood=-3.50, valid=-4.50, rungs=3, swap=0.25"


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
