"""A progress bar, in terminals and notebooks."""

from __future__ import annotations

import sys
from typing import Any


class Stage:
    """Shows how far the work before learning is, such as the fit of a reference."""

    def __init__(self, verbose: int) -> None:
        self.verbose = verbose
        self.bar = None
        self.name = ""

    def __call__(self, name: str, share: float) -> None:
        """Takes in the share that is done of what is being done."""
        if not self.verbose:
            return
        if name != self.name:
            self.close()
            self.name = name
            try:
                from tqdm.auto import tqdm
            except ImportError:
                print(name, file=sys.stderr, flush=True)
            else:
                self.bar = tqdm(total=100, desc=name, unit=" %", leave=False, dynamic_ncols=True)
        if self.bar is not None:
            self.bar.update(round(100 * share) - self.bar.n)

    def close(self) -> None:
        """Takes the bar off the screen."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None


class Progress:
    """Shows how far learning is, with tqdm where it is installed and as lines where it is not."""

    def __init__(self, done: int, total: int, verbose: int) -> None:
        self.total = total
        self.bar = None
        self.lines = False
        self.last: dict[str, Any] = {}
        if not verbose:
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self.lines = True
        else:
            self.bar = tqdm(total=total, initial=done, unit=" updates", dynamic_ncols=True)

    def row(self, row: dict[str, Any]) -> None:
        """Takes in a row of metrics."""
        if self.bar is None and not self.lines:
            return
        if self.bar is not None:
            # Not every row has a likelihood: the last one stays in the bar.
            self.last.update({name: it for name, it in row.items() if it is not None})
            self.bar.set_postfix(_figures(self.last), refresh=False)
            self.bar.update(row["step"] - self.bar.n)
        else:
            told = ", ".join(f"{name} {value}" for name, value in _figures(row).items())
            print(f"{row['step']}/{self.total}  {told}", file=sys.stderr, flush=True)

    def note(self, sentence: str) -> None:
        """Says something."""
        if self.bar is not None:
            self.bar.write(sentence, file=sys.stderr)
        elif self.lines:
            print(sentence, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leaves the bar as it is."""
        if self.bar is not None:
            self.bar.close()


def _figures(row: dict[str, Any]) -> dict[str, str]:
    figures = {}
    likelihood = row.get("log_likelihood_averaged") or row.get("log_likelihood")
    if likelihood:
        figures["log-likelihood"] = f"{likelihood['value']:.2f}"
    if row.get("log_likelihood_valid"):
        figures["valid"] = f"{row['log_likelihood_valid']['value']:.2f}"
    if row.get("ladder"):
        figures["rungs"] = str(len(row["ladder"]["betas"]))
        figures["swap"] = f"{row['ladder']['swap_rate']:.2f}"
    return figures
