"""SML with parallel tempering in PyTorch, as well as we can write it there.

    torch_sml_pt.py WORKLOADS DATA THREADS eager|compiled|bits
    torch_sml_pt.py --check eager|compiled|bits

All replicas of all columns and rungs are rows of one tensor, β is a column beside them, and a swap
exchanges the β of two rows: no loop over rungs or columns, no state is copied. What was measured and
kept (one core, AVX-512, PyTorch 2.15):

- `torch.rand < σ` takes 2.9 ns a unit, `torch.bernoulli` 12.
- W lies as hidden × visible, and the product for few hidden units is taken across (Wv, not vWᵀ): half
  the time. Energies come from the field that the hidden units were drawn from.
- Preallocated buffers save a tenth of a small update; `torch.compile`, which finds its own, a fifth,
  if it leaves `rand` alone (with Inductor's own generator an update takes three times as long).
- Half of what is left is `rand`. `bits` draws 64 random bits at a time and compares 32 of them, which
  saves a quarter. Nobody writes it so, but it is the fastest that we found.
"""

import itertools
import math
import sys

import torch

import protocol

# Hidden units up to which the product Wv is taken for vWᵀ: of 10 it is faster, of 500 it is not.
FEW_HIDDEN = 64


class Replicas:
    """The model, its replicas, and the places of these on the ladder."""

    def __init__(self, config, data, seed=1):
        torch.manual_seed(seed)
        self.data = data
        self.visible, self.hidden = data.shape[1], config["hidden"]
        self.columns, self.batch = config["columns"], config["batch"]
        self.rungs = config.get("rungs", 1)
        self.rows = self.rungs * self.columns
        self.w = torch.randn(self.hidden, self.visible) * math.sqrt(0.1 / self.hidden)
        self.b = torch.zeros(self.hidden)
        self.c = torch.logit(data.mean(0), 0.01)
        self.h = torch.rand(self.rows, self.hidden).round_()
        ladder = torch.linspace(1, 0, self.rungs)
        # at[column, rung] is the row of the replica there.
        self.at = torch.arange(self.rows).view(self.columns, self.rungs)
        self.beta = ladder.repeat(self.columns).unsqueeze(1)
        self.beta_at = ladder.repeat(self.columns).unsqueeze(1)
        # For both parities: the places of the pairs, and how much colder the colder one is.
        self.pairs, self.gaps = [], []
        for parity in (0, 1):
            pairs = (self.rungs - parity) // 2
            self.pairs.append(self.at[:, parity : parity + 2 * pairs].unflatten(1, (pairs, 2)))
            self.gaps.append((ladder[:-1] - ladder[1:])[parity::2].contiguous())
        self.parity = 0
        # What an example and what a sample weighs in the gradient, times the learning rate.
        lr = config["lr"]
        weights = [lr / self.batch] * self.batch + [-lr / self.columns] * self.columns
        self.weights = torch.tensor(weights).unsqueeze(1)

    def minibatch(self):
        return torch.randint(self.data.shape[0], (self.batch,))


