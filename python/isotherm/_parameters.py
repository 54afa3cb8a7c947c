"""The arguments of the estimator. ``scripts/options`` writes this file from the engine's table
of options: change the declarations there."""

from __future__ import annotations

from typing import Any, Callable, Literal

from isotherm import _options

#: The arguments that are options of the engine. ``None`` leaves the choice to it.
OPTIONS = (
    "hidden",
    "shape",
    "algorithm",
    "path",
    "reference",
    "components",
    "reference_hidden",
    "swap",
    "columns",
    "particles",
    "k",
    "temper_every",
    "rungs",
    "spacing",
    "respace",
    "beta_lr",
    "min_swap",
    "min_rungs",
    "max_rungs",
    "spawn_every",
    "burn_in",
    "objective",
    "batch",
    "updates",
    "sampling_steps",
    "lr",
    "lr_decay",
    "momentum",
    "weight_decay",
    "l1",
    "smooth",
    "gradient",
    "average",
    "patience",
    "init_std",
    "metrics_every",
    "likelihood_every",
    "final_likelihood",
    "binarise",
    "constant_columns",
    "data_seed",
)

#: Other names of arguments. Values are kept under the first name only.
ALIASES = {
    "n_components": "hidden",
    "learning_rate": "lr",
    "batch_size": "batch",
    "n_iter": "epochs",
}

#: Other words for values.
SYNONYMS = {"algorithm": {"pcd": "sml"}}


