"""The engine's options: the constructor's arguments under the names of the command line."""

from __future__ import annotations

import json
from typing import Any

#: Arguments of the estimator that are options of the engine. ``None`` leaves the choice to it.
ENGINE = (
    "hidden",
    "algorithm",
    "path",
    "swap",
    "rungs",
    "spacing",
    "columns",
    "particles",
    "k",
    "batch",
    "updates",
    "sampling_steps",
    "lr",
    "lr_decay",
    "momentum",
    "weight_decay",
    "l1",
    "gradient",
    "average",
    "patience",
    "init_std",
    "respace",
    "beta_lr",
    "min_swap",
    "min_rungs",
    "max_rungs",
    "spawn_every",
    "burn_in",
    "constant_columns",
    "metrics_every",
    "likelihood_every",
    "final_likelihood",
)


def plain(value: Any) -> Any:
    """NumPy's numbers as Python's: JSON knows no others."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value


def as_json(options: dict[str, Any]) -> str:
    """Options as the engine reads them: ``min_swap`` is ``min-swap`` there."""
    written = {}
    for name, value in options.items():
        value = plain(value)
        if value is None:
            continue
        if isinstance(value, float) and value.is_integer() and name in COUNTS:
            value = int(value)  # 1e5 is a whole number, as on the command line
        written[name.replace("_", "-")] = value
    try:
        return json.dumps(written, allow_nan=False)
    except (TypeError, ValueError):
        name, value = next((n, v) for n, v in written.items() if not _is_plain(v))
        raise ValueError(f"{name.replace('-', '_')}={value!r} is not a finite number or a word") from None


def _is_plain(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


#: Options that count something.
COUNTS = frozenset(
    {
        "hidden",
        "rungs",
        "columns",
        "particles",
        "k",
        "batch",
        "updates",
        "sampling_steps",
        "average",
        "patience",
        "min_rungs",
        "max_rungs",
        "spawn_every",
        "burn_in",
        "metrics_every",
        "likelihood_every",
    }
)
