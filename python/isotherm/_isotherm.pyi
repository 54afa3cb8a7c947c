"""The engine. Configurations, rows of metrics and summaries are dictionaries; options are JSON."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Examples",
    "Fit",
    "Quadratic",
    "VERSION",
    "evaluate",
    "keep_run",
    "largest_enumerated",
    "load_model",
    "load_run",
    "options_table",
    "sample_checkpoint",
    "sample_model",
    "sample_table",
    "sample_target",
    "shape_of",
    "target_defaults",
    "threshold_of",
    "words_of",
    "write_report",
]

#: W [visible, hidden], b (hidden) and c (visible).
_Model = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]

VERSION: Final[str]

@final
class Examples:
    """Examples to learn from or to measure on, packed one bit a value."""

    @staticmethod
    def of_uint8(
        array: NDArray[np.uint8],
        name: str,
        binarise: str,
        data_seed: int,
        like: Examples | None = None,
    ) -> Examples: ...
    @staticmethod
    def of_float32(
        array: NDArray[np.float32],
        name: str,
        binarise: str,
        data_seed: int,
        like: Examples | None = None,
    ) -> Examples: ...
    @staticmethod
    def of_float64(
        array: NDArray[np.float64],
        name: str,
        binarise: str,
        data_seed: int,
        like: Examples | None = None,
    ) -> Examples: ...
    @staticmethod
    def of_ones(
        indptr: NDArray[np.int64], indices: NDArray[np.int64], columns: int, name: str
    ) -> Examples: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def full(self) -> float: ...

@final
class Fit:
    """Learning in progress, with the rows of metrics that it has written."""

    @staticmethod
    def begin(
        options: str,
        given: list[str],
        train: Examples,
        valid: Examples | None = None,
        test: Examples | None = None,
        threads: int | None = None,
        tell: Callable[[str, float], Any] | None = None,
    ) -> Fit: ...
    @staticmethod
    def resume(
        config: dict[str, Any],
        checkpoint: bytes,
        rows: list[dict[str, Any]],
        train: Examples,
        valid: Examples | None = None,
        test: Examples | None = None,
    ) -> Fit: ...
    def learn_from(self, train: Examples, updates: int) -> None: ...
    def run(
        self,
        threads: int | None = None,
        tell: Callable[[dict[str, Any] | None, str | None], Any] | None = None,
    ) -> None: ...
    def summarise(self, threads: int | None = None) -> dict[str, Any]: ...
    def config(self) -> dict[str, Any]: ...
    def rows(self) -> list[dict[str, Any]]: ...
    def diagnostics_at_start(self) -> list[dict[str, Any]]: ...
    @property
    def step(self) -> int: ...
    @property
    def total_steps(self) -> int: ...
    def checkpoint(self) -> bytes: ...
    def parameters(self) -> tuple[_Model, _Model]: ...

@final
class Quadratic:
    """An energy of second degree."""

    @staticmethod
    def from_qubo(q: NDArray[np.float64]) -> Quadratic: ...
    @staticmethod
    def from_bonds(bonds: list[tuple[int, int, float]], h: NDArray[np.float64]) -> Quadratic: ...
    @staticmethod
    def from_couplings(couplings: NDArray[np.float64], h: NDArray[np.float64]) -> Quadratic: ...
    def energies(self, states: NDArray[np.uint8]) -> NDArray[np.float64]: ...
    @property
    def n(self) -> int: ...

def words_of(diagnostic: dict[str, Any]) -> str: ...
def options_table() -> list[dict[str, Any]]: ...
def sample_table() -> list[dict[str, Any]]: ...
def target_defaults() -> dict[str, int]: ...
def threshold_of(binarise: str) -> float | None: ...
def shape_of(shape: str) -> tuple[int, int]: ...
def largest_enumerated() -> int: ...
def evaluate(
    model: _Model,
    training: Examples,
    examples: Examples | None = None,
    log_z: str = "auto",
    quick: bool = False,
    particles: int | None = None,
    steps: int | None = None,
    sampling_steps: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    own_samples: bool = False,
) -> dict[str, Any]: ...
def sample_model(
    model: _Model,
    count: int,
    thin: int,
    warm_up: int,
    seed: int,
    threads: int | None = None,
    rows: Examples | None = None,
) -> tuple[NDArray[np.uint8], list[dict[str, Any]]]: ...
def keep_run(
    path: str | PathLike[str],
    config: dict[str, Any],
    checkpoint: bytes,
    rows: list[dict[str, Any]],
    summary: dict[str, Any] | None = None,
    about: dict[str, Any] | None = None,
    overwrite: bool = False,
) -> None: ...
def load_run(
    path: str | PathLike[str],
) -> tuple[
    tuple[
        dict[str, Any],
        bytes,
        list[dict[str, Any]],
        dict[str, Any] | None,
        dict[str, Any] | None,
        list[dict[str, Any]],
    ],
    _Model,
    _Model,
]: ...
def load_model(path: str | PathLike[str]) -> tuple[_Model, _Model | None]: ...
def sample_checkpoint(
    config: dict[str, Any],
    checkpoint: bytes,
    count: int,
    thin: int,
    warm_up: int,
    seed: int,
    averaged: bool = False,
    traced: bool = False,
    threads: int | None = None,
    rows: Examples | None = None,
) -> tuple[
    NDArray[np.uint8],
    tuple[int, int, NDArray[np.float64], NDArray[np.uint16]],
    list[dict[str, Any]],
]: ...
def write_report(path: str | PathLike[str]) -> Path: ...
def sample_target(
    energy: Quadratic | Callable[[NDArray[np.uint8]], Any],
    n: int,
    samples: int,
    columns: int,
    warm_up: int,
    thin: int,
    rungs: int,
    log_z_steps: int,
    seed: int,
    threads: int | None = None,
    tell: Callable[[float], Any] | None = None,
) -> tuple[NDArray[np.uint8], NDArray[np.float64], dict[str, Any]]: ...
