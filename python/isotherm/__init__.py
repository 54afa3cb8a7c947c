"""Restricted Boltzmann Machines by maximum likelihood, with a tempering ladder that tunes itself.

>>> import numpy as np
>>> import isotherm
>>> rng = np.random.default_rng(0)
>>> votes = rng.random((200, 6)) < np.where(rng.random((200, 1)) < 0.5, 0.9, 0.1)
>>> rbm = isotherm.RBM(hidden=2, updates=500, random_state=1).fit(votes)
>>> rbm.transform(votes).shape
(200, 2)
>>> rbm.sample(3).shape
(3, 6)
"""

from isotherm._isotherm import VERSION as __version__
from isotherm._diagnostics import IsothermWarning
from isotherm._history import History, Ladder
from isotherm._likelihood import LogLikelihood, LogZ
from isotherm._rbm import RBM
from isotherm._runs import load, load_rbms, save_rbms
from isotherm._targets import Estimate, Quadratic, TargetSamples, sample_target

__all__ = [
    "RBM",
    "Estimate",
    "History",
    "IsothermWarning",
    "Ladder",
    "LogLikelihood",
    "LogZ",
    "Quadratic",
    "TargetSamples",
    "load",
    "load_rbms",
    "sample_target",
    "save_rbms",
    "__version__",
]
