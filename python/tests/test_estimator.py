"""The estimator as scikit-learn sees it."""

import pytest
from sklearn.neural_network import BernoulliRBM
from sklearn.utils.estimator_checks import parametrize_with_checks

from isotherm import RBM


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([RBM(hidden=3, updates=50, random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