class Parameters:
    """The part of the estimator that keeps its arguments."""

    n_components = _options.Alias("hidden")
    learning_rate = _options.Alias("lr")
    batch_size = _options.Alias("batch")
    n_iter = _options.Alias("epochs")

    def __init__(
        self,
        hidden: int = 10,
        *,
        shape: tuple[int, int] | str | None = None,
        algorithm: Literal["cd", "sml", "pt", "apt", "exact", "pcd"] = "apt",
        path: Literal["auto", "joint", "base-rate", "hidden-marginal"] = "auto",
        reference: Literal["auto", "base-rate", "mixture", "rbm"] = "auto",
        components: int | None = None,
        reference_hidden: int | None = None,
        swap: Literal["energy", "free-energy"] | None = None,
        columns: int | None = None,
        particles: int | None = None,
        k: int = 1,
        temper_every: int = 1,
        rungs: int | None = None,
        spacing: Literal["linear", "geometric"] = "linear",
        respace: Literal["flow", "flow-sqrt", "rejection", "fixed"] = "flow",
        beta_lr: float = 0.0001,
        min_swap: float = 0.4,
        min_rungs: int = 4,
        max_rungs: int = 100,
        spawn_every: int = 1000,
        burn_in: int = 100,
        objective: Literal["likelihood"] = "likelihood",
        batch: int | None = None,
        updates: int | None = None,
        sampling_steps: int = 0,
        lr: float | None = None,
        lr_decay: Literal["constant", "linear", "hold-linear", "hold-exponential", "inverse"] | None = None,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        l1: float | None = None,
        smooth: float | None = None,
        gradient: Literal["plain", "centered"] = "centered",
        average: int | None = None,
        patience: int | None = None,
        init_std: float | None = None,
        metrics_every: int | None = None,
        likelihood_every: int | None = None,
        final_likelihood: Literal["estimate", "exact-only"] = "estimate",
        binarise: str = "auto",
        constant_columns: Literal["auto", "refuse", "keep"] = "keep",
        data_seed: int = 1,
        averaged: bool = True,
        random_state: Any = None,
        threads: int | None = None,
        verbose: int = 0,
        callback: Callable[[dict[str, Any]], Any] | None = None,
        epochs: int | None = None,
        n_components: int | None = None,
        learning_rate: float | None = None,
        batch_size: int | None = None,
        n_iter: int | None = None,
    ) -> None:
        """
        Parameters
        ----------
        hidden : int, default 10
            Hidden units.
        shape : (int, int) or str or None
            Width and height of the images, if the examples are images (pixels row by row). Used
            for the pictures of the report and for ``smooth``. If absent, a square is assumed
            where the number of columns allows one. A pair ``(width, height)`` or text such as
            ``'28x20'``, width first.
        algorithm : {'cd', 'sml', 'pt', 'apt', 'exact', 'pcd'}, default 'apt'
            Where negative samples come from: cd (contrastive divergence), sml (persistent
            particles at β = 1), pt (a fixed ladder), apt (an adaptive ladder) or exact
            (independent samples, by enumerating up to 16 hidden units). ``'pcd'`` is ``'sml'``.
        path : {'auto', 'joint', 'base-rate', 'hidden-marginal'}, default 'auto'
            The distributions between the reference and the model. joint: exp(−βE), from the
            uniform distribution (the paper's); base-rate: from the distribution of
            ``reference``; hidden-marginal: p(h)^β. auto: hidden-marginal for up to 32 hidden
            units that are not more than the visible ones, if no reference is chosen; else
            base-rate.
        reference : {'auto', 'base-rate', 'mixture', 'rbm'}, default 'auto'
            The distribution at β = 0 of the base-rate path: base-rate (independent units),
            mixture (of Bernoulli products, fitted to the data) or rbm (a small RBM, trained
            first). auto, for files: a mixture if the data have clusters.
        components : int or None
            Components of a mixture as reference. If they are given, auto takes a mixture. If
            ``None``: one for each hundred examples, from 2 to 64.
        reference_hidden : int or None
            Hidden units of a small RBM as reference. All their states are enumerated. If
            ``None``: 16, or as many as the model has if these are fewer.
        swap : {'energy', 'free-energy'} or None
            Swap on joint energies, or on free energies with the hidden units summed out. The
            hidden-marginal path always sums out the visible units. If ``None``: energy on the
            joint path, else free-energy.
        columns : int or None
            Columns of replicas that share the ladder. If ``None``: 16; 32 with a mixture as
            reference, as many as ``particles`` with sml, and as many as ``batch`` with cd and
            exact.
        particles : int or None
            Persistent particles: samples at β = 1 that are kept from one update to the next.
            There is at least one for each column; the others take turns on the ladder. If
            ``None``: 500; with a mixture as reference as many as hidden units, from 128 to 500.
        k : int, default 1
            Gibbs steps per update.
        temper_every : int, default 1
            Updates between two steps of the ladder. In between, the particles at β = 1 take
            plain Gibbs steps, and the ladder neither moves nor adapts.
        rungs : int or None
            Rungs at the start. If ``None``: 10.
        spacing : {'linear', 'geometric'}, default 'linear'
            Spacing of the rungs at the start.
        respace : {'flow', 'flow-sqrt', 'rejection', 'fixed'}, default 'flow'
            The rule that moves the rungs: make f_up linear (the paper's), Katzgraber's feedback,
            equal rejection rates, or fixed rungs.
        beta_lr : float, default 0.0001
            The fraction of the way that rungs move at each step of the ladder.
        min_swap : float, default 0.4
            Mean swap rate below which a rung is spawned.
        min_rungs : int, default 4
            Smallest number of rungs: no rung is retired below it.
        max_rungs : int, default 100
            Largest number of rungs: no rung is spawned above it.
        spawn_every : int, default 1000
            Steps of the ladder between two decisions to spawn or to retire a rung.
        burn_in : int, default 100
            Steps of the ladder during which the rungs do not move after one was spawned or
            retired.
        objective : {'likelihood'}, default 'likelihood'
            What is maximised, less the penalties: the mean log-likelihood of the examples.
        batch : int or None
            Examples in a minibatch. If ``None``: 100.
        updates : int or None
            Updates of the model. If ``None``: 200 passes over the data, 500 over pictures, at
            least 40000 and at most 100000. ``epochs`` says it in passes over the data.
        sampling_steps : int, default 0
            Sampling steps after the last update, in which the ladder still adapts.
        lr : float or None
            Learning rate. If ``None``: 0.05 times the updates in 200 passes over the data (500
            over pictures; at least 5000 and at most 100000), divided by ``updates``; from 0.01
            to 0.1.
        lr_decay : {'constant', 'linear', 'hold-linear', 'hold-exponential', 'inverse'} or None
            How the learning rate falls: constant (not at all), linear (to 0) or inverse (as
            1/t). The others hold it for 30 % of the updates; then it falls linearly to 0
            (hold-linear) or exponentially to 1/2000 (hold-exponential). If ``None``:
            hold-linear.
        momentum : float, default 0.0
            Momentum.
        weight_decay : float, default 0.0
            L2 penalty on the weights: half of this times the sum of their squares.
        l1 : float or None
            L1 penalty on the weights: each update moves every weight towards zero by the
            learning rate times this, divided by 1 − momentum. If ``None``: 0.0001 for pictures,
            half as much with the default of ``smooth``; for tables 0.22 √(columns) / examples,
            at most 0.01.
        smooth : float or None
            Penalty on differences between the weights of neighbouring pixels, if the examples
            are images: half of this times the sum of the squared differences. If ``None``: 15
            divided by the number of examples, at most 0.05, for pictures (a ``shape`` is given,
            or squares of at least 8x8 whose mean image is smooth); otherwise 0.
        gradient : {'plain', 'centered'}, default 'centered'
            The gradient: plain, or with centered units.
        average : int or None
            Window of the moving average of the parameters, in updates. If ``None``: a twentieth
            of the updates.
        patience : int or None
            Stop after this many updates without a better likelihood of the validation data; if
            likelihoods are estimates, after up to eight more measurements. The best model is
            kept in any case. If ``None``: no early stopping.
        init_std : float or None
            Standard deviation of the initial weights. If ``None``: 0.2 on the hidden-marginal
            path, else √(0.1 / hidden).
        metrics_every : int or None
            Steps between two rows of metrics. If ``None``: a 200th of the updates.
        likelihood_every : int or None
            Updates between two likelihoods; 0: only at the end. They are exact up to 16 units in
            the smaller layer; beyond that they are estimated online, by a small tempered sampler
            of the averaged parameters. If ``None``: every second row of metrics.
        final_likelihood : {'estimate', 'exact-only'}, default 'estimate'
            What to do at the end if the model is too large to enumerate: estimate the
            likelihood, within about a minute, or leave it out.
        binarise : str, default 'auto'
            How values become 0 and 1: as-is (they are 0 and 1), threshold:0.5 (1 above that
            fraction of full scale, which is 1, or 255 for bytes; a threshold of 1 or more is a
            value itself), static:SEED (drawn once with the intensity as probability) or dynamic
            (drawn again in every epoch). Likelihoods under different rules cannot be compared.
            ``'auto'`` takes zeros and ones as they are and anything else as probabilities, drawn
            again in every epoch; values beyond 0 and 1 are scaled to them with a warning.
        constant_columns : {'auto', 'refuse', 'keep'}, default 'keep'
            What to do about columns that never change: refuse the data, keep the columns, or
            (auto) keep them in pictures (a ``shape`` is given, or squares of at least 8x8 whose
            mean image is smooth) and refuse them in tables.
        data_seed : int, default 1
            Seed of the images of the mixture, of ``split``, and of the one draw of
            ``binarise='dynamic'`` on which likelihoods are measured.
        averaged : bool, default True
            Use the moving average of the parameters rather than the last ones.
        random_state : int, RandomState or None
            The seed, a RandomState or ``None``; an integer is the ``--seed`` of the command
            line.
        threads : int or None
            Threads to use, all cores if ``None``. Results do not depend on it.
        verbose : int, default 0
            1 shows a progress bar, in a terminal as in a notebook.
        callback : callable or None
            Called with each row of metrics, a dict, while learning waits. Returning ``False``
            ends it there.
        epochs : int or None
            Passes over the data, in place of ``updates``. :meth:`partial_fit`, which makes one,
            uses neither.
        n_components : int or None
            Another name of ``hidden``: that of scikit-learn's BernoulliRBM.
        learning_rate : float or None
            Another name of ``lr``: that of scikit-learn's BernoulliRBM.
        batch_size : int or None
            Another name of ``batch``: that of scikit-learn's BernoulliRBM.
        n_iter : int or None
            Another name of ``epochs``: that of scikit-learn's BernoulliRBM.
        """
        self.hidden = _options.one_of("hidden", hidden, 10, "n_components", n_components)
        self.shape = shape
        self.algorithm = algorithm
        self.path = path
        self.reference = reference
        self.components = components
        self.reference_hidden = reference_hidden
        self.swap = swap
        self.columns = columns
        self.particles = particles
        self.k = k
        self.temper_every = temper_every
        self.rungs = rungs
        self.spacing = spacing
        self.respace = respace
        self.beta_lr = beta_lr
        self.min_swap = min_swap
        self.min_rungs = min_rungs
        self.max_rungs = max_rungs
        self.spawn_every = spawn_every
        self.burn_in = burn_in
        self.objective = objective
        self.batch = _options.one_of("batch", batch, None, "batch_size", batch_size)
        self.updates = updates
        self.sampling_steps = sampling_steps
        self.lr = _options.one_of("lr", lr, None, "learning_rate", learning_rate)
        self.lr_decay = lr_decay
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.l1 = l1
        self.smooth = smooth
        self.gradient = gradient
        self.average = average
        self.patience = patience
        self.init_std = init_std
        self.metrics_every = metrics_every
        self.likelihood_every = likelihood_every
        self.final_likelihood = final_likelihood
        self.binarise = binarise
        self.constant_columns = constant_columns
        self.data_seed = data_seed
        self.averaged = averaged
        self.random_state = random_state
        self.threads = threads
        self.verbose = verbose
        self.callback = callback
        self.epochs = _options.one_of("epochs", epochs, None, "n_iter", n_iter)
