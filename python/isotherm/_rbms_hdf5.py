"""Read and write the HDF5 model files of the PyTorch package ``rbms``.

Energy of a model here and in ``rbms`` (type "BBRBM"), with v and h in {0, 1}:

    E(v, h) = -b.h - c.v - v^T W h        W has the shape [n_visible, n_hidden]

So nothing is converted for "BBRBM": W is ``weight_matrix``, b is ``hbias`` and
c is ``vbias``, with the same signs and no transpose.  ("Centered" in ``rbms`` is
a property of the gradient only; the stored biases are the plain ones.)
An Ising model ("IIRBM", rbms 0.6, units -1/+1) is converted exactly on reading
to units {0, 1}; see ``RbmsModel.energy_offset``.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class RbmsModel:
    """One saved model, for units in {0, 1}; the parameters are float64.

    ``chains`` are the visible states [n_chains, n_visible] of the persistent
    chains, as uint8.  A file keeps them only for its last update; for an earlier
    update, or a file without chains, this is None.  ``energy_offset`` is 0.0,
    except for an Ising file: energy in the file = energy here + offset.
    """

    W: np.ndarray
    b: np.ndarray
    c: np.ndarray
    update: int
    updates: tuple[int, ...]
    chains: np.ndarray | None = None
    model_type: str = "BBRBM"
    energy_offset: float = 0.0


def read_rbms(path: str | os.PathLike[str], update: int | None = None) -> RbmsModel:
    """Read one update (the last one, if None) from a file written by ``rbms``."""
    h5py = _h5py()
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file; check the path.")
    try:
        f = h5py.File(path, "r")
    except OSError as error:
        raise ValueError(
            f"{path}: this cannot be opened as an HDF5 file ({error}); give a whole .h5 file "
            "saved by rbms, and one that no training is writing just now."
        ) from error
    with f:
        names = (re.fullmatch(r"update_(\d+)", key) for key in f)
        updates = tuple(sorted(int(m[1]) for m in names if m))
        if not updates:
            raise ValueError(
                f"{path}: there is no group 'update_<number>' at the top level; "
                "give a model file saved by rbms, not a data set or a sample file."
            )
        update = updates[-1] if update is None else int(update)
        if update not in updates:
            raise ValueError(
                f"{path}: there is no update {update}; choose one of {_short(updates)}."
            )
        kind = _read(f, path, "model_type", "string")
        if kind not in ("BBRBM", "IIRBM"):
            raise ValueError(
                f"{path}: 'model_type' is '{kind}', but only 'BBRBM' (binary units) and 'IIRBM' "
                "(Ising units) can be read; train a model of binary units to use it here."
            )
        W = _read(f, path, f"update_{update}/params/weight_matrix", 2)
        b = _read(f, path, f"update_{update}/params/hbias", 1)
        c = _read(f, path, f"update_{update}/params/vbias", 1)
        if W.shape != (c.size, b.size):
            raise ValueError(
                f"{path}: 'update_{update}/params/weight_matrix' has the shape {W.shape}, but the "
                f"biases ask for {(c.size, b.size)}; choose another update or save the model again."
            )
        chains, offset = None, 0.0
        if update == updates[-1] and "parallel_chains" in f:
            chains = _read(f, path, "parallel_chains", 2)
    if kind == "IIRBM":  # put s = 2v - 1 and t = 2h - 1 into the energy and collect the terms
        offset = float(b.sum() + c.sum() - W.sum())
        b, c, W = 2 * (b - W.sum(0)), 2 * (c - W.sum(1)), 4 * W
        chains = None if chains is None else (chains + 1) / 2
    if chains is not None:
        chains = _binary(chains, c.size, f"{path}: 'parallel_chains'")
    return RbmsModel(W, b, c, update, updates, chains, kind, offset)


def write_rbms(
    path: str | os.PathLike[str],
    W: np.ndarray,
    b: np.ndarray,
    c: np.ndarray,
    *,
    chains: np.ndarray | None = None,
    updates: int = 1,
    learning_rate: float = 0.01,
    batch: int = 100,
    gibbs_steps: int = 100,
    train_size: float = 0.6,
    seed: int = 0,
    overwrite: bool = False,
) -> None:
    """Write a binary RBM as a file that ``rbms`` (0.1 to 0.6) loads, samples and trains on.

    ``chains`` are visible states in {0, 1}, one row per chain.  If None, ``batch``
    chains start from fair coins and make ``gibbs_steps`` Gibbs sweeps, as ``rbms``
    does for a new model.  ``updates`` is the number of training steps made so far.
    The other numbers are what ``rbms`` finds when it resumes the training; rbms 0.6
    then trains on the share ``train_size`` of the data, shuffled with ``seed``.
    W, b and c are stored as float32 if W is float32, else as float64.
    """
    h5py = _h5py()
    path = Path(path)
    kind = np.float32 if np.asarray(W).dtype == np.float32 else np.float64
    W, b, c = (np.ascontiguousarray(x, dtype=kind) for x in (W, b, c))
    if W.ndim != 2 or b.shape != W.shape[1:] or c.shape != W.shape[:1] or W.size == 0:
        raise ValueError(
            f"{path}: W, b and c have the shapes {W.shape}, {b.shape} and {c.shape}, but they "
            "must be [n_visible, n_hidden], [n_hidden] and [n_visible]; transpose W or swap b "
            "and c."
        )
    if not all(np.isfinite(x).all() for x in (W, b, c)):
        raise ValueError(
            f"{path}: W, b or c has a value that is not finite; export a model that did not "
            "diverge."
        )
    if (
        min(updates, batch, gibbs_steps) < 1
        or not learning_rate > 0
        or not 0 < train_size < 1
        or not 0 <= seed < 2**32
    ):
        raise ValueError(
            f"{path}: updates, batch and gibbs_steps must be at least 1, learning_rate above 0, "
            "train_size between 0 and 1, and seed from 0 to 2**32 - 1; correct the one that is not."
        )
    if not path.parent.is_dir():
        raise ValueError(
            f"{path}: the folder '{path.parent}' does not exist; make it or choose another one."
        )
    if path.exists() and not overwrite:
        raise ValueError(
            f"{path}: this file exists already; pass overwrite=True or choose another name."
        )
    chains = _sample(W, b, c, batch, gibbs_steps, seed) if chains is None else chains
    chains = _binary(chains, c.size, f"{path}: 'chains'")
    rng: Any = np.random.RandomState(
        seed
    ).get_state()  # MT19937, also the generator of torch on the CPU
    tree: dict[str, Any] = {
        "model_type": "BBRBM",
        "parallel_chains": chains.astype(np.float32),
        # read by rbms 0.1 to 0.5
        "hyperparameters": dict(
            num_visibles=c.size,
            num_hiddens=b.size,
            num_chains=len(chains),
            batch_size=batch,
            gibbs_steps=gibbs_steps,
            learning_rate=learning_rate,
            train_size=train_size,
            seed=seed,
            L1=0.0,
            L2=0.0,
            filename=str(path),
        ),
        # read by rbms 0.6
        "dataset_args": dict(
            use_weights=False,
            train_size=train_size,
            test_size=1 - train_size,
            alphabet="protein",
            remove_duplicates=False,
            seed=seed,
        ),
        "grad_args": dict(
            no_center=False, normalize_grad=False, max_norm_grad=-1.0, L1=0.0, L2=0.0
        ),
        "sampling_args": dict(gibbs_steps=gibbs_steps, beta=1.0),
        "train_args": dict(
            optim="sgd",
            batch_size=batch,
            learning_rate=np.array([learning_rate], np.float32),
            training_type="pcd",
            max_lr=10.0,
        ),
        "save_args": dict(n_save=50, spacing="exp"),
        f"update_{updates}": {
            "params": dict(weight_matrix=W, vbias=c, hbias=b),
            "flags": dict(checkpoint=True),
            "save_checkpoint": True,
            "time": 0.0,
            "effective_time": np.zeros(1),
            "learning_rate": np.array([learning_rate], np.float32),
            "torch_rng_state": _torch_rng_state(seed, rng[1]),
            **{f"numpy_rng_arg{i}": x for i, x in enumerate(rng)},
        },
    }
    part = path.with_name(path.name + ".part")
    try:
        with h5py.File(part, "w") as f:
            _put(f, tree)
            group = f[f"update_{updates}"]
            for name in group["params"]:
                group[name] = group["params"][name]  # a hard link, where older programs look
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _h5py() -> Any:
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            "Files of the rbms package need h5py; run: pip install 'isotherm[hdf5]'"
        ) from error
    return h5py


def _read(f: Any, path: Path, place: str, kind: int | str) -> Any:
    """Read a string, or finite numbers with ``kind`` dimensions, from one place."""
    if not hasattr(f.get(place), "dtype"):
        raise ValueError(
            f"{path}: the dataset '{place}' is missing; save the model again with rbms 0.1 or "
            "later."
        )
    value = f[place][()]
    if kind == "string":
        return value.decode() if isinstance(value, bytes) else str(value)
    if np.ndim(value) != kind or value.dtype.kind not in "fiub" or not np.isfinite(value).all():
        raise ValueError(
            f"{path}: '{place}' must hold finite numbers in {kind} dimension(s), but it does not; "
            "choose another update or save the model again."
        )
    return value.astype(np.float64)


def _binary(chains: Any, n_visible: int, where: str) -> np.ndarray:
    """Return the states as uint8 after a check of shape and values."""
    chains = np.asarray(chains)
    if (
        chains.ndim != 2
        or chains.shape[1] != n_visible
        or len(chains) == 0
        or not np.isin(chains, (0, 1)).all()
    ):
        raise ValueError(
            f"{where} must be states of 0 and 1 with the shape [n_chains, {n_visible}], but the "
            f"shape is {chains.shape} or other values occur; give one row of visible states "
            "per chain."
        )
    return chains.astype(np.uint8)


def _sample(
    W: np.ndarray, b: np.ndarray, c: np.ndarray, count: int, sweeps: int, seed: int
) -> np.ndarray:
    """Draw visible states by Gibbs sweeps from fair coins."""
    rng = np.random.default_rng(seed)
    v = (rng.random((count, c.size)) < 0.5).astype(W.dtype)
    for _ in range(sweeps):  # the chance of a one is (1 + tanh(field / 2)) / 2
        h = (2 * rng.random((count, b.size)) - 1 < np.tanh((b + v @ W) / 2)).astype(W.dtype)
        v = (2 * rng.random((count, c.size)) - 1 < np.tanh((c + h @ W.T) / 2)).astype(W.dtype)
    return v


def _torch_rng_state(seed: int, key: np.ndarray) -> np.ndarray:
    """Return the bytes of ``torch.get_rng_state()`` after ``torch.manual_seed(seed)``."""
    head = np.array([seed, 1 | 1 << 32, 0], "<u8")  # seed; left = 1 and seeded = 1; next = 0
    return np.concatenate([head, key.astype("<u8"), np.zeros(5, "<u8")]).view(np.uint8)


def _put(group: Any, tree: dict[str, Any]) -> None:
    """Write nested dictionaries as groups and all other values as datasets."""
    for name, value in tree.items():
        if isinstance(value, dict):
            _put(group.create_group(name), value)
        else:
            group[name] = value


def _short(updates: tuple[int, ...]) -> str:
    names = [str(u) for u in updates]
    return ", ".join(names if len(names) <= 12 else [*names[:6], "...", *names[-6:]])
