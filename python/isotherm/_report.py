"""The report of the command line, for notebooks."""

from __future__ import annotations

import html
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isotherm import _isotherm
from isotherm._runs import keep

if TYPE_CHECKING:
    from isotherm._rbm import RBM


class Report:
    """A page of its own: figures, text and style in one file, nothing to be fetched."""

    def __init__(self, page: str) -> None:
        #: The page as HTML.
        self.page = page

    @classmethod
    def of(cls, rbm: RBM) -> Report:
        """Draws the report of a model."""
        with tempfile.TemporaryDirectory() as folder:
            # The page has the folder's name as its title.
            hidden, visible = rbm.components_.shape
            run = Path(folder) / f"RBM-{visible}x{hidden}"
            keep(rbm, run, False)
            page = _isotherm.write_report(run).read_text(encoding="utf-8")
        # The folder was there for a moment only.
        return cls(page.replace(str(run), "run"))

    def save(self, path: Any, *, overwrite: bool = False) -> None:
        """Writes the page; over a file that is there with ``overwrite=True`` only."""
        try:
            with open(path, "w" if overwrite else "x", encoding="utf-8") as out:
                out.write(self.page)
        except FileExistsError:
            raise FileExistsError(f"{path} exists; overwrite=True replaces it") from None

    def __repr__(self) -> str:
        return f"<Report of {len(self.page) / 1000:.0f} kB; .save(path) writes it>"

    def _repr_html_(self) -> str:
        # In a frame of its own, so that its style and that of the notebook keep apart.
        page = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:800px;border:0"></iframe>'
