"""What a run writes about itself along the way, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


class History(dict[str, np.ndarray]):
    """A column of numbers for each figure, a row for each interval of the run.

    Figures that were not measured in a row are NaN. Those of the rungs (``betas``, ``f_up``,
    ``swap_rates``) have a column for each rung, cold end first, and NaN where a row has fewer.
    """

    @classmethod
    def of(cls, rows: list[dict[str, Any]]) -> History:
        """From the rows of ``metrics.jsonl``."""
        history = cls()
        history["step"] = np.array([row["step"] for row in rows], dtype=np.int64)
        history["learning_rate"] = np.array([row["learning_rate"] for row in rows], dtype=float)
        for name in ("log_likelihood", "log_likelihood_averaged", "log_likelihood_valid"):
            measured = [row.get(name) or {} for row in rows]
            if any(measured):
                history[name] = _column(measured, "value")
                history[f"{name}_std_error"] = _column(measured, "std_error")
        followed = [row.get("log_z_averaged") or {} for row in rows]
        if any(followed):
            history["log_z_averaged"] = _column(followed, "value")
            history["log_z_averaged_std_error"] = _column(followed, "std_error")
            history["log_z_averaged_round_trips"] = _column(followed, "round_trips")
        ladders = [row.get("ladder") or {} for row in rows]
        if any(ladders):
            history["rungs"] = np.array([len(it.get("betas", ())) for it in ladders])
            for name in ("swap_rate", "return_time_mean", "return_time_sum", "round_trips"):
                history[name] = _column(ladders, name)
            for name in ("betas", "f_up", "swap_rates"):
                history[name] = _table(ladders, name)
        return history

    def to_pandas(self) -> Any:
        """The same as a pandas DataFrame, the columns of rungs as ``betas_0``, ``betas_1``, …"""
        import pandas

        columns = {}
        for name, values in self.items():
            if values.ndim == 1:
                columns[name] = values
            else:
                columns.update({f"{name}_{i}": values[:, i] for i in range(values.shape[1])})
        return pandas.DataFrame(columns).set_index("step")


def _column(rows: list[dict[str, Any]], name: str) -> np.ndarray:
    return np.array([_number(row.get(name)) for row in rows], dtype=float)


def _table(rows: list[dict[str, Any]], name: str) -> np.ndarray:
    lists = [row.get(name) or [] for row in rows]
    table = np.full((len(lists), max(map(len, lists))), np.nan)
    for i, values in enumerate(lists):
        table[i, : len(values)] = [_number(value) for value in values]
    return table


def _number(value: Any) -> float:
    return np.nan if value is None else float(value)


def _numbers(values: list[Any]) -> np.ndarray:
    return np.array([_number(value) for value in values], dtype=float)


@dataclass(frozen=True)
class Ladder:
    """The tempering ladder at the end of a run, cold end first."""

    #: Inverse temperatures, from 1 to 0.
    betas: np.ndarray
    #: Swap rate of each pair of neighbours.
    swap_rates: np.ndarray
    #: The share of replicas on each rung that come from the cold end; NaN where none came by.
    f_up: np.ndarray
    #: Round trips completed in the last fifth of the updates.
    round_trips: int
    #: Mean number of steps of a replica per round trip, or ``None`` if there was none.
    steps_per_round_trip: float | None
    #: Mean of the paper's return-time counters.
    return_time: float

    @classmethod
    def of(cls, summary: dict[str, Any]) -> Ladder | None:
        """From ``summary.json``; nothing for a run without a ladder."""
        if not summary.get("swap_rate"):
            return None
        return cls(
            betas=np.array(summary["betas"]),
            swap_rates=_numbers(summary["swap_rate"]["pairs"]),
            f_up=_numbers(summary["f_up"]),
            round_trips=summary["round_trips"]["count"],
            steps_per_round_trip=summary["round_trips"]["mean_steps"],
            return_time=summary["return_time"]["mean"],
        )

    @classmethod
    def of_row(cls, row: dict[str, Any]) -> Ladder | None:
        """From the last row of ``metrics.jsonl``, where there is no summary."""
        ladder = row.get("ladder")
        if not ladder:
            return None
        return cls(
            betas=np.array(ladder["betas"]),
            swap_rates=_numbers(ladder["swap_rates"]),
            f_up=_numbers(ladder["f_up"]),
            round_trips=ladder["round_trips"],
            steps_per_round_trip=None,
            return_time=ladder["return_time_mean"],
        )
