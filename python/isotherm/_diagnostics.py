"""What to know before trusting a result, as warnings of Python."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from isotherm import _isotherm


class IsothermWarning(UserWarning):
    """Something to know before trusting a result.

    :meth:`RBM.fit` warns of every diagnostic of its run, except those about what its arguments ask for.

    The kinds are those of ``diagnostics`` in ``summary.json``, which ``summary_["diagnostics"]`` holds.

    >>> import warnings
    >>> from isotherm import IsothermWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", IsothermWarning)  # silences them all
    """

    #: What sort of thing it is, such as ``"starved-gap"``.
    kind: str
    #: Its figures by name.
    details: dict[str, Any]

    def __init__(self, message: str, kind: str = "", details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.details = {} if details is None else details


def of(diagnostic: dict[str, Any]) -> IsothermWarning:
    """A diagnostic of the engine as a warning, in the words of Python."""
    details = dict(diagnostic)
    kind = details.pop("kind")
    return IsothermWarning(_isotherm.words_of(diagnostic), kind, details)


def warn(diagnostics: Iterable[dict[str, Any]], stacklevel: int = 1) -> None:
    """Warns of each; ``stacklevel`` is as in :func:`warnings.warn`, counted from who calls this."""
    for diagnostic in diagnostics:
        warnings.warn(of(diagnostic), stacklevel=stacklevel + 1)
