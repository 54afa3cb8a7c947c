"""The inputs of the engine: arguments, and arrays of examples."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from isotherm import _data, _isotherm, _options
from isotherm._parameters import OPTIONS, SYNONYMS, Parameters

#: What a run calls examples that came as an array.
ARRAY = "an array in memory"

#: Training examples that an estimator keeps, to start samplers from and to know the clusters of the data.
MOST_KEPT = 3000


class Inputs:
    """The part of the estimator that turns arguments and arrays into what the engine takes."""

    binarise: str
    updates: int | None
    epochs: int | None
    batch: int | None
    data_seed: int
    random_state: Any
    threads: int | None
    seed_: int
    range_: tuple[float, float] | None
    n_features_in_: int

    def _asked(self, rows: int) -> dict[str, Any]:
        """The options of the engine in its words. ``rows`` are those of a pass over the data."""
        asked = {name: getattr(self, name) for name in OPTIONS}
        if self.epochs is not None:
            if self.updates is not None:
                raise ValueError(
                    f"updates={self.updates!r} and epochs={self.epochs!r} (or n_iter) both say how long to "
                    "learn: give one"
                )
            passes = _options.whole("epochs", self.epochs, least=1)
            # A minibatch may span two passes.
            asked["updates"] = -(-passes * rows // self._batch(self.batch))
        for name, words in SYNONYMS.items():
            asked[name] = words.get(str(asked[name]), asked[name])
        asked["shape"] = _options.shape_text(asked["shape"])
        return asked

    def _batch(self, batch: Any) -> int:
        batch = _options.DEFAULTS["batch"] if batch is None else batch
        return _options.whole("batch", batch, least=1)

    def _engine_options(self, asked: dict[str, Any], rule: str, **others: Any) -> str:
        options = {**asked, "train": ARRAY, "seed": self.seed_, "binarise": rule, **others}
        return _options.as_json(options)

    def _given(self) -> list[str]:
        """The options that the caller chose, under the names that the engine has for them."""
        defaults = signature(Parameters.__init__).parameters
        values = {name: _options.plain(getattr(self, name)) for name in OPTIONS}
        given = {name: it for name, it in values.items() if it != defaults[name].default}
        if self.epochs is not None:
            given["updates"] = self.epochs
        return list(_options.spelled(given))

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            return _options.whole("random_state", self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _threads(self) -> int | None:
        return _options.whole_or_none("threads", self.threads)

    def _checked(self, X: Any, reset: bool = False) -> Any:
        if not reset:
            check_is_fitted(self, "components_")
        # Of a single example nothing can be learned: no column changes.
        fewest = 2 if reset else 1
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=_data.DTYPES,
            reset=reset,
            ensure_min_samples=fewest,
        )
        return _data.canonical(X)

    def _values(self, X: Any) -> Any:
        """Rows as numbers between 0 and 1, after the rule."""
        X = self._checked(X)
        low, high = self._range(X)
        threshold = _data.threshold_of(self.binarise)
        if threshold is not None:
            above = X > high * threshold
            return above.astype(X.dtype if X.dtype == np.float32 else np.float64)
        X = _data.scaled(X, (low, high))
        return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)

    def _range(self, X: Any) -> tuple[float, float]:
        """The values that count as 0 and 1. For a model read from a file they are unknown, and are
        guessed from ``X``, as the engine does."""
        if self.range_ is not None:
            return self.range_
        try:
            return 0.0, _data.examples(X, "X", self.binarise).full
        except ValueError:
            if _data.is_whole(X):  # other than bytes
                raise
            return 0.0, 1.0  # fractions, of which some lie outside

    def _examples(
        self,
        X: Any,
        name: str,
        rule: str | None = None,
        like: Any = None,
        learning: bool = True,
    ) -> tuple[_isotherm.Examples, str]:
        """Rows for the engine, and the rule by which they become zeros and ones."""
        low, high = self.range_ or (0.0, 1.0)
        clipped = not learning and self.range_ and _data.threshold_of(self.binarise) is None
        if self.binarise == "auto" or clipped:
            X = _data.scaled(X, (low, high), name, learning)
        elif high != 1:
            X = X / high
        rule = _data.rule_for(X, self.binarise) if rule is None else rule
        seed = _options.whole("data_seed", self.data_seed)
        return _data.examples(X, name, rule, seed, like), rule

    def _held_out(self, X: Any, name: str, rule: str, like: Any) -> _isotherm.Examples | None:
        if X is None:
            return None
        try:
            X = validate_data(self, X, accept_sparse="csr", dtype=_data.DTYPES, reset=False)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        X = _data.canonical(X)
        return self._examples(X, name, rule, like)[0]

    def _some_of(self, X: Any) -> np.ndarray:
        """Some rows as bits, eight in a byte: a random choice, because files may repeat themselves."""
        if X.shape[0] > MOST_KEPT:
            X = X[np.sort(np.random.default_rng(0).choice(X.shape[0], MOST_KEPT, replace=False))]
        X = X.toarray() if sparse.issparse(X) else X
        low, high = self.range_ or (0.0, 1.0)
        return np.packbits(X > low + 0.5 * (high - low), axis=1)
