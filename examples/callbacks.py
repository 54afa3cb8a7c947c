"""Rows of metrics for TensorBoard, Weights & Biases or MLflow: whichever is installed.

A callback is called with each row that a run records, a dict. Returning False stops learning.
"""

import importlib.util
import tempfile

import numpy as np

import isotherm


def figures(row):
    """The numbers of a row under names that such tools like."""
    told = {"learning_rate": row["learning_rate"]}
    for name in ("log_likelihood", "log_likelihood_averaged", "log_likelihood_valid"):
        if row.get(name):  # not measured in every row
            told[f"likelihood/{name}"] = row[name]["value"]
    if row.get("ladder"):  # there is none without tempering
        told["ladder/rungs"] = len(row["ladder"]["betas"])
        told["ladder/swap_rate"] = row["ladder"]["swap_rate"]
        told["ladder/round_trips"] = row["ladder"]["round_trips"]
    return told


def tensorboard(folder):
    """For ``tensorboard --logdir folder``. ``torch.utils.tensorboard`` has the same class."""
    from tensorboardX import SummaryWriter

    writer = SummaryWriter(folder)

    def callback(row):
        for name, value in figures(row).items():
            writer.add_scalar(name, value, row["step"])
        writer.flush()

    return callback


def wandb(project, **settings):
    """For Weights & Biases. ``mode="offline"`` needs no account."""
    import wandb

    run = wandb.init(project=project, **settings)
    return lambda row: run.log(figures(row), step=row["step"])


def mlflow(experiment):
    """For MLflow, into the run that is active, or a new one."""
    import mlflow

    mlflow.set_experiment(experiment)
    return lambda row: mlflow.log_metrics(figures(row), step=row["step"])


def printed(row):
    """For whoever has none of them."""
    told = "  ".join(f"{name} {value:.4g}" for name, value in figures(row).items())
    print(f"{row['step']:6}  {told}")


def main():
    folder = tempfile.mkdtemp()
    if importlib.util.find_spec("tensorboardX"):
        tool = tensorboard(folder)
        print("tensorboard --logdir", folder)
    elif importlib.util.find_spec("wandb"):
        tool = wandb("isotherm", mode="offline", dir=folder)
    elif importlib.util.find_spec("mlflow"):
        tool = mlflow("isotherm")
    else:
        tool = printed

    steps = []

    def callback(row):
        tool(row)
        steps.append(row["step"])
        return row["step"] < 1500  # False: enough

    rng = np.random.default_rng(1)
    X = rng.random((500, 12)) < np.where(rng.random((500, 1)) < 0.5, 0.9, 0.1)
    options = {"hidden": 4, "updates": 5000, "metrics_every": 500, "random_state": 1}
    model = isotherm.RBM(**options, callback=callback).fit(X)
    print(f"{len(steps)} rows, stopped after {model.n_updates_} updates")
    assert steps == sorted(set(steps)) and {500, 1000, 1500} <= set(steps)
    assert model.n_updates_ == 1500  # learning waits for the callback


if __name__ == "__main__":
    main()