class Eager(Replicas):
    """Operation by operation, into buffers that are reused."""

    def __init__(self, config, data, seed=1):
        super().__init__(config, data, seed)
        rows, both = self.rows, self.batch + self.columns
        self.v, self.p_v, self.u_v = torch.empty(3, rows, self.visible).unbind()
        self.p_h, self.u_h = torch.empty(2, rows, self.hidden).unbind()
        self.across = self.hidden <= FEW_HIDDEN
        shape = (self.hidden, rows) if self.across else (rows, self.hidden)
        self.product = torch.empty(shape)
        self.field = self.product.t() if self.across else self.product
        self.u_swap = [torch.empty(gap.shape).repeat(self.columns, 1) for gap in self.gaps]
        self.both_v, self.both_h = torch.empty(both, self.visible), torch.empty(both, self.hidden)

    def step(self):
        self.sweep()
        if self.rungs > 1:
            self.swap()
        self.update()

    def sweep(self):
        torch.addmm(self.c, self.h, self.w, out=self.p_v)
        self.p_v.mul_(self.beta).sigmoid_()
        torch.lt(self.u_v.uniform_(), self.p_v, out=self.v)
        if self.across:
            torch.addmm(self.b.unsqueeze(1), self.w, self.v.t(), out=self.product)
        else:
            torch.addmm(self.b, self.v, self.w.t(), out=self.product)
        torch.mul(self.field, self.beta, out=self.p_h).sigmoid_()
        torch.lt(self.u_h.uniform_(), self.p_h, out=self.h)

    def minus_energy(self):
        return torch.linalg.vecdot(self.h, self.field).addmv_(self.v, self.c)

    def swap(self):
        pairs, gaps, u = (each[self.parity] for each in (self.pairs, self.gaps, self.u_swap))
        e = self.minus_energy()[pairs]
        accepted = u.uniform_().log_() < (e[:, :, 1] - e[:, :, 0]).mul_(gaps)
        pairs.copy_(torch.where(accepted.unsqueeze(2), pairs.flip(2), pairs))
        self.beta.scatter_(0, self.at.view(-1, 1), self.beta_at)
        self.parity = 1 - self.parity

    def update(self):
        cold = self.at[:, 0]
        examples, samples = self.both_v[: self.batch], self.both_v[self.batch :]
        torch.index_select(self.data, 0, self.minibatch(), out=examples)
        torch.index_select(self.v, 0, cold, out=samples)
        torch.addmm(self.b, examples, self.w.t(), out=self.both_h[: self.batch])
        torch.index_select(self.field, 0, cold, out=self.both_h[self.batch :])
        self.both_h.sigmoid_().mul_(self.weights)
        self.w.addmm_(self.both_h.t(), self.both_v)
        self.b.add_(self.both_h.sum(0))
        self.c.addmv_(self.both_v.t(), self.weights.squeeze(1))


