"""Where the replicas of a tempered sampler go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from isotherm._rbm import RBM


@dataclass(frozen=True)
class Traces:
    """A tempered sampler, step by step, on a ladder that stays as it is."""

    #: Free energy at the cold end: [column, step].
    free_energy: np.ndarray
    #: The rung of each replica, cold end = 0: [replica, step].
    rungs: np.ndarray
    #: The ladder, cold end first.
    betas: np.ndarray
    #: Round trips that all replicas completed.
    round_trips: int

    @classmethod
    def of(cls, rbm: RBM, steps: int, warm_up: int, seed: int) -> Traces:
        """Follows the sampler of a model."""
        # One sample tells how many columns there are.
        _, (_, columns, _, _), _ = rbm._sampled(1, 1, 0, seed, True)
        # Traces show for themselves how replicas travel.
        samples, figures, _ = rbm._sampled(steps * columns, 1, warm_up, seed, True)
        round_trips, _, betas, rungs = figures
        by_step = [rbm._free_energy(rows.astype(float)) for rows in np.split(samples, steps)]
        return cls(
            free_energy=np.stack(by_step, axis=1),
            rungs=rungs.reshape(steps, -1).T,
            betas=betas,
            round_trips=round_trips,
        )

    def to_arviz(self) -> Any:
        """The same for ArviZ: ``free_energy`` with a chain for each column, and the ``rung`` of each
        replica."""
        try:
            import arviz
        except ImportError:
            raise ImportError("this needs ArviZ: pip install 'isotherm[arviz]'") from None
        groups: dict[str, Any] = {
            "posterior": {"free_energy": self.free_energy},
            "sample_stats": {"rung": self.rungs.T[None]},
        }
        dims = {"rung": ["replica"]}
        if int(arviz.__version__.split(".")[0]) >= 1:
            return arviz.from_dict(groups, dims=dims)
        return arviz.from_dict(**groups, dims=dims)
