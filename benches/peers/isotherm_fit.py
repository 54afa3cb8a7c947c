"""The Python package at the work of a command line: `isotherm_fit.py DATA.npy OPTIONS.json`.

Prints the seconds of CPU that `fit` took, the data read and the package imported before.
"""

import json
import sys
import time

import numpy as np

import isotherm

examples = np.load(sys.argv[1])
rbm = isotherm.RBM(**{name.replace("-", "_"): value for name, value in json.loads(sys.argv[2]).items()})
begun = time.process_time()
rbm.fit(examples)
print(time.process_time() - begun)
