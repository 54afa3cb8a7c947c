"""Models as files: folders of runs, model files, and the files of the PyTorch package ``rbms``."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
from sklearn.utils.validation import check_is_fitted

from isotherm import _diagnostics, _isotherm, _options
from isotherm._parameters import OPTIONS

if TYPE_CHECKING:
    from isotherm._rbm import RBM


def load(path: Any, *, averaged: bool = True) -> RBM:
    """Reads the folder of a run, or a safetensors file with ``W`` [visible, hidden], ``b``, ``c``.

    ``averaged`` chooses the averaged parameters where there are some.
    """
    from isotherm._rbm import RBM

    path = Path(path)
    if path.is_file():
        model, averaged_model = _isotherm.load_model(path)
        return of_arrays(*(averaged_model if averaged and averaged_model else model))
    run, model, averaged_model = _isotherm.load_run(path)
    config, checkpoint, rows, summary, about, diagnostics = run
    if about is None:  # a run of the command line
        known = {name.replace("-", "_"): value for name, value in config.items()}
        arguments = {name: known[name] for name in OPTIONS if name in known}
        rbm = RBM(**arguments, random_state=config["seed"])
        rbm.range_ = (0.0, 1.0) if config["binarise"] == "as-is" else None  # not written down
        rbm._starts = None
    else:
        rbm = _as_it_was(about)
    rbm.averaged = rbm.averaged_ = averaged
    rbm.seed_, rbm.config_ = config["seed"], config
    rbm._set_model(averaged_model if averaged else model)
    rbm.n_features_in_ = rbm.components_.shape[1]
    if rbm._starts is not None:
        rbm._starts = rbm._starts.reshape(-1, -(-rbm.n_features_in_ // 8))
    rbm._native, rbm._state = None, (checkpoint, rows)
    rbm.n_updates_ = rbm._rows[-1]["step"] if rbm._rows else 0
    if summary is not None:
        rbm.summary_ = summary
        rbm.n_updates_ = rbm.summary_["updates"]
    _diagnostics.warn(diagnostics, stacklevel=2)
    return rbm


def of_arrays(weights: np.ndarray, hidden: np.ndarray, visible: np.ndarray) -> RBM:
    """A model that was made elsewhere: W [visible, hidden], b and c."""
    from isotherm._rbm import RBM

    rbm = RBM(hidden=int(weights.shape[1]))
    weights, hidden, visible = (np.asarray(it, np.float32) for it in (weights, hidden, visible))
    rbm._set_model((weights, hidden, visible))
    rbm.n_features_in_ = int(weights.shape[0])
    rbm.config_, rbm.n_updates_, rbm.range_ = None, 0, (0.0, 1.0)
    rbm._starts, rbm.averaged_ = None, True
    rbm._native, rbm._state = None, (b"", [])
    return rbm


def keep(rbm: RBM, path: Any, overwrite: bool) -> None:
    """Writes the folder of a run."""
    if rbm.config_ is None:
        raise ValueError(
            "this model was not trained by isotherm, so there is no run to save; save_rbms writes its "
            "parameters"
        )
    _isotherm.keep_run(
        Path(path),
        rbm.config_,
        rbm._checkpoint,
        rbm._rows,
        rbm.__dict__.get("summary_"),
        _about(rbm),
        overwrite,
    )


#: Characters of text that the header of a checkpoint has room for.
ROOM = 1 << 20


def _about(rbm: RBM) -> dict[str, Any]:
    """What only Python needs to restore the estimator."""
    arguments = {name: _options.plain(value) for name, value in rbm.get_params().items()}
    plain = (str, int, float, bool, tuple, type(None))
    names = getattr(rbm, "feature_names_in_", None)
    starts = None if rbm._starts is None else base64.b64encode(rbm._starts.tobytes()).decode()
    return {
        "arguments": {name: it for name, it in arguments.items() if isinstance(it, plain)},
        "range": rbm.range_,
        "columns": None if names is None else list(names),
        "starts": starts if starts is not None and len(starts) < ROOM else None,
    }


def _as_it_was(about: dict[str, Any]) -> RBM:
    """The estimator that was saved, but for what it has learned."""
    from isotherm._rbm import RBM

    # JSON has lists for tuples.
    of_json: Callable[[Any], Any] = lambda value: tuple(value) if isinstance(value, list) else value
    rbm = RBM(**{name: of_json(value) for name, value in about["arguments"].items()})
    rbm.range_ = None if about["range"] is None else tuple(about["range"])
    if about["columns"] is not None:
        rbm.feature_names_in_ = np.array(about["columns"], dtype=object)
    rbm._starts = None
    if about["starts"] is not None:
        rbm._starts = np.frombuffer(base64.b64decode(about["starts"]), np.uint8)
    return rbm


def load_rbms(path: Any, *, update: int | None = None) -> RBM:
    """Reads a model that the PyTorch package ``rbms`` wrote (HDF5), by default its last update."""
    from isotherm._rbms_hdf5 import read_rbms

    found = read_rbms(path, update)
    return of_arrays(found.W, found.b, found.c)


def save_rbms(rbm: RBM, path: Any, *, chains: int = 100, overwrite: bool = False) -> None:
    """Writes a model as the PyTorch package ``rbms`` does (HDF5), with samples as its chains."""
    from isotherm._rbms_hdf5 import write_rbms

    check_is_fitted(rbm)
    weights, hidden, visible = rbm._model()
    samples = rbm.sample(_options.whole("chains", chains, least=1))
    updates = max(1, rbm.n_updates_)
    write_rbms(path, weights, hidden, visible, chains=samples, updates=updates, overwrite=overwrite)
