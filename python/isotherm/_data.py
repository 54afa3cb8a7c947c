"""Arrays as the engine takes them: one bit a value, or grey values with a rule."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from scipy import sparse

from isotherm import _isotherm

#: The types that are handed over as they are.
DTYPES = [np.float64, np.float32, np.uint8, np.bool_]

#: The share of a range by which rounding takes values out of it.
ROUNDING = 1e-5


def canonical(X: Any) -> Any:
    """A sparse matrix without duplicate entries; copied if it has to be changed."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def rule_for(X: Any, binarise: str) -> str:
    """What ``binarise="auto"`` means for these values.

    Zeros and ones are taken as they are. Anything else is a probability, which is what
    scikit-learn's ``BernoulliRBM`` makes of it too: it is drawn again in every epoch.
    """
    if not isinstance(binarise, str):
        raise ValueError(f"binarise={binarise!r} must be a word such as 'auto' or 'threshold:0.5'")
    if binarise != "auto":
        try:
            threshold_of(binarise)
        except ValueError as error:  # no rule of the engine
            raise ValueError(f"{error}; 'auto' chooses a rule for the values") from None
        return binarise
    values = X.data if sparse.issparse(X) else X
    if values.dtype == np.bool_ or np.all((values == 0) | (values == 1)):
        return "as-is"
    return "dynamic"


def is_whole(X: Any) -> bool:
    """Whether all values are whole numbers."""
    values = X.data if sparse.issparse(X) else X
    return bool(np.all(values == np.floor(values)))


def threshold_of(binarise: str) -> float | None:
    """The threshold of a rule that has one."""
    return None if binarise == "auto" else _isotherm.threshold_of(binarise)


def range_of(X: Any) -> tuple[float, float]:
    """The range that values are scaled from: 0 to 1 where they lie in it, else their own."""
    if X.dtype == np.bool_ or X.shape[0] == 0:
        return 0.0, 1.0
    low, high = float(X.min()), float(X.max())
    if low >= -ROUNDING and high <= 1 + ROUNDING:
        return 0.0, 1.0
    _warn(
        f"X has values from {low:.4g} to {high:.4g}; they are scaled to 0 and 1 and taken as "
        "probabilities. Scale the data yourself, or name a rule such as binarise='threshold:0.5'"
    )
    return low, high if high > low else low + 1.0


def scaled(X: Any, bounds: tuple[float, float], name: str = "X", learning: bool = False) -> Any:
    """Values as shares of a range. Those outside it are clipped, with a warning.

    What is learned from must mean the same as the data before: while learning, values beyond 0 and 1 are
    an error if the model was fitted on values between them.
    """
    low, high = bounds
    if X.dtype == np.bool_:
        return X
    if sparse.issparse(X) and low != 0:
        return scaled(X.toarray(), bounds, name, learning)
    _check_range(X, low, high, name, learning)
    if sparse.issparse(X):
        if (low, high) == (0.0, 1.0) and (not X.nnz or (X.data.min() >= 0 and X.data.max() <= 1)):
            return X
        X = X.copy()
        X.data = np.clip(X.data / high, 0, 1)
        return X
    if (low, high) == (0.0, 1.0):
        inside = X.size == 0 or (X.min() >= 0 and X.max() <= 1)
        return X if inside else np.clip(X, 0, 1)
    floating = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
    low_, width = np.asarray(low, floating), np.asarray(high - low, floating)
    return np.clip((X - low_) / width, 0, 1)


def _check_range(X: Any, low: float, high: float, name: str, learning: bool) -> None:
    if 0 in X.shape:
        return
    smallest, largest = float(X.min()), float(X.max())
    rounding = ROUNDING * (high - low)
    if low - rounding <= smallest and largest <= high + rounding:
        return
    found = f"{name} has values from {smallest:.4g} to {largest:.4g}"
    if learning and (low, high) == (0.0, 1.0):
        raise ValueError(
            f"{found}, but the model was fitted on values from 0 to 1; scale them likewise"
        )
    _warn(
        f"{found}, beyond those of the data it was fitted on, {low:.4g} to {high:.4g}; values "
        "outside are clipped"
    )


def _warn(sentence: str) -> None:
    """Warns at the line of who called, also if that was through a pipeline of scikit-learn."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals["__name__"].split(".")[0] in ("isotherm", "sklearn"):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, UserWarning, stacklevel=level)


def examples(
    X: Any, name: str, binarise: str, data_seed: int = 1, like: Any = None
) -> _isotherm.Examples:
    """Packs an array. ``like`` are examples whose values mean the same."""
    if sparse.issparse(X):
        X = sparse.csr_array(X)
        if binarise == "as-is" and np.all((X.data == 0) | (X.data == 1)):
            if not X.data.all():
                X = X.copy()
                X.eliminate_zeros()
            indptr, indices = X.indptr.astype(np.int64), X.indices.astype(np.int64)
            return _isotherm.Examples.of_ones(indptr, indices, X.shape[1], name)
        X = X.toarray()
    if X.dtype == np.bool_:
        X = X.view(np.uint8)
    if X.dtype == np.uint8:
        return _isotherm.Examples.of_uint8(X, name, binarise, data_seed, like)
    if X.dtype == np.float32:
        return _isotherm.Examples.of_float32(X, name, binarise, data_seed, like)
    return _isotherm.Examples.of_float64(
        X.astype(np.float64, copy=False), name, binarise, data_seed, like
    )
