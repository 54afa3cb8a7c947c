"""Let the real package ``rbms`` (0.4 to 0.6) write a tiny model file, as a test fixture.

Usage: python make_fixture.py [stem] [model_type]
Writes <stem>.h5.gz (a file by the functions of rbms, with updates 1 and 8, packed
with gzip because most of it is random states) and <stem>.npz (the same parameters,
and energies of a few states, as rbms reads and computes them).
"model_type" can be BBRBM or, with rbms 0.6, also IIRBM (units -1/+1).
"""

import gzip
import sys
from importlib.metadata import version
from pathlib import Path

import h5py
import numpy as np
import torch
from rbms.io import load_params, save_model
from rbms.map_model import map_model
from rbms.utils import get_saved_updates

CPU, N_VISIBLE, N_HIDDEN, N_CHAINS = torch.device("cpu"), 12, 5, 6


def random_params(kind: str):
    """Random parameters of order one, so that a wrong sign or a transpose shows."""
    return map_model[kind](
        weight_matrix=torch.randn(N_VISIBLE, N_HIDDEN),
        vbias=torch.randn(N_VISIBLE),
        hbias=torch.randn(N_HIDDEN),
    )


def write(path: str, kind: str) -> None:
    """Make the file with update 1, as a new training does; then save update 8."""
    shared = dict(
        filename=path,
        num_hiddens=N_HIDDEN,
        num_chains=N_CHAINS,
        batch_size=20,
        gibbs_steps=5,
        learning_rate=0.05,
        train_size=0.6,
        seed=3,
        L1=0.0,
        L2=0.0,
        flags=["checkpoint"],
    )
    extra = {}
    try:
        from rbms.training.implement import _init_training  # rbms 0.6
    except ImportError:
        from rbms.training.utils import create_machine  # rbms 0.4 and 0.5

        create_machine(params=random_params(kind), num_visibles=N_VISIBLE, log=False, **shared)
    else:
        from rbms.dataset.dataset_class import RBMDataset

        data = np.random.default_rng(1).integers(0, 2, size=(60, N_VISIBLE)).astype(np.float32)
        dataset = RBMDataset(
            data,
            np.zeros(60),
            np.ones(60),
            np.arange(60),
            "fixture",
            "bernoulli",
            CPU,
            torch.float32,
        )
        _init_training(
            train_dataset=dataset,
            test_size=0.4,
            model_type=kind,
            n_save=1,
            spacing="exp",
            optim="sgd",
            mult_optim=False,
            training_type="pcd",
            max_lr=10.0,
            beta=1.0,
            centered=True,
            normalize_grad=False,
            max_norm_grad=-1.0,
            subset_labels=None,
            use_weights=False,
            alphabet="protein",
            remove_duplicates=False,
            dtype=torch.float32,
            device=CPU,
            **shared,
        )
        extra = dict(learning_rate=torch.tensor([0.05]), effective_time=np.zeros(1))
    params = random_params(kind)
    chains = params.sample_state(params.init_chains(N_CHAINS), n_steps=5)
    save_model(path, params, chains, num_updates=8, time=1.5, flags=["checkpoint"], **extra)


def main(stem: str = "rbms_fixture", kind: str = "BBRBM") -> None:
    torch.manual_seed(1)
    np.random.seed(1)
    write(f"{stem}.h5", kind)
    rng = np.random.default_rng(1)
    out = {
        "rbms_version": np.array(version("rbms")),
        "model_type": np.array(kind),
        "v": rng.integers(0, 2, size=(4, N_VISIBLE)).astype(float),
        "h": rng.integers(0, 2, size=(4, N_HIDDEN)).astype(float),
        "updates": get_saved_updates(f"{stem}.h5"),
    }
    v, h = (torch.from_numpy(2 * out[x] - 1 if kind == "IIRBM" else out[x]) for x in "vh")
    for update in out["updates"]:
        params = load_params(f"{stem}.h5", update, CPU, torch.float64)
        for name in ("weight_matrix", "vbias", "hbias"):
            out[f"{name}_{update}"] = getattr(params, name).numpy()
        out[f"energy_{update}"] = params.compute_energy(v, h).numpy()
        out[f"free_energy_{update}"] = params.compute_energy_visibles(v).numpy()
    with h5py.File(f"{stem}.h5", "r") as f:
        out["chains"] = f["parallel_chains"][()]
    np.savez_compressed(f"{stem}.npz", **out)
    packed = gzip.compress(Path(f"{stem}.h5").read_bytes(), mtime=0)
    Path(f"{stem}.h5.gz").write_bytes(packed)
    Path(f"{stem}.h5").unlink()
    for name, value in out.items():
        print(name, value.shape, value)


if __name__ == "__main__":
    main(*sys.argv[1:])
