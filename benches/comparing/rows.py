"""The rows of the table: what is measured, against what, and which figure is wanted."""

import json
import resource
import shutil
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass, field

from . import building, environment, workloads
from .contest import Turns, pinned_to
from .session import PEERS, tell
from .trouble import Trouble

# How much worse than linear a doubling may seem, by noise.
NOISE = 1.05
MIB = 1 << 20


@dataclass
class Row:
    """A line of the table; `ours`, `theirs` and `figure` are for people, `value` for the target."""

    what: str
    ours: str
    theirs: str
    figure: str
    value: float
    target: str = ""
    met: bool | None = None
    details: dict = field(default_factory=dict)


def at_least(wanted):
    return f"≥ {wanted:g}×", lambda value: value >= wanted


def duration(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def shown(turns):
    return f"{duration(turns.best)} (+{100 * turns.spread:.0f} %)"


def contest(session, workload, contestants):
    """Turns of Isotherm and of its peers at one workload, by name."""
    with ExitStack() as stack:
        entered = [stack.enter_context(each) for each in [session.isotherm(), *contestants]]
        turns = session.take_turns([(each, workload) for each in entered])
        return {each.name: taken for each, taken in zip(entered, turns)}


def against(what, turns, peers, target=None):
    """A row of Isotherm against the fastest of these peers."""
    name = min(peers, key=lambda name: turns[name].best)
    ours, theirs = turns["Isotherm"], turns[name]
    ratio = theirs.best / ours.best
    wanted, test = target or ("", lambda _: None)
    details = {each: turns[each].record() for each in ["Isotherm", *peers]}
    theirs = f"{shown(theirs)} {name}"
    return Row(what, shown(ours), theirs, f"{ratio:.3g}×", ratio, wanted, test(ratio), details)


def on_top(what, ours, without, name, target=None):
    """What something takes on top of the same without it."""
    share = ours.best / without.best - 1
    wanted, test = target or ("", lambda _: None)
    details = {"with": ours.record(), "without": without.record()}
    theirs, figure = f"{shown(without)} {name}", f"{100 * share:+.1f} %"
    return Row(what, shown(ours), theirs, figure, share, wanted, test(share), details)


def within_3_percent():
    return "≤ 3 %", lambda share: share <= 0.03


def torch_row(session, workload, what, wanted):
    turns = contest(session, workload, session.torch())
    plain = [name for name in turns if name in ("PyTorch, eager", "PyTorch, compiled")]
    yield against(what, turns, plain, at_least(wanted))
    if "PyTorch, raw bits" in turns:
        yield against("– against raw bits for `rand`", turns, ["PyTorch, raw bits"])


def paper_20(session):
    what = "784×10, 20 rungs, 5 columns, batch 5 (the paper's)"
    yield from torch_row(session, "paper-20", what, 25)


def paper_50(session):
    yield from torch_row(session, "paper-50", "784×10, 50 rungs, 5 columns, batch 5", 25)


def large(session):
    yield from torch_row(session, "large", "784×500, 10 rungs, 100 columns, batch 100", 5)


def sml(session):
    partial, whole = (
        session.peer(f"BernoulliRBM, {method}", "sklearn_rbm.py", method)
        for method in ("partial_fit", "fit")
    )
    turns = contest(session, "sml", [partial, whole, *session.torch()])
    yield against("SML 784×500, 100 samples, batch 100", turns, [partial.name], at_least(4))
    yield against("– against single precision, by `fit`", turns, [whole.name])
    torches = [name for name in turns if name.startswith("PyTorch")]
    yield against("– against PyTorch", turns, torches)


def strokes(session):
    turns = contest(session, "strokes", session.torch())
    torches = [name for name in turns if name.startswith("PyTorch")]
    what = "SML 784×500 on pictures, 250 samples, batch 100"
    yield against(what, turns, torches)


def products(session):
    peers = [session.peer(f"sgemm, {by}", "sgemm.py", by) for by in ("numpy", "torch")]
    for workload, inputs, outputs, of, target in (
        ("products-784x500", 784, 500, "", at_least(2.5)),
        ("products-500x784", 500, 784, "", at_least(2.5)),
        ("products-strokes", 784, 500, " of pictures", None),
    ):
        turns = contest(session, workload, peers)
        what = f"bits × weights {inputs}×{outputs}, 1000 rows{of}"
        row = against(what, turns, [peer.name for peer in peers], target)
        operations = 2 * 1000 * inputs * outputs
        best = min(turns[peer.name].best for peer in peers)
        row.details["sgemm_gflops"] = operations / best / 1e9
        row.theirs += f", {operations / best / 1e9:.0f} GFLOP/s"
        yield row


def apt(session):
    """A whole run of APT against PT with as many rungs as it ends with, in turns of 1000 updates.

    A run is repeated from the start; each turn counts with the best of its repetitions.
    """
    config = session.described["apt"]["train"]
    if session.quick:
        config["updates"] = 5000
    updates, turn = config["updates"], 1000
    session.add_workload("apt", {"train": config})
    tell(f"apt: {updates} updates to see how many rungs it ends with")
    with session.isotherm() as isotherm:
        rungs = isotherm.ask("apt", updates)["rungs"]
    session.add_workload("apt-pt", {"train": {**config, "algorithm": "pt", "rungs": rungs}})
    seconds = {"apt": [], "apt-pt": []}
    repetitions = 2 if session.quick else 4
    for repetition in range(1, repetitions + 1):
        tell(f"apt, repetition {repetition} of {repetitions}")
        with session.isotherm() as isotherm:
            taken = {name: [] for name in seconds}
            for _ in range(0, updates, turn):
                for name in taken:
                    taken[name].append(isotherm.ask(name, turn)["net"])
            for name in taken:
                seconds[name].append(taken[name])
    best = {name: sum(map(min, zip(*runs))) for name, runs in seconds.items()}
    ratio = best["apt"] / best["apt-pt"]
    yield Row(
        f"APT, a run of {updates} updates that ends with {rungs} rungs",
        duration(best["apt"]),
        f"{duration(best['apt-pt'])} PT-{rungs}",
        f"{ratio:.3f}",
        ratio,
        "≤ 1.00",
        ratio <= 1.0,
        {"rungs": rungs, "updates": updates, "seconds_of_turns": seconds},
    )


def adaptation(session):
    with session.isotherm() as isotherm:
        entries = [(isotherm, "fixed-apt"), (isotherm, "fixed-pt")]
        # Many short turns: a difference of a few per cent is looked for.
        adaptive, fixed = session.take_turns(entries, 5 * session.rounds, session.slice_seconds / 4)
    what = "adaptation itself, 20 rungs kept"
    yield on_top(what, adaptive, fixed, "PT-20", within_3_percent())


def following(session):
    """What it takes to follow the likelihood along a run, which every other row does without."""
    config = dict(session.described["strokes"]["train"])
    del config["likelihood-every"]
    session.add_workload("strokes-followed", {"train": config})
    with session.isotherm() as isotherm:
        entries = [(isotherm, "strokes-followed"), (isotherm, "strokes")]
        # A turn is to be many looks long: there is one every 20 updates.
        followed, alone = session.take_turns(entries, None, 2 * session.slice_seconds)
    what = "SML 784×500 on pictures, the likelihood followed"
    yield on_top(what, followed, alone, "not followed")


def threads(session):
    if len(session.two_cores) < 2:
        tell("there are no two cores here, so two threads are not measured")
        return
    # Two by the clock on the wall, since of two threads one may wait for the other. One as everywhere:
    # on a busy machine the ratio is then too low, and never too high.
    with session.isotherm(1) as one, session.isotherm(2, wall=True) as two:
        for workload, what, wanted in (
            ("large", "two threads: 784×500, 10 rungs, 100 columns", 1.8),
            ("paper-50", "two threads: 784×10, 50 rungs, 5 columns", 1.5),
        ):
            slow, fast = session.take_turns([(one, workload), (two, workload)])
            ratio = slow.best / fast.best
            text, test = at_least(wanted)
            theirs = f"{shown(slow)} one thread"
            details = {"one": slow.record(), "two": fast.record()}
            yield Row(what, shown(fast), theirs, f"{ratio:.3g}×", ratio, text, test(ratio), details)


def memory(session):
    with session.isotherm() as isotherm:
        reply = isotherm.ask("large", 20)
    if "peak_bytes" not in reply:
        tell("this system does not tell what a process takes, so memory is not measured")
        return
    peak, known = reply["peak_bytes"], reply["known_bytes"]
    beyond = (peak - known) / MIB
    yield Row(
        "memory beyond weights, optimiser and data, 784×500, 1000 replicas",
        f"{peak / MIB:.1f} MiB at most",
        f"{known / MIB:.1f} MiB of these",
        f"{beyond:.1f} MiB",
        beyond,
        "≤ 16 MiB",
        beyond <= 16,
        reply,
    )


def scaling(session):
    names = [
        (size, doubling) for size in workloads.SIZES for doubling in range(workloads.DOUBLINGS + 1)
    ]
    # The base workload stands once.
    names = [workloads.scaled(*name) for name in names if name[1] or name[0] == workloads.SIZES[0]]
    with session.isotherm() as isotherm:
        slice_seconds = session.slice_seconds / 3
        turns = session.take_turns([(isotherm, name) for name in names], None, slice_seconds)
    best = {name: taken.best for name, taken in zip(names, turns)}
    for size in workloads.SIZES:
        costs = [best[workloads.scaled(size, i)] for i in range(workloads.DOUBLINGS + 1)]
        worst = max(later / earlier for earlier, later in zip(costs, costs[1:]))
        yield Row(
            f"cost of doubling: {size}",
            " → ".join(map(duration, costs)),
            "",
            f"{worst:.2f}× at most",
            worst,
            "≤ 2× each time",
            worst <= 2 * NOISE,
            {"size": size, "seconds": costs},
        )


def default_train(session):
    """The command line itself, with nothing but defaults, beside that of an earlier commit."""
    updates = 5000 if session.quick else 100_000
    programs = {"now": session.programs["isotherm"], "before": session.program_before}
    programs = {when: program for when, program in programs.items() if program}
    seconds = {when: [] for when in programs}
    repetitions = 2 if session.quick else 3
    for repetition in range(1, repetitions + 1):
        for when, program in programs.items():
            tell(
                f"default run of {updates} updates {when}, repetition {repetition} of {repetitions}"
            )
            seconds[when].append(run_default(session, program, updates))
    turns = {when: Turns(taken, updates) for when, taken in seconds.items()}
    details = {when: taken.record() for when, taken in turns.items()}
    what, ours = f"`isotherm train`, {updates} updates", shown(turns["now"])
    if "before" not in turns:
        yield Row(what, ours, "", duration(turns["now"].best), turns["now"].best, "", None, details)
        return
    ratio = turns["before"].best / turns["now"].best
    theirs = f"{shown(turns['before'])} before ({session.before})"
    text, test = at_least(2)
    yield Row(what, ours, theirs, f"{ratio:.3g}×", ratio, text, test(ratio), details)


def run_default(session, program, updates):
    """Seconds of training that a run tells of in its summary, less what it waited for its core."""
    run = session.work / "default-run"
    shutil.rmtree(run, ignore_errors=True)
    command = [program, "--quiet", "--threads", "1", "train", "--out", str(run)]
    # Nothing but updates: no likelihoods or checkpoints on the way.
    command += ["--updates", str(updates), "--likelihood-every", "0", "--checkpoint-every", "1e9"]
    begun, cpu = time.perf_counter(), cpu_of_children()
    done = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=pinned_to(session.one_core)
    )
    if done.returncode != 0:
        raise Trouble(f"{' '.join(command)} failed: {done.stderr.strip()}")
    share = (cpu_of_children() - cpu) / (time.perf_counter() - begun)
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    shutil.rmtree(run)
    return summary["seconds"]["train"] * min(share, 1.0)


