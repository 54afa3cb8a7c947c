"""Types: the stubs say what the module has, and the package agrees with itself."""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

pytest.importorskip("mypy")

SOURCE = Path(__file__).parents[1] / "isotherm"


def run(*words):
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_the_package_says_that_it_is_typed():
    package = files("isotherm")
    assert package.joinpath("py.typed").is_file() and package.joinpath("_isotherm.pyi").is_file()


def test_stubs():
    code, said = run("mypy.stubtest", "isotherm._isotherm")
    assert code == 0, said


def test_mypy(tmp_path):
    """The package is sound, and misuse of it is noticed."""
    misuse = tmp_path / "misuse.py"
    calls = [
        "RBM(hidden='many').sample('few')",
        "RBM(algorithm='smll', lr_decay='never', swap='places')",  # words are typed
        "RBM(shape=28).log_likelihood([], log_z='guess')",
        "RBM(algorithm='pcd', shape=(28, 20), n_components=3, epochs=2).plot.filters('28x20')",
    ]
    misuse.write_text("import isotherm\n" + "".join(f"isotherm.{it}\n" for it in calls))
    options = ["--check-untyped-defs", "--ignore-missing-imports", f"--cache-dir={tmp_path}/cache"]
    _, said = run("mypy", str(SOURCE), str(misuse), *options)
    errors = [line for line in said.splitlines() if ": error: " in line]
    lines = [line.split("misuse.py:")[-1].split(":")[0] for line in errors]
    assert lines == ["2"] * 2 + ["3"] * 3 + ["4"] * 2, said
