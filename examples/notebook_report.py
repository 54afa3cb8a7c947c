# %% [markdown]
# The report of a run, shown in a notebook. The lines with %% are borders between cells: VS Code and
# Spyder run this file cell by cell, and `jupytext --to ipynb notebook_report.py` makes a notebook.

# %%
import numpy as np

import isotherm

rng = np.random.default_rng(1)
X = rng.random((500, 16)) < np.where(rng.random((500, 1)) < 0.5, 0.9, 0.1)
rbm = isotherm.RBM(hidden=4, updates=3000, random_state=1).fit(X)

# %% A report that is the last value of a cell is shown below it: a page in a frame of its own
report = rbm.report()
report

# %% The same page as a file, for a browser: report.save("report.html")
shown = report._repr_html_()
print(f"a page of {len(report.page) / 1000:.0f} kB")
assert shown.startswith("<iframe srcdoc=")
assert "<svg" in report.page and "http://" not in report.page.replace("http://www.w3.org", "")