def cpu_of_children():
    """CPU seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def python_fit(session):
    """`fit` of the Python package beside the command line at the same work, in seconds of CPU."""
    updates = 1000 if session.quick else 4000
    options = {"hidden": 100, "updates": updates, "likelihood-every": 0, "threads": 1}
    options |= {"final-likelihood": "exact-only"}
    data = session.work / "784.npy"
    python = environment.python_with_isotherm(session.out / "python-env", building.ROOT, tell)
    given = json.dumps({**options, "random_state": 1, "constant_columns": "refuse"})
    fit = [python, PEERS / "isotherm_fit.py", data, given]
    run = session.work / "python-run"
    # What is in memory needs no checkpoints: neither has any.
    train = [session.programs["isotherm"], "--quiet", "train", data, "--out", run]
    train += [part for name, value in options.items() for part in (f"--{name}", value)]
    train += ["--seed", 1, "--checkpoint-every", 1_000_000_000]
    seconds = {"python": [], "command line": []}
    repetitions = 2 if session.quick else 5
    for repetition in range(1, repetitions + 1):
        tell(f"fit of {updates} updates, repetition {repetition} of {repetitions}")
        seconds["python"].append(float(pinned(session, fit)))
        shutil.rmtree(run, ignore_errors=True)
        cpu = cpu_of_children()
        pinned(session, train)
        seconds["command line"].append(cpu_of_children() - cpu)
    shutil.rmtree(run, ignore_errors=True)
    python, command_line = (Turns(seconds[name], updates) for name in ("python", "command line"))
    what = f"`RBM.fit` in Python, 784×100, {updates} updates"
    yield on_top(what, python, command_line, "command line", within_3_percent())


def pinned(session, command):
    """What a program on the one core prints."""
    command = [str(part) for part in command]
    done = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=pinned_to(session.one_core)
    )
    if done.returncode != 0:
        raise Trouble(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout


def likelihood(session):
    with session.isotherm(2, wall=True) as isotherm:
        repetitions = 1 if session.quick else 3
        tell("exact likelihood of 2^20 states")
        taken = Turns([isotherm.ask("likelihood", 1)["seconds"] for _ in range(repetitions)], 1)
    yield Row(
        "exact likelihood, 20 hidden units, 10,000 examples, two cores",
        shown(taken),
        "",
        duration(taken.best),
        taken.best,
        "< 10 s",
        taken.best < 10,
        taken.record(),
    )


ROWS = {
    "paper-20": paper_20,
    "paper-50": paper_50,
    "large": large,
    "sml": sml,
    "strokes": strokes,
    "products": products,
    "apt": apt,
    "adaptation": adaptation,
    "following": following,
    "threads": threads,
    "memory": memory,
    "scaling": scaling,
    "default": default_train,
    "python": python_fit,
    "likelihood": likelihood,
}
