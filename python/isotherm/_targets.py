"""Sampling a user-defined energy on a ladder that tunes itself."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np

from isotherm import _isotherm, _options
from isotherm._diagnostics import IsothermWarning
from isotherm._history import _numbers


class Quadratic:
    """An energy of second degree over zeros and ones, swept with fields that follow each flip.

    >>> import numpy as np
    >>> two = Quadratic.qubo([[-1.0, 2.0], [0.0, -1.0]])
    >>> two.energies(np.array([[0, 0], [1, 0], [1, 1]]))
    array([ 0., -1.,  0.])
    """

    def __init__(self, native: _isotherm.Quadratic, made_by: tuple[str, tuple[Any, ...]]) -> None:
        self._native = native
        #: The method that makes it and what that was given: what a pickle holds.
        self._made_by = made_by

    def __reduce__(self) -> tuple[Any, ...]:
        name, given = self._made_by
        return getattr(type(self), name), given

    def __repr__(self) -> str:
        return f"<Quadratic energy of {self.n} variables>"

    @classmethod
    def qubo(cls, Q: Any) -> Quadratic:
        """E(x) = xᵀQx, x of zeros and ones; a pair costs Q_ij + Q_ji."""
        Q = np.array(Q, dtype=float, order="C")  # its own, which nobody changes
        if Q.ndim != 2 or Q.shape[0] != Q.shape[1]:
            raise ValueError(f"Q must be a square matrix, not of shape {Q.shape}")
        return cls(_isotherm.Quadratic.from_qubo(Q), ("qubo", (Q,)))

    @classmethod
    def ising(cls, J: Any, h: Any = None) -> Quadratic:
        """E(s) = −Σ J_ij s_i s_j − Σ h_i s_i over the pairs, s = 2x − 1.

        ``J`` is a matrix, symmetric or of one triangle; for a few bonds among many spins see
        :meth:`ising_bonds`.
        """
        matrix = np.array(J, dtype=float, order="C")
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"J must be a square matrix, not of shape {matrix.shape}")
        fields = np.zeros(len(matrix)) if h is None else np.array(h, dtype=float)
        native = _isotherm.Quadratic.from_couplings(matrix, fields)
        return cls(native, ("ising", (matrix, fields)))

    @classmethod
    def ising_bonds(cls, bonds: Sequence[tuple[int, int, float]], h: Any) -> Quadratic:
        """The same with the pairs named one by one, ``(i, j, J_ij)``; ``h`` has a field a spin."""
        pairs = [(int(i), int(j), float(coupling)) for i, j, coupling in bonds]
        fields = np.array(h, dtype=float)
        return cls(_isotherm.Quadratic.from_bonds(pairs, fields), ("ising_bonds", (pairs, fields)))

    @property
    def n(self) -> int:
        """Number of variables."""
        return self._native.n

    def energies(self, states: Any) -> np.ndarray:
        """Energies of rows of zeros and ones."""
        states = np.asarray(states)
        if states.ndim != 2 or states.shape[1] != self.n or not np.isin(states, (0, 1)).all():
            raise ValueError(f"states must be rows of {self.n} zeros and ones")
        return self._native.energies(np.ascontiguousarray(states, dtype=np.uint8))


@dataclass(frozen=True)
class Estimate:
    """A figure with its error."""

    value: float
    std_error: float
    #: Ends of the 95 % interval.
    lower: float
    upper: float

    @classmethod
    def of(cls, found: dict[str, Any]) -> Estimate:
        """From what the engine tells."""
        return cls(**{name: found[name] for name in ("value", "std_error", "lower", "upper")})


@dataclass(frozen=True)
class TargetSamples:
    """Samples of an energy, with log Z and statistics of the ladder."""

    #: Rows of zeros and ones, uint8.
    states: np.ndarray
    #: Their energies.
    energies: np.ndarray
    #: log Z by Bennett's acceptance ratio; ``None`` if it was not asked for.
    log_z: Estimate | None
    #: log Z by stepping stones from the reference and from the cold end: bounds from below and above.
    log_z_bounds: tuple[Estimate, Estimate] | None
    #: Mean energy at β = 1 over all steps after the warm-up.
    mean_energy: Estimate | None
    #: The ladder, cold end first.
    betas: np.ndarray
    swap_rates: np.ndarray
    f_up: np.ndarray
    round_trips: int
    #: Whether there is no reason against the figures, and a sentence that says so.
    converged: bool
    verdict: str


#: The engine's defaults.
DEFAULTS = _isotherm.target_defaults()


def sample_target(
    energy: Quadratic | Callable[[np.ndarray], Any],
    n: int | None = None,
    *,
    n_samples: int = DEFAULTS["n_samples"],
    columns: int = DEFAULTS["columns"],
    warm_up: int = DEFAULTS["warm_up"],
    thin: int = DEFAULTS["thin"],
    rungs: int = DEFAULTS["rungs"],
    log_z_steps: int = DEFAULTS["log_z_steps"],
    seed: int = DEFAULTS["seed"],
    threads: int | None = None,
    callback: Callable[[float], Any] | None = None,
) -> TargetSamples:
    """Samples exp(−E(x)) over binary states x, with log Z.

    ``energy`` is a :class:`Quadratic`, or a function that takes an array of states (float64, a row
    each) and returns their energies; ``n`` is then the number of variables. The ladder goes from
    β = 1 to the uniform distribution at β = 0. It is tuned for ``warm_up`` steps and then fixed.
    ``callback`` is called with the share that is done, at intervals; an exception stops the sampler.

    >>> import numpy as np
    >>> def field(x):  # three free spins
    ...     return -(x @ np.array([1.0, 2.0, 3.0]))
    >>> found = sample_target(field, n=3, n_samples=200, warm_up=300, log_z_steps=300)
    >>> exact = np.log1p(np.exp([1.0, 2.0, 3.0])).sum()
    >>> bool(abs(found.log_z.value - exact) < 0.1)
    True
    """
    native: _isotherm.Quadratic | Callable[[np.ndarray], Any]
    if isinstance(energy, Quadratic):
        native, n = energy._native, energy.n
    elif not callable(energy):
        raise TypeError(f"energy must be a Quadratic or a function, not {energy!r}")
    elif n is None:
        raise ValueError("n is missing: give the number of variables of a state")
    else:
        native = energy
    states, energies, found = _isotherm.sample_target(
        native,
        _options.whole("n", n, least=1),
        _options.whole("n_samples", n_samples),
        _options.whole("columns", columns, least=1),
        _options.whole("warm_up", warm_up),
        _options.whole("thin", thin, least=1),
        _options.whole("rungs", rungs, least=2),
        _options.whole("log_z_steps", log_z_steps),
        _options.whole("seed", seed),
        _options.whole_or_none("threads", threads),
        callback,
    )
    log_z, verdict = found["log_z"], found["verdict"]
    if not verdict["converged"]:
        warnings.warn(
            IsothermWarning(verdict["sentence"], "not-converged", {"verdict": verdict}), stacklevel=2
        )
    return TargetSamples(
        states=states,
        energies=energies,
        log_z=log_z and Estimate.of(log_z["bar"]),
        log_z_bounds=log_z and (Estimate.of(log_z["up"]), Estimate.of(log_z["down"])),
        mean_energy=found["mean_energy"] and Estimate.of(found["mean_energy"]),
        betas=_numbers(found["betas"]),
        swap_rates=_numbers(found["swap_rates"]),
        f_up=_numbers(found["f_up"]),
        round_trips=found["round_trips"],
        converged=verdict["converged"],
        verdict=verdict["sentence"],
    )