class Compiled(Replicas):
    """The same as one function for `torch.compile`, which fuses it and finds its own buffers."""

    def __init__(self, config, data, seed=1, bits=False):
        super().__init__(config, data, seed)
        sizes = [self.rows * self.visible, self.rows * self.hidden, self.rows]
        count = sum(sizes)
        if bits:
            self.random = torch.empty((count + 1) // 2, dtype=torch.int64)
            drawn = self.random.view(torch.int32)[:count]
        else:
            self.random = drawn = torch.empty(count)
        shapes = [(self.rows, self.visible), (self.rows, self.hidden), (self.columns, self.rungs)]
        self.drawn = [part.view(shape) for part, shape in zip(drawn.split(sizes), shapes)]
        self.bits = bits
        self.compiled = torch.compile(self.compute, dynamic=False)

    def step(self):
        if self.bits:
            self.random.random_(-(2**63), None)
        else:
            self.random.uniform_()
        examples = self.data[self.minibatch()]
        state = (self.w, self.b, self.c, self.h, self.at, self.beta)
        self.v, self.h, self.field = self.compiled(self.parity, *state, *self.drawn, examples)
        self.parity = 1 - self.parity

    def uniform(self, drawn):
        return drawn * 2.0**-32 + 0.5 if self.bits else drawn

    def compute(self, parity, w, b, c, h, at, beta, u_v, u_h, u_swap, examples):
        v = (self.uniform(u_v) < torch.sigmoid(torch.addmm(c, h, w) * beta)).float()
        if self.hidden <= FEW_HIDDEN:
            field = torch.addmm(b.unsqueeze(1), w, v.t()).t()
        else:
            field = torch.addmm(b, v, w.t())
        h = (self.uniform(u_h) < torch.sigmoid(field * beta)).float()
        if self.rungs > 1:
            gaps = self.gaps[parity]
            places = slice(parity, parity + 2 * len(gaps))
            pairs = at[:, places].unflatten(1, (len(gaps), 2))
            e = torch.addmv((h * field).sum(1), v, c)[pairs]
            u = self.uniform(u_swap[:, : len(gaps)])
            accepted = torch.log(u) < (e[:, :, 1] - e[:, :, 0]) * gaps
            swapped = torch.where(accepted.unsqueeze(2), pairs.flip(2), pairs)
            at[:, places] = swapped.flatten(1)
            beta.scatter_(0, at.view(-1, 1), self.beta_at)
        cold = at[:, 0]
        both_v = torch.cat([examples, v[cold]])
        both_h = torch.cat([torch.addmm(b, examples, w.t()), field[cold]])
        both_h = torch.sigmoid(both_h) * self.weights
        w.addmm_(both_h.t(), both_v)
        b.add_(both_h.sum(0))
        c.addmv_(both_v.t(), self.weights.squeeze(1))
        return v, h, field

    def minus_energy(self):
        return (self.h * self.field).sum(1).addmv_(self.v, self.c)


def machine(variant, config, data, seed=1):
    if variant == "eager":
        return Eager(config, data, seed)
    import torch._inductor.config as inductor

    # PyTorch's own generator and not Inductor's, see above.
    inductor.fallback_random = True
    return Compiled(config, data, seed, bits=variant == "bits")


def prepare(work, path):
    import numpy as np

    config = work["train"]
    data = torch.from_numpy(np.load(path(config["data"]))).float()
    with torch.inference_mode():
        trained = machine(sys.argv[4], config, data)

    def run(steps):
        with torch.inference_mode():
            for _ in range(steps):
                trained.step()

    return run


def check(variant):
    """Energies, an update and the stationary distribution against what they should be."""
    data = torch.rand(50, 5, generator=torch.Generator().manual_seed(3)).round()
    shape = {"hidden": 3, "batch": 4, "columns": 4, "rungs": 4}
    check_update(machine(variant, {**shape, "lr": 0.1}, data))
    check_stationary(machine(variant, {**shape, "columns": 20000, "lr": 0.0}, data))
    check_stationary(machine(variant, {**shape, "columns": 20000, "rungs": 1, "lr": 0.0}, data))


def check_update(trained):
    """One update changes the parameters by the learning rate times Eq. 2's gradient."""
    w, b, c = trained.w.clone(), trained.b.clone(), trained.c.clone()
    drawn = []
    trained.minibatch = lambda: drawn[0]
    drawn.append(torch.tensor([0, 7, 7, 31]))
    trained.step()
    examples, samples = trained.data[drawn[0]], trained.v[trained.at[:, 0]]
    positive, negative = torch.sigmoid(examples @ w.t() + b), torch.sigmoid(samples @ w.t() + b)
    close(trained.w - w, 0.1 * (positive.t() @ examples - negative.t() @ samples) / 4)
    close(trained.b - b, 0.1 * (positive.mean(0) - negative.mean(0)))
    close(trained.c - c, 0.1 * (examples.mean(0) - samples.mean(0)))
    # The energies that the next swap uses, on a model that this update has not changed.
    trained.w.copy_(w), trained.b.copy_(b), trained.c.copy_(c)
    v, h = trained.v, trained.h
    close(trained.minus_energy(), ((v @ w.t()) * h).sum(1) + h @ b + v @ c)
    if sorted(trained.at.flatten().tolist()) != list(range(trained.rows)):
        raise SystemExit("a replica got lost in a swap")


def check_stationary(trained):
    """Every rung has the distribution of its β: a χ² over the visible states of all columns."""
    trained.w.mul_(8)
    before = trained.at.clone()
    for _ in range(40):
        trained.step()
    if trained.rungs > 1 and torch.equal(before, trained.at):
        raise SystemExit("no replica ever moved")
    states = torch.tensor(list(itertools.product([0.0, 1.0], repeat=trained.visible)))
    index = (trained.v @ 2.0 ** torch.arange(trained.visible).flip(0).float()).long()
    ladder = torch.linspace(1, 0, trained.rungs)
    for rung, beta in enumerate(ladder.tolist()):
        field = beta * (states @ trained.w.t() + trained.b)
        log_p = beta * (states @ trained.c) + torch.nn.functional.softplus(field).sum(1)
        expected = torch.softmax(log_p.double(), 0) * trained.columns
        rows = trained.at[:, rung]
        # v was drawn before the swap and its replica may have moved since: both are fair.
        counted = torch.bincount(index[rows], minlength=len(states)).double()
        squares = ((counted - expected) ** 2 / expected)[expected > 5].sum().item()
        # 31 degrees of freedom at most: mean 31, standard deviation 8; six of these are too many.
        if squares > 31 + 6 * 8:
            raise SystemExit(
                f"rung {rung} has another distribution than it should: χ² {squares:.0f}"
            )


def close(found, wanted):
    if not torch.allclose(found, wanted, atol=1e-5):
        raise SystemExit(f"found {found}, wanted {wanted}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    if sys.argv[1] == "--check":
        with torch.inference_mode():
            check(sys.argv[2])
    else:
        torch.set_num_threads(int(sys.argv[3]))
        protocol.serve(prepare)
