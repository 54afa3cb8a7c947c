"""The scripts in examples/ run and find their own results right."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import types

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(FOLDER.glob("*.py"))


def test_there_are_scripts_and_the_readme_names_each():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(SCRIPTS) >= 7
    assert [path.name for path in SCRIPTS if f"`{path.name}" not in readme] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_script(path, tmp_path):
    environment = {**os.environ, "MPLBACKEND": "Agg", "OPENBLAS_NUM_THREADS": "1"}
    environment["TMPDIR"] = str(tmp_path)
    environment["PYTHONIOENCODING"] = "utf-8"
    command = [sys.executable, str(path)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()
    assert "Warning" not in done.stderr, done.stderr


ROW = {
    "step": 500,
    "learning_rate": 0.05,
    "log_likelihood_averaged": {"value": -3.5, "std_error": 0.0},
    "ladder": {"betas": [1.0, 0.5, 0.0], "swap_rate": 0.4, "round_trips": 7},
}
TOLD = {
    "learning_rate": 0.05,
    "likelihood/log_likelihood_averaged": -3.5,
    "ladder/rungs": 3,
    "ladder/swap_rate": 0.4,
    "ladder/round_trips": 7,
}


class Fake:
    """Stands for TensorBoard, Weights & Biases and MLflow: keeps what it is told."""

    def __init__(self, *_, **__):
        self.told = {}

    def add_scalar(self, name, value, step):
        self.told[name, step] = value

    def log(self, figures, step):
        for name, value in figures.items():
            self.add_scalar(name, value, step)

    log_metrics = log

    def set_experiment(self, name):
        pass

    def flush(self):
        pass


@pytest.mark.parametrize("tool", ["tensorboard", "wandb", "mlflow"])
def test_callbacks_tell_each_tool(tool, monkeypatch):
    spec = importlib.util.spec_from_file_location("callbacks", FOLDER / "callbacks.py")
    callbacks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(callbacks)
    fake, given = Fake(), lambda *_, **__: fake
    modules = {
        "tensorboardX": types.SimpleNamespace(SummaryWriter=given),
        "wandb": types.SimpleNamespace(init=given),
        "mlflow": fake,
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    assert getattr(callbacks, tool)("somewhere")(ROW) is None
    assert fake.told == {(name, 500): value for name, value in TOLD.items()}
