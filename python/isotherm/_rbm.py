"""The estimator."""

from __future__ import annotations

import textwrap
import warnings
from functools import cached_property
from typing import Any, Callable, Literal

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from isotherm import _data, _diagnostics, _isotherm, _options
from isotherm._history import History, Ladder
from isotherm._inputs import ARRAY, Inputs
from isotherm._likelihood import LogLikelihood, LogZ
from isotherm._parameters import ALIASES, Parameters
from isotherm._plots import Plots
from isotherm._progress import Progress, Stage
from isotherm._report import Report
from isotherm._runs import keep
from isotherm._traces import Traces

#: Options of partial_fit, where the total number of updates is unknown.
ONWARD: dict[str, Any] = {
    "lr_decay": "constant",
    "patience": None,
    "sampling_steps": 0,
    "likelihood_every": 0,
    "metrics_every": 100,
}


#: Units of the smaller layer up to which log Z is enumerated.
EXACT = _isotherm.largest_enumerated()

#: The engine's defaults of the arguments of :meth:`RBM.sample`.
SAMPLE = _options.defaults(_isotherm.sample_table())


class RBM(Inputs, Parameters, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A Restricted Boltzmann Machine, trained by maximum likelihood.

    Negative samples come from a tempered sampler whose ladder tunes itself (SML-APT, Desjardins,
    Courville and Bengio 2010). Arguments have the names and the defaults that the options of
    ``isotherm train`` have for a file; ``None`` leaves the choice to the engine.
{parameters}
    Attributes
    ----------
    components_ : array of shape (hidden, n_features)
        Weights.
    intercept_hidden_ : array of shape (hidden,)
        Biases of the hidden units.
    intercept_visible_ : array of shape (n_features,)
        Biases of the visible units.
    log_z_ : LogZ
        log Z of the model: exact up to 25 units in the smaller layer, else an estimate.
    history_ : History
        What was recorded along the way.
    ladder_ : Ladder or None
        The ladder at the end.
    summary_ : dict
        What ``summary.json`` holds of a run. After :meth:`partial_fit` it is found when it is asked for.
    n_updates_ : int
        Updates done.
    range_ : tuple of float or None
        The values that became 0 and 1: 0 and 255 for bytes, or the range found by ``binarise="auto"``.

    Examples
    --------
    >>> import numpy as np
    >>> from isotherm import RBM
    >>> X = np.array([[1, 1, 0, 0], [0, 0, 1, 1]] * 50)
    >>> rbm = RBM(hidden=2, updates=10000, random_state=1).fit(X)
    >>> print(rbm.log_likelihood(X))  # the best there is: -log 2
    -0.7... nats, exact
    """

    range_: tuple[float, float] | None
    config_: dict[str, Any] | None
    #: The engine while learning is going on.
    _native: _isotherm.Fit | None
    _starts: np.ndarray | None
    averaged_: bool
    #: The checkpoint and the rows of metrics; asked for when they are needed.
    _state: tuple[bytes, list[dict[str, Any]]] | None

    # -- learning ------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, valid: Any = None, test: Any = None) -> RBM:
        """Learns from the rows of ``X``.

        ``valid`` is watched along the way: the model that is best on it is kept. ``test`` is
        measured at the end. Ctrl-C stops soon, keeps what was learned and raises
        ``KeyboardInterrupt``.

        Every diagnostic of the run is an :class:`IsothermWarning`, except those about what an argument
        asks for: that ``callback`` or ``patience`` stopped it early, and that there is no likelihood with
        ``final_likelihood="exact-only"``. ``summary_["diagnostics"]`` has them all.
        """
        X = self._checked(X, reset=True)
        if getattr(y, "shape", ())[1:] == X.shape[1:]:
            warnings.warn("y is not used: give validation data as valid=…", UserWarning, stacklevel=2)
        self.range_ = _data.range_of(X) if self.binarise == "auto" else None
        train, rule = self._examples(X, "X")
        held_out = {
            name: self._held_out(part, name, rule, train)
            for name, part in (("valid", valid), ("test", test))
            if part is not None
        }
        self.range_ = self.range_ or (0.0, train.full)
        self.seed_ = self._seed()
        asked = self._asked(X.shape[0])
        options = self._engine_options(asked, rule, **dict.fromkeys(held_out, ARRAY))
        native = self._begin(options, train, **held_out)
        at_start = native.diagnostics_at_start()
        _diagnostics.warn(at_start, stacklevel=2)
        self._starts = self._some_of(X)
        self._learn(native)
        self._take(native)
        self.summary_ = native.summarise(self._threads())
        later = [it for it in self.summary_["diagnostics"] if it not in at_start]
        _diagnostics.warn([it for it in later if not self._asked_for(it)], stacklevel=2)
        return self

    def _asked_for(self, diagnostic: dict[str, Any]) -> bool:
        """Whether an argument asked for what this is about: ``callback`` or ``patience`` for an early
        stop, ``final_likelihood="exact-only"`` for no estimate."""
        if diagnostic["kind"] == "stopped-early":
            return self.callback is not None or self.patience is not None
        return diagnostic["kind"] == "no-likelihood" and self.final_likelihood == "exact-only"

    def partial_fit(self, X: Any, y: Any = None) -> RBM:
        """Continues training for one pass over the rows of ``X``.

        The learning rate is constant: ``lr_decay``, ``patience`` and ``sampling_steps`` are for
        :meth:`fit`. After :meth:`fit`, training continues from its model, at its initial rate. The rows of the very first call should be typical: the biases and the
        reference of the ladder are set from them.

        >>> import numpy as np
        >>> rbm = RBM(hidden=2, random_state=1)
        >>> for _ in range(3):
        ...     rbm = rbm.partial_fit(np.eye(4))
        >>> rbm.n_updates_
        3
        """
        first = not hasattr(self, "components_")
        X = self._checked(X, reset=first)
        if first:
            self.range_ = _data.range_of(X) if self.binarise == "auto" else None
        train, rule = self._examples(X, "X")
        self.range_ = self.range_ or (0.0, train.full)
        asked = self._asked(X.shape[0])
        batch = self.batch if first or self.config_ is None else self.config_["batch"]
        updates = -(-X.shape[0] // self._batch(batch))
        native = self.__dict__.get("_native")
        if first:
            self.seed_ = self._seed()
            average = 1000 if self.average is None else self.average
            # The first few examples do not tell how many there will be.
            smooth = 0.0 if self.smooth is None else self.smooth
            options = self._engine_options(
                asked, rule, **ONWARD, updates=updates, average=average, smooth=smooth
            )
            native = self._begin(options, train)
        elif self.config_ is None:
            raise ValueError("this model was not trained by isotherm, so its training cannot be continued")
        else:
            lr = self.config_["lr"] if self.lr is None else self.lr
            if native is None or lr != self.config_["lr"]:
                config = {**self.config_, **_options.spelled(ONWARD), "lr": lr}
                checkpoint, rows = self._kept()
                native = _isotherm.Fit.resume(config, checkpoint, rows, train)
            native.learn_from(train, updates)
        if first:  # of the rows that the biases start from
            _diagnostics.warn(native.diagnostics_at_start(), stacklevel=2)
        self._starts = self._some_of(X)
        self._learn(native)
        self._take(native, going_on=True)
        return self

    def _begin(
        self, options: str, train: _isotherm.Examples, **held_out: _isotherm.Examples | None
    ) -> _isotherm.Fit:
        """Learning before its first step. A reference is fitted here, if one is asked for."""
        stage = Stage(self.verbose)
        try:
            threads = self._threads()
            return _isotherm.Fit.begin(
                options, self._given(), train, **held_out, threads=threads, tell=stage
            )
        finally:
            stage.close()

    def _learn(self, native: _isotherm.Fit) -> None:
        """Runs the engine; what was learned is kept if it is interrupted."""
        threads = self._threads()
        progress = Progress(native.step, native.total_steps, self.verbose)

        def tell(row: dict[str, Any] | None, note: str | None) -> None:
            if row is None:
                progress.note(note or "")
                return
            progress.row(row)
            if self.callback is not None and self.callback(row) is False:
                raise _Enough

        try:
            native.run(threads, tell)
        except _Enough:
            pass
        except FloatingPointError:  # there is nothing worth keeping
            raise
        except BaseException:
            self._take(native)
            raise
        finally:
            progress.close()

    def _take(self, native: _isotherm.Fit, going_on: bool = False) -> None:
        """Takes over what the engine has learned. It stays at hand, with its data, while learning
        is going on."""
        for name in ("summary_", "_log_z"):
            self.__dict__.pop(name, None)
        model, averaged = native.parameters()
        self.averaged_ = bool(self.averaged)
        self._set_model(averaged if self.averaged_ else model)
        self.config_ = native.config()
        self.n_updates_ = min(native.step, self.config_["updates"])
        self._native, self._state = native, None
        if not going_on:
            self._kept()
            self._native = None

    def _kept(self) -> tuple[bytes, list[dict[str, Any]]]:
        """The checkpoint and the rows of metrics."""
        if self._state is None:
            assert self._native is not None
            self._state = self._native.checkpoint(), self._native.rows()
        return self._state

    @property
    def _checkpoint(self) -> bytes:
        return self._kept()[0]

    @property
    def _rows(self) -> list[dict[str, Any]]:
        return self._kept()[1]

    def _set_model(self, model: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        weights, hidden, visible = model
        self.components_ = np.ascontiguousarray(weights.T)
        self.intercept_hidden_ = hidden
        self.intercept_visible_ = visible
        self._n_features_out = self.components_.shape[0]

    # -- what was learned ----------------------------------------------------------------------

    def transform(self, X: Any) -> np.ndarray:
        """P(h = 1 | v) of the rows of ``X``. Values between 0 and 1 are taken as means.

        Values outside the range of the data that the model was fitted on are clipped to it, with a warning,
        here as in all methods that do not learn.
        """
        X = self._values(X)
        field = safe_sparse_dot(X, self.components_.T.astype(X.dtype))
        return expit(np.asarray(field) + self.intercept_hidden_.astype(X.dtype))

    def score_samples(self, X: Any) -> np.ndarray:
        """Log-likelihood of each row of ``X``: −F(v) − log Z, with log Z as in ``log_z_``.

        Of values between 0 and 1 it is a lower bound of the mean log-likelihood of zeros and ones
        drawn with them as probabilities (Jensen).
        """
        return -self._free_energy(self._values(X)) - self.log_z_.value

    def score(self, X: Any, y: Any = None) -> float:
        """Mean of :meth:`score_samples`."""
        return float(np.mean(self.score_samples(X)))

    def log_likelihood(
        self,
        X: Any,
        *,
        training: Any = None,
        log_z: Literal["auto", "exact", "estimate"] = "auto",
        quick: bool = False,
        particles: int | None = None,
        steps: int | None = None,
        sampling_steps: int | None = None,
        seed: int = 1,
    ) -> LogLikelihood:
        """Mean log-likelihood of the rows of ``X``, with its bracket.

        log Z is enumerated up to 25 units in the smaller layer. Beyond that it is estimated, as
        ``isotherm evaluate`` does: by annealing up and down component by component, and by BAR on
        the ladders of four samplers, from two mixtures that are fitted to training data
        (``training``, or some rows that :meth:`fit` has kept) and to states that are found from
        starts far apart. If they disagree, or make fewer round trips than there are replicas, the
        samplers continue for four times as long, unless ``sampling_steps`` is given. Grey rows are
        measured on one draw of zeros and ones; :meth:`score` takes them as means.
        """
        rows, rule = self._examples(self._checked(X), "X", learning=False)
        if training is not None:
            known = self._examples(self._checked(training), "training", rule, learning=False)[0]
        else:
            known = self._known_states(enumerated=log_z != "estimate")
        own_samples = training is None and self._starts is None
        particles = _options.whole_or_none("particles", particles)
        steps = _options.whole_or_none("steps", steps)
        sampling_steps = _options.whole_or_none("sampling_steps", sampling_steps)
        seed = _options.whole("seed", seed)
        found = _isotherm.evaluate(
            self._model(),
            known,
            rows,
            log_z,
            quick,
            particles,
            steps,
            sampling_steps,
            seed,
            self._threads(),
            own_samples,
        )
        measured = found["log_likelihood"]
        bounds = {name: measured[name] for name in ("value", "std_error", "lower", "upper")}
        of_examples = measured.get("examples_std_error")
        # An estimate as it is after the measured rows were seen.
        as_measured = LogZ.of(measured.get("log_z") or found["log_z"])
        return LogLikelihood(**bounds, log_z=as_measured, examples_std_error=of_examples)

    @property
    def log_z_(self) -> LogZ:
        """log Z of the model, as it was found at the end of :meth:`fit`, or enumerated now."""
        check_is_fitted(self, "components_")
        if "_log_z" not in self.__dict__:
            self._log_z = self._find_log_z()
        return self._log_z

    def _find_log_z(self) -> LogZ:
        name = "log_likelihood_averaged" if self.averaged_ else "log_likelihood"
        measured = self.__dict__.get("summary_", {}).get(name) or {}
        if measured.get("log_z"):
            return LogZ.of(measured["log_z"])
        found = _isotherm.evaluate(
            self._model(),
            self._known_states(),
            quick=True,
            threads=self._threads(),
            own_samples=self._starts is None,
        )
        return LogZ.of(found["log_z"])

    def _known_states(self, enumerated: bool = True) -> _isotherm.Examples:
        """Typical states for a sampler to start from: some of the training data or, of a model that
        came without any, samples. Where log Z is enumerated, any state will do."""
        if enumerated and min(self.components_.shape) <= EXACT:
            states = np.zeros((1, self.n_features_in_), np.uint8)
        elif (rows := self._known_rows()) is not None:
            return rows
        else:
            states = self.sample(200)
        return _data.examples(states, "states", "as-is")

    def sample(
        self,
        n_samples: int = 1,
        *,
        thin: int = SAMPLE["thin"],
        warm_up: int = SAMPLE["warm_up"],
        seed: int | None = None,
    ) -> np.ndarray:
        """Draws samples of the model, as uint8, by a tempered sampler.

        The ladder adapts for ``warm_up`` steps and is then fixed; each column gives a sample every
        ``thin`` steps. The same ``seed`` gives the same samples; by default it is the seed of the
        model.

        The second half of the samples comes from a second sampler, with another reference or other
        first states. Both halves are assigned to clusters of the training data: an
        :class:`IsothermWarning` tells if the two disagree about the weights of these, or if the
        weights are not those of the data.
        """
        check_is_fitted(self, "components_")
        n_samples = _options.whole("n_samples", n_samples, least=1)
        thin, warm_up = _options.whole("thin", thin, least=1), _options.whole("warm_up", warm_up)
        seed = self._seed_of_samples(seed)
        if self.config_ is None:
            samples, diagnostics = _isotherm.sample_model(
                self._model(), n_samples, thin, warm_up, seed, self._threads(), self._known_rows()
            )
        else:
            samples, _, diagnostics = self._sampled(n_samples, thin, warm_up, seed, False)
        _diagnostics.warn(diagnostics, stacklevel=2)
        return samples

    def _sampled(
        self, n: int, thin: int, warm_up: int, seed: int, traced: bool
    ) -> tuple[Any, Any, list[dict[str, Any]]]:
        config, checkpoint, threads = self.config_, self._checkpoint, self._threads()
        assert config is not None
        rows = None if traced else self._known_rows()
        return _isotherm.sample_checkpoint(
            config, checkpoint, n, thin, warm_up, seed, self.averaged_, traced, threads, rows
        )

    def _known_rows(self) -> _isotherm.Examples | None:
        """Some of the training data, if the model has them."""
        if self._starts is None:
            return None
        rows = np.unpackbits(self._starts, axis=1, count=self.n_features_in_)
        return _data.examples(rows, "states", "as-is")

    def _seed_of_samples(self, seed: int | None) -> int:
        return self.__dict__.get("seed_", 1) if seed is None else _options.whole("seed", seed)

    def traces(
        self, steps: int = 1000, *, warm_up: int = SAMPLE["warm_up"], seed: int | None = None
    ) -> Traces:
        """Follows the replicas of the tempered sampler for ``steps`` steps; ``.to_arviz()`` makes
        an ArviZ dataset of it."""
        check_is_fitted(self, "components_")
        if self.config_ is None:
            raise ValueError("this model was not trained by isotherm, so it has no replicas to trace")
        steps, warm_up = _options.whole("steps", steps, 1), _options.whole("warm_up", warm_up)
        return Traces.of(self, steps, warm_up, self._seed_of_samples(seed))

    def gibbs(self, v: Any, *, steps: int = 1, random_state: Any = None) -> np.ndarray:
        """``steps`` steps of Gibbs sampling from the rows of ``v``, at β = 1 without a ladder."""
        rng = check_random_state(self.random_state if random_state is None else random_state)
        v = self._values(v)
        for _ in range(_options.whole("steps", steps, least=1)):
            h = rng.random_sample((v.shape[0], len(self.components_))) < self._hidden_mean(v)
            v = rng.random_sample(v.shape) < self._visible_mean(h)
        return v.astype(np.uint8)

    def reconstruct(self, X: Any) -> np.ndarray:
        """P(v = 1 | h) with the hidden units at their means given the rows of ``X``."""
        return self._visible_mean(self._hidden_mean(self._values(X)))

    def free_energy(self, X: Any) -> np.ndarray:
        """F(v) = −c·v − Σ log(1 + e^(b + vW)) of the rows of ``X``."""
        return self._free_energy(self._values(X))

    def _hidden_mean(self, v: Any) -> np.ndarray:
        return expit(safe_sparse_dot(v, self.components_.T) + self.intercept_hidden_)

    def _visible_mean(self, h: np.ndarray) -> np.ndarray:
        return expit(h @ self.components_ + self.intercept_visible_)

    def _free_energy(self, X: Any) -> np.ndarray:
        weights, hidden = self.components_.T.astype(float), self.intercept_hidden_.astype(float)
        field = np.asarray(safe_sparse_dot(X, weights)) + hidden
        by_bias = np.asarray(safe_sparse_dot(X, self.intercept_visible_.astype(float)))
        return -by_bias - np.logaddexp(0, field).sum(axis=1)

    # -- watching ------------------------------------------------------------------------------

    @cached_property
    def summary_(self) -> dict[str, Any]:
        """What ``summary.json`` holds of a run: :meth:`fit` leaves it here.

        After :meth:`partial_fit` it is found when it is asked for, because its likelihoods take a while:
        they are of the rows of the last call.
        """
        check_is_fitted(self, "components_")
        native = self.__dict__.get("_native")
        if native is None:
            raise AttributeError(
                "there is no summary of this model. After partial_fit, ask for it before the model is saved or "
                "copied; an interrupted fit and a bare model file have none"
            )
        return dict(native.summarise(self._threads()))

    @property
    def history_(self) -> History:
        """What was recorded along the way: a dict of arrays, with ``to_pandas()``."""
        check_is_fitted(self, "components_")
        return History.of(self._rows)

    @property
    def ladder_(self) -> Ladder | None:
        """The ladder at the end; ``None`` without one."""
        check_is_fitted(self, "components_")
        if "summary_" in self.__dict__:
            return Ladder.of(self.summary_)
        return Ladder.of_row(self._rows[-1]) if self._rows else None

    @property
    def plot(self) -> Plots:
        """Figures by matplotlib: ``rbm.plot.likelihood()``, ``.ladder()``, ``.flow()``, …"""
        check_is_fitted(self, "components_")
        return Plots(self)

    def report(self) -> Report:
        """The report of the command line, shown inline by a notebook; ``.save(path)`` writes it."""
        check_is_fitted(self, "components_")
        return Report.of(self)

    # -- keeping -------------------------------------------------------------------------------

    def save(self, path: Any, *, overwrite: bool = False) -> None:
        """Writes the folder of a run, as ``isotherm train`` does.

        ``isotherm sample``, ``evaluate --data`` and ``report`` work on it, :func:`isotherm.load`
        reads it, and ``model.safetensors`` in it reads with the ``safetensors`` package. The data
        are not kept with it.
        """
        check_is_fitted(self, "components_")
        keep(self, path, overwrite)

    def __getstate__(self) -> dict[str, Any]:
        if "_state" not in self.__dict__:
            return dict(super().__getstate__())
        self._kept()
        return {**super().__getstate__(), "_native": None}

    # -- scikit-learn --------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments, each under its first name: ``hidden`` and not ``n_components`` too."""
        found = super().get_params(deep)
        return {name: value for name, value in found.items() if name not in ALIASES}

    def set_params(self, **params: Any) -> RBM:
        """Sets arguments by any of their names."""
        for alias, name in ALIASES.items():
            if alias in params:
                other = params.pop(alias)
                params[name] = _options.one_of(name, params.get(name), None, alias, other)
        super().set_params(**params)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "components_")

    def _model(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        single = lambda array: np.asarray(array, dtype=np.float32)
        weights = single(self.components_.T)
        return weights, single(self.intercept_hidden_), single(self.intercept_visible_)


if RBM.__doc__ and Parameters.__init__.__doc__:
    _parameters = textwrap.indent(textwrap.dedent(Parameters.__init__.__doc__), " " * 4)
    RBM.__doc__ = RBM.__doc__.format(parameters=_parameters)


class _Enough(Exception):
    """A callback said that this is enough."""
