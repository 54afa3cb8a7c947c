"""What the tests share: a small set of examples, a model of it, and the command line."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from isotherm import RBM

os.environ.setdefault("MPLBACKEND", "Agg")

#: It needs the package rbms itself.
collect_ignore = ["rbms/make_fixture.py"]

ROOT = Path(__file__).parents[2]


def every_state(n):
    """All rows of n zeros and ones."""
    return np.indices((2,) * n).reshape(n, -1).T.astype(float)


def votes_of(rows, seed=0):
    """Two camps that vote on six questions."""
    rng = np.random.default_rng(seed)
    camp = rng.random((rows, 1)) < 0.5
    return (rng.random((rows, 6)) < np.where(camp, 0.9, 0.1)).astype(float)


def parameters(rbm):
    return rbm.components_, rbm.intercept_hidden_, rbm.intercept_visible_


def same_model(a, b):
    return all(np.array_equal(x, y) for x, y in zip(parameters(a), parameters(b), strict=True))


@pytest.fixture(scope="session")
def votes():
    return votes_of(200)


@pytest.fixture(scope="session")
def trained(votes):
    """A small model, to be looked at and not to be changed."""
    return RBM(hidden=3, updates=3000, random_state=1).fit(votes)


@pytest.fixture
def rbm(trained):
    """The same, to be changed."""
    import copy

    return copy.deepcopy(trained)


@pytest.fixture(scope="session")
def cli():
    """Runs the command line: ISOTHERM_CLI, or what cargo has built."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [target / profile / "isotherm" for profile in ("release", "debug")]
    built = [path for path in built if path.is_file()]
    found = os.environ.get("ISOTHERM_CLI") or max(
        built, key=lambda path: path.stat().st_mtime, default=shutil.which("isotherm")
    )
    if not found:
        pytest.skip("no command line: cargo build, or set ISOTHERM_CLI")

    def run(*words, code=0):
        words = [str(found), *map(str, words)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        assert done.returncode == code, f"{' '.join(words)}\n{done.stderr}"
        return done.stdout

    return run
