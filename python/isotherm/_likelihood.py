"""Likelihoods and log Z with what is known of their errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class LogZ:
    """log Z: enumerated, or estimated from both sides."""

    value: float
    std_error: float
    lower: float
    upper: float
    #: ``"exact"``, or how it was estimated.
    method: str
    #: Whether the estimate can be relied on; always for an exact one.
    converged: bool
    #: That in a sentence.
    verdict: str
    #: All figures of the estimate, as ``summary.json`` has them.
    details: dict[str, Any] = field(repr=False, compare=False, default_factory=dict)

    @classmethod
    def of(cls, found: dict[str, Any]) -> LogZ:
        """From what the engine found."""
        verdict = found.get("verdict") or {"converged": True, "sentence": "exact"}
        return cls(
            value=found["value"],
            std_error=found["std_error"],
            lower=found["lower"],
            upper=found["upper"],
            method=found.get("method", "ais-bar-bracket"),
            converged=verdict["converged"],
            verdict=verdict["sentence"],
            details=found,
        )


@dataclass(frozen=True)
class LogLikelihood:
    """A mean log-likelihood in nats per example, with its bracket."""

    value: float
    std_error: float
    #: Lower end of the bracket; the value itself where log Z is exact.
    lower: float
    #: Upper end of it.
    upper: float
    log_z: LogZ
    #: The standard error of the mean over other examples like these rows. The other figures are about
    #: exactly these rows and do not include it.
    examples_std_error: float | None = None

    @property
    def converged(self) -> bool:
        """Whether log Z can be relied on."""
        return self.log_z.converged

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        if self.log_z.method == "exact":
            return f"{self.value:.4f} nats, exact"
        # As many digits as the error leaves certain.
        digits = 2 if self.std_error >= 0.01 else 3 if self.std_error >= 0.001 else 4
        return (
            f"{self.value:.{digits}f} ± {self.std_error:.{digits}f} nats, between "
            f"{self.lower:.{digits}f} and {self.upper:.{digits}f}; {self.log_z.verdict}"
        )
