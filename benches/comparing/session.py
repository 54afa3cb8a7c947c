"""What the rows of the table share: the programs, the peers, where things go, how long to measure."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from . import building, environment, workloads
from .contest import Contestant, cores_to_use, take_turns
from .trouble import Trouble

BENCHES = Path(__file__).parent.parent
PEERS = BENCHES / "peers"


def tell(sentence):
    print(f"compare: {sentence}", file=sys.stderr, flush=True)


@dataclass
class Session:
    out: Path
    env: Path
    before: str
    quick: bool
    described: dict = field(default_factory=workloads.described)

    def __post_init__(self):
        self.work = self.out / "work"
        self.file = workloads.write(self.described, self.work)
        self.one_core, self.two_cores = cores_to_use()
        self.rounds, self.slice_seconds = (3, 0.15) if self.quick else (15, 0.3)
        self.load = os.getloadavg()[0]
        if self.load > 0.5:
            tell(f"the machine is busy (load {self.load:.1f}): expect noise, or try again later")

    def add_workload(self, name, work):
        self.described[name] = work
        workloads.write(self.described, self.work)

    @cached_property
    def programs(self):
        return building.build(["isotherm-measure", "isotherm-cli"], tell)

    @cached_property
    def program_before(self):
        if self.before == "none":
            return None
        return building.build_before(self.before, building.ROOT / "target/compare-before", tell)

    @cached_property
    def python(self):
        return environment.python_of(self.env, tell)

    def isotherm(self, threads=1, wall=False):
        name = "Isotherm" if threads == 1 else f"Isotherm, {threads} threads"
        cores = self.one_core if threads == 1 else self.two_cores
        command = [self.programs["isotherm-measure"], self.file, self.work, threads]
        return Contestant(name, command, cores, threads, self.log(name), wall)

    def peer(self, name, script, *arguments):
        command = [self.python, PEERS / script, self.file, self.work, 1, *arguments]
        return Contestant(
            name, command, self.one_core, 1, self.log(name), environment=self.traceless
        )

    @property
    def traceless(self):
        """Variables that keep the peers from writing outside the folder of the results."""
        cache = str(self.work / "inductor")
        return {"TORCHINDUCTOR_CACHE_DIR": cache, "PYTHONDONTWRITEBYTECODE": "1"}

    @cached_property
    def torch_variants(self):
        """PyTorch's contestants, each found correct before it is timed."""
        variants = {"eager": "PyTorch, eager"}
        if not self.quick and compiler():
            variants |= {"compiled": "PyTorch, compiled", "bits": "PyTorch, raw bits"}
        script = PEERS / "torch_sml_pt.py"
        for variant, name in variants.items():
            tell(f"checking {name} against enumeration")
            command = [str(self.python), str(script), "--check", variant]
            variables = {**os.environ, **self.traceless}
            done = subprocess.run(command, capture_output=True, text=True, env=variables)
            if done.returncode != 0:
                said = done.stderr.strip().splitlines() or ["nothing"]
                raise Trouble(f"{name} does not do what it should: {said[-1]}; see {script}")
        return variants

    def torch(self):
        variants = self.torch_variants
        return [self.peer(name, "torch_sml_pt.py", variant) for variant, name in variants.items()]

    def take_turns(self, entries, rounds=None, slice_seconds=None):
        rounds, slice_seconds = rounds or self.rounds, slice_seconds or self.slice_seconds
        return take_turns(entries, rounds, slice_seconds, tell)

    def log(self, name):
        return self.work / (name.lower().replace(", ", "-").replace(" ", "-") + ".log")


def compiler():
    """Whether `torch.compile` finds a C++ compiler."""
    command = [os.environ.get("CXX", "g++"), "--version"]
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False
