"""Figures by matplotlib. Each method draws on ``ax``, or on a new figure, and returns the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isotherm import _options

if TYPE_CHECKING:
    from isotherm._rbm import RBM

#: The shape of images: ``(width, height)``, or both as text: ``"28x20"``.
Shape = tuple[int, int] | str


def _axes(ax: Any, size: tuple[float, float] = (6.4, 4.0)) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("figures need matplotlib: pip install 'isotherm[plot]'") from None
    return plt.subplots(figsize=size, layout="constrained")[1]


class Plots:
    """What can be drawn of a model."""

    def __init__(self, rbm: RBM) -> None:
        self._rbm = rbm

    def likelihood(self, ax: Any = None) -> Any:
        """Log-likelihood along the run, with a band of two standard errors."""
        history = self._rbm.history_
        names = {
            "log_likelihood": "train",
            "log_likelihood_averaged": "train, averaged",
            "log_likelihood_valid": "valid",
        }
        if not any(name in history for name in names):
            raise ValueError("no likelihood was recorded along the way: see likelihood_every")
        ax = _axes(ax)
        for name, label in names.items():
            if name not in history:
                continue
            measured = np.isfinite(history[name])
            step, value = history["step"][measured], history[name][measured]
            error = 2 * history[f"{name}_std_error"][measured]
            (line,) = ax.plot(step, value, label=label)
            band, color = (value - error, value + error), line.get_color()
            ax.fill_between(step, *band, color=color, alpha=0.2, lw=0)
        ax.set(xlabel="updates", ylabel="log-likelihood (nats)")
        ax.legend()
        return ax

    def ladder(self, ax: Any = None) -> Any:
        """The rungs along the run: inverse temperatures, cold end at the top.

        Lines are cut where a rung came or went, because others have its number from then on.
        """
        history = self._with_ladder()
        ax, step, betas = _axes(ax), history["step"], history["betas"]
        cuts = np.flatnonzero(np.diff(history["rungs"])) + 1
        for rows in np.split(np.arange(len(step)), cuts):
            first, last = rows[0], rows[-1]
            until = step[min(last + 1, len(step) - 1)]
            ax.plot([*step[rows], until], betas[[*rows, last]], color="C0", lw=1)
            if first:
                ax.axvline(step[first], color="0.85", lw=0.8, zorder=0)
        ax.set(xlabel="updates", ylabel="inverse temperature β")
        return ax

    def flow(self, ax: Any = None) -> Any:
        """f_up at the end against the rung: a straight line is what the ladder aims for."""
        ax, ladder = _axes(ax), self._ladder()
        rungs = np.arange(len(ladder.betas))
        ax.plot(rungs, ladder.f_up, "o-", label="measured")
        ax.plot(rungs[[0, -1]], [1, 0], "--", color="0.6", label="aim", zorder=0)
        ax.set(xlabel="rung, cold end first", ylim=(-0.05, 1.05))
        ax.set_ylabel("$f_{up}$: share that came from the cold end")
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.legend()
        return ax

    def swap_rates(self, ax: Any = None) -> Any:
        """Swap rate of each pair of neighbours at the end."""
        ax, ladder = _axes(ax), self._ladder()
        ax.bar(np.arange(len(ladder.swap_rates)) + 0.5, ladder.swap_rates, width=0.9)
        mean = np.nanmean(ladder.swap_rates)
        ax.axhline(mean, ls="--", color="0.4", lw=1, label=f"mean {mean:.2f}")
        ax.set(xlabel="between rungs, cold end first", ylabel="swap rate", ylim=(0, 1))
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.legend()
        return ax

    def round_trips(self, ax: Any = None) -> Any:
        """Round trips so far, summed over the restarts of their count."""
        history = self._with_ladder()
        ax, trips = _axes(ax), history["round_trips"]
        since = np.diff(trips, prepend=0)
        ax.plot(history["step"], np.cumsum(np.where(since < 0, trips, since)))
        ax.set(xlabel="updates", ylabel="round trips", ylim=(0, None))
        return ax

    def filters(self, shape: Shape | None = None, n: int = 25, ax: Any = None) -> Any:
        """The weights of the first hidden units as images of ``shape``: ``(width, height)`` or ``"28x20"``,
        width first. Without it they have the model's shape, or are squares."""
        weights = self._rbm.components_[:n]
        top = np.abs(weights).max() or 1.0
        style = {"cmap": "RdBu_r", "vmin": -top, "vmax": top}
        ax = self._images(ax, weights, shape, style)
        ax.figure.colorbar(ax.images[-1], ax=ax, label="weight", shrink=0.6)
        return ax

    def samples(self, shape: Shape | None = None, n: int = 25, ax: Any = None) -> Any:
        """Samples of the model as images of ``shape``, which is as in :meth:`filters`."""
        samples = self._rbm.sample(n)
        return self._images(ax, samples, shape, {"cmap": "gray_r", "vmin": 0, "vmax": 1})

    def _images(self, ax: Any, rows: np.ndarray, shape: Shape | None, style: dict[str, Any]) -> Any:
        shape = self._rbm.shape if shape is None else shape
        sides = _square(rows.shape[1]) if shape is None else _options.shape_of(shape)
        return _images(ax, rows, sides, style)

    def _ladder(self) -> Any:
        if self._rbm.ladder_ is None:
            raise ValueError("there is no ladder: train with algorithm='apt' or 'pt'")
        return self._rbm.ladder_

    def _with_ladder(self) -> Any:
        history = self._rbm.history_
        if "betas" not in history:
            raise ValueError("there is no ladder: train with algorithm='apt' or 'pt'")
        return history


def _images(ax: Any, rows: np.ndarray, sides: tuple[int, int], style: dict[str, Any]) -> Any:
    width, height = sides
    if width * height != rows.shape[1]:
        raise ValueError(f"{rows.shape[1]} columns are no image of shape {width}x{height}")
    ax = _axes(ax, size=(5.0, 5.0))
    across = int(np.ceil(np.sqrt(len(rows))))
    down = -(-len(rows) // across)
    sheet = np.full((down * (height + 1) + 1, across * (width + 1) + 1), np.nan)
    for i, row in enumerate(rows):
        top, left = i // across * (height + 1) + 1, i % across * (width + 1) + 1
        sheet[top : top + height, left : left + width] = row.reshape(height, width)
    # Grey between the images: their edges are seen where they are white.
    ax.imshow(np.full(sheet.shape, 0.7), cmap="gray", vmin=0, vmax=1)
    ax.imshow(sheet, interpolation="nearest", **style)
    ax.set_axis_off()
    return ax


def _square(size: int) -> tuple[int, int]:
    side = int(np.sqrt(size))
    if side * side != size:
        raise ValueError(f"{size} columns are no square image; give shape=(width, height)")
    return side, side
