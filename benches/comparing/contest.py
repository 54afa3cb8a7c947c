"""Contestants take turns on one core: whatever else the machine does slows all of them down alike.

Each is a process that waits for lines `workload steps` and answers with the seconds that they took,
and with those of them in which it was ready but another process had its core. These are taken off,
for all contestants alike, so that a busy machine costs precision and not truth. What counts is the
best turn of each; how far the median lies above it is told beside it.
"""

import contextlib
import json
import os
import statistics
import subprocess
from dataclasses import dataclass, field

from .trouble import Trouble

# Steps before the first that counts: two would do for code that is compiled for both parities.
WARM_UP = 4


@dataclass
class Contestant:
    """A program that speaks the protocol."""

    name: str
    command: list
    cores: set
    threads: int
    log: object
    # Whether time that it waited for its core counts too, as it must beside several threads.
    wall: bool = False
    environment: dict = field(default_factory=dict)

    def __enter__(self):
        environment = {**os.environ, **self.environment}
        for pool in ("OMP", "MKL", "OPENBLAS"):
            environment[f"{pool}_NUM_THREADS"] = str(self.threads)
        self.errors = open(self.log, "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [str(part) for part in self.command],
            env=environment,
            preexec_fn=pinned_to(self.cores),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()

    def ask(self, workload, steps):
        """The reply to `steps` steps of a workload; its `net` seconds are those that count."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(f"{workload} {steps}\n")
            self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.errors.seek(0)
            said = self.errors.read().strip().splitlines() or ["nothing"]
            raise Trouble(f"{self.name} stopped at {workload} and said: {said[-1]}; see {self.log}")
        reply = json.loads(line)
        waited = 0.0 if self.wall else reply.get("waited", 0.0)
        return {**reply, "net": reply["seconds"] - waited}


def pinned_to(cores):
    """What a child does before it begins: tie itself to these cores, if the system can do that."""
    return (lambda: os.sched_setaffinity(0, cores)) if cores else None


def cores_to_use():
    """One core, and it with another that is not the same one under a second name."""
    if not hasattr(os, "sched_getaffinity"):
        return set(), set()
    allowed = sorted(os.sched_getaffinity(0))
    first = allowed[-1]

    def siblings(core):
        path = f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list"
        with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
            return file.read().strip()
        return str(core)

    others = [core for core in allowed if siblings(core) != siblings(first)]
    return {first}, {first, *others[-1:]}


@dataclass
class Turns:
    """What the turns of a contestant at a workload took."""

    seconds: list
    steps: int
    # The share of each turn in which the contestant waited for its core.
    waited: list = field(default_factory=list)

    @property
    def best(self):
        """Seconds a step of the best turn."""
        return min(self.seconds) / self.steps

    @property
    def spread(self):
        """How far the median turn is above the best one, as a fraction."""
        return statistics.median(self.seconds) / min(self.seconds) - 1

    def record(self):
        found = {"best": self.best, "spread": self.spread, "steps_a_turn": self.steps}
        if self.waited:
            found["waited"] = statistics.median(self.waited)
        found["turns"] = [seconds / self.steps for seconds in self.seconds]
        return found


def take_turns(entries, rounds, slice_seconds, tell):
    """Lets (contestant, workload) pairs take turns of about `slice_seconds`; gives their `Turns`."""
    turns = []
    for contestant, workload in entries:
        tell(f"{contestant.name} sets up {workload}")
        steps = steps_for(contestant, workload, slice_seconds)
        turns.append(Turns([], steps))
    for round in range(1, rounds + 1):
        tell(f"{entries[0][1]}, round {round} of {rounds}")
        for (contestant, workload), taken in zip(entries, turns):
            reply = contestant.ask(workload, taken.steps)
            taken.seconds.append(reply["net"])
            taken.waited.append(reply.get("waited", 0.0) / reply["seconds"])
    return turns


def steps_for(contestant, workload, slice_seconds):
    """How many steps take about that long, found by doubling."""
    contestant.ask(workload, WARM_UP)
    steps = 1
    while True:
        seconds = contestant.ask(workload, steps)["net"]
        if seconds >= slice_seconds / 4:
            return max(1, round(steps * slice_seconds / seconds))
        steps *= 2
