"""The engine's options: the constructor's arguments under the names of the command line."""

from __future__ import annotations

import json
from typing import Any

from isotherm import _isotherm


def defaults(table: list[dict[str, Any]]) -> dict[str, Any]:
    """The defaults for examples in a table of options, by the names of arguments."""
    return {spec["name"].replace("-", "_"): spec["examples"] for spec in table}


#: The defaults of learning from examples; ``None`` where they depend on the data.
DEFAULTS = defaults(_isotherm.options_table())


def plain(value: Any) -> Any:
    """NumPy's numbers as Python's: JSON knows no others."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value


def whole(name: str, value: Any, least: int = 0) -> int:
    """A number that counts something; 1e5 is a whole number too."""
    number = plain(value)
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if not isinstance(number, int) or isinstance(number, bool) or number < least:
        raise ValueError(f"{name}={value!r} must be a whole number, at least {least}")
    if number >= 2**63:
        raise ValueError(f"{name}={value!r} must be below 2**63")
    return number


def whole_or_none(name: str, value: Any, least: int = 1) -> int | None:
    """The same, or nothing."""
    return None if value is None else whole(name, value, least)


class Alias:
    """Another name of an argument, as an attribute."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, it: Any, owner: Any = None) -> Any:
        return self if it is None else getattr(it, self.name)

    def __set__(self, it: Any, value: Any) -> None:
        setattr(it, self.name, value)


def one_of(name: str, value: Any, default: Any, alias: str, other: Any) -> Any:
    """The value of an argument that has two names. Both may be given if they agree."""
    if other is None or value is other:
        return value
    if plain(value) not in (default, plain(other)):
        raise ValueError(f"{name}={value!r} and {alias}={other!r} are two names of one argument: give one")
    return other


def shape_text(shape: Any) -> Any:
    """The shape of images as the engine reads it, ``"28x20"``: width first."""
    if not isinstance(shape, (tuple, list)):
        return shape
    if len(shape) != 2:
        raise ValueError(f"shape={shape!r} must be a pair (width, height)")
    return "x".join(str(whole("shape", side, least=1)) for side in shape)


def shape_of(shape: Any) -> tuple[int, int]:
    """Width and height of images, from a pair or from text."""
    return _isotherm.shape_of(str(shape_text(shape)))


def spelled(options: dict[str, Any]) -> dict[str, Any]:
    """Names as the engine has them: ``min_swap`` is ``min-swap`` there."""
    return {name.replace("_", "-"): value for name, value in options.items()}


def as_json(options: dict[str, Any]) -> str:
    """Options as the engine reads them: ``min_swap`` is ``min-swap`` there."""
    written = {}
    for name, value in options.items():
        value = plain(value)
        if value is None:
            continue
        written[name.replace("_", "-")] = value
    try:
        return json.dumps(written, allow_nan=False)
    except (TypeError, ValueError):
        name, value = next((n, v) for n, v in written.items() if not _is_plain(v))
        raise ValueError(
            f"{name.replace('-', '_')}={value!r} is not a finite number or a word"
        ) from None


def _is_plain(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
