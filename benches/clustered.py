"""Cluster weights and likelihoods on clustered data, at equal time on one core.

    python benches/clustered.py DATA --out FOLDER --sets 2d3c mickey mnist01 sixteen --hidden 100 --seeds 5
    python benches/clustered.py DATA --out FOLDER --sets 2d3c --methods default few="--particles 64"

DATA is a folder with `NAME_train_x.npy.gz` and `NAME_test_x.npy.gz`; `sixteen` is a mixture of 16 products with known
weights and density, drawn here. A method is one of those below, or a name with its options. Every method learns for
as long as the first one takes by its defaults: updates are calibrated in turns. Then 4000 samples of the averaged model are drawn, and the test set is evaluated. Clusters are found
by k-means here, not by Isotherm. What is in FOLDER already is not done again, and the table is of all that is in it.
"""

import argparse
import gzip
import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

METHODS = {
    "default": [],
    "base-rate": ["--reference", "base-rate"],
    "sml": ["--algorithm", "sml"],
}
CLUSTERS = {"2d3c": 3, "mickey": 3, "mnist01": 2}


def sixteen(folder: Path) -> None:
    """A mixture of 16 products of Bernoulli distributions over 200 units, weights from 0.3 to 0.005."""
    rng = np.random.default_rng(16)
    weights = np.geomspace(0.3, 0.005, 16)
    weights /= weights.sum()
    means = np.clip(rng.beta(0.15, 0.15, (16, 200)), 0.01, 0.99)
    np.savez(folder / "sixteen.npz", weights=weights, means=means)
    for part, rows in [("train", 20_000), ("test", 5_000)]:
        of = rng.choice(16, rows, p=weights)
        x = (rng.random((rows, 200)) < means[of]).astype(np.uint8)
        with gzip.open(folder / f"sixteen_{part}_x.npy.gz", "wb") as file:
            np.save(file, x)


def log_densities(x: np.ndarray, means: np.ndarray) -> np.ndarray:
    """log q(v | k) of each row and each product."""
    return x @ np.log(means / (1 - means)).T + np.log1p(-means).sum(1)


def k_means(x: np.ndarray, k: int) -> np.ndarray:
    """Centres of the best of ten starts."""
    best = (np.inf, None)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        centres = x[rng.choice(len(x), k, replace=False)]
        for _ in range(50):
            of = nearest(x, centres)
            centres = np.stack([x[of == j].mean(0) if (of == j).any() else centres[j] for j in range(k)])
        loss = ((x - centres[nearest(x, centres)]) ** 2).sum()
        best = min(best, (loss, centres), key=lambda found: found[0])
    return best[1]


def nearest(x: np.ndarray, centres: np.ndarray) -> np.ndarray:
    return ((centres**2).sum(1) - 2 * x @ centres.T).argmin(1)


class Clusters:
    """Assigns rows to clusters of the training data: those that are known, or those of k-means."""

    def __init__(self, name: str, folder: Path, train: np.ndarray):
        if name == "sixteen":
            known = np.load(folder / "sixteen.npz")
            self.assign = lambda x: (log_densities(x, known["means"]) + np.log(known["weights"])).argmax(1)
            self.k = 16
        else:
            centres = k_means(train[:: max(1, len(train) // 5000)].astype(np.float32), CLUSTERS[name])
            self.assign = lambda x: nearest(x.astype(np.float32), centres)
            self.k = CLUSTERS[name]

    def weights(self, x: np.ndarray) -> np.ndarray:
        return np.bincount(self.assign(x), minlength=self.k) / len(x)


def total_variation(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).sum() / 2)


def load(file: Path) -> np.ndarray:
    with gzip.open(file) as stream:
        return np.load(stream)


class Bench:
    """Trains, samples and evaluates through the command line, one thread each."""

    def __init__(self, arguments: argparse.Namespace):
        self.isotherm, self.out, self.methods = arguments.isotherm, arguments.out, arguments.methods
        self.full = arguments.full
        self.options = ["--threads", "1", "--quiet"]

    def run(self, *arguments) -> str:
        command = [str(argument) for argument in (self.isotherm, *arguments, *self.options)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return done.stdout

    def train(self, data: Path, hidden: int, method: str, out: Path, *options) -> dict:
        """Seconds of learning and of the fit of the reference, and what the run chose by default."""
        common = ["--hidden", hidden, "--final-likelihood", "exact-only", "--out", out, "--overwrite"]
        self.run("train", data, *common, *self.methods[method], *options)
        timing = json.loads((out / "timing.jsonl").read_text().splitlines()[-1])
        summary = json.loads((out / "summary.json").read_text())
        return {**{name: timing[name] for name in ("fit", "train")}, "updates": summary["updates"], "rungs": summary["rungs"]}

    def updates(self, data: Path, hidden: int) -> dict:
        """Updates of each method that take as long as the first one takes by its defaults, with the fit of its
        reference. Those of other methods are kept from one call to the next."""
        file, scratch = self.out / f"updates-{data.name}-{hidden}.json", self.out / f"scratch-{data.name}"
        known = json.loads(file.read_text()) if file.exists() else {}
        default = next(iter(self.methods))
        missing = [method for method in self.methods if method not in known and method != default]
        if default not in known:
            first = self.train(data, hidden, default, scratch)
            known[default], known["fit"] = first["updates"], first["fit"] / first["train"]
        seconds = dict.fromkeys([default, *missing], np.inf)
        for _, method in itertools.product(range(2 if missing else 0), seconds):
            long, short = (self.train(data, hidden, method, scratch, "--updates", n)["train"] for n in (4000, 1000))
            seconds[method] = min(seconds[method], long - short)
        for method in missing:
            known[method] = round(known[default] * (1 + known["fit"]) * seconds[default] / seconds[method], -2)
        file.write_text(json.dumps(known))
        return known

    def measure(self, data: Path, test: Path, clusters: Clusters, run: Path) -> dict:
        """Cluster weights of samples by either sampler, and the likelihood of the test set."""
        weights = clusters.weights(load(data))
        self.run("sample", run, "-n", 4000, "--averaged", "--out", run / "samples.npy", "--overwrite")
        samples = np.load(run / "samples.npy")
        halves = [clusters.weights(half) for half in np.array_split(samples, 2)]
        work = [] if self.full else ["--quick"]
        found = json.loads(self.run("evaluate", run, "--data", test, "--averaged", "--json", *work))
        return {
            "tv": total_variation(np.mean(halves, 0), weights),
            "apart": total_variation(*halves),
            "split": total_variation(clusters.weights(load(test)), weights),
            **{name: found[name] for name in ("value", "lower", "upper")},
            "converged": found["log_z"]["verdict"]["converged"],
        }


def table(rows: list) -> str:
    """Mean and worst over seeds."""
    lines = ["| set, hidden units | method | seeds | updates | seconds | TV, mean (worst) | samplers apart, worst |"
             " log-likelihood | lowest end of brackets | converged |", "|---" * 10 + "|"]
    for key, group in itertools.groupby(rows, key=lambda row: (row["set"], row["hidden"], row["method"])):
        group = list(group)
        column = lambda name: np.array([row[name] for row in group])  # noqa: E731
        value, tv = column("value"), column("tv")
        spread = value.std(ddof=1) / len(value) ** 0.5 if len(value) > 1 else np.nan
        seconds = column("train") + column("fit")
        lines.append(
            f"| `{key[0]}`, {key[1]} | {key[2]} | {len(group)} | {group[0]['updates']:.0f} | {seconds.mean():.0f} | {tv.mean():.3f} ({tv.max():.3f})"
            f" | {column('apart').max():.3f} | {value.mean():.2f} ± {spread:.2f} | {column('lower').min():.2f}"
            f" | {column('converged').sum()} of {len(group)} |"
        )
    return "\n".join(lines)


def a_method(text: str) -> tuple:
    """A method by its name, or a name with options."""
    name, _, options = text.partition("=")
    return (name, options.split()) if options else (name, METHODS[name])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder of NAME_train_x.npy.gz and NAME_test_x.npy.gz")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--isotherm", default="target/release/isotherm")
    parser.add_argument("--sets", nargs="+", default=["2d3c", "mickey", "mnist01", "sixteen"])
    parser.add_argument("--hidden", nargs="+", type=int, default=[100])
    parser.add_argument("--methods", nargs="+", type=a_method, default=list(METHODS.items()))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--full", action="store_true", help="evaluate with the full amount of work")
    arguments = parser.parse_args()
    arguments.methods = dict(arguments.methods)

    arguments.out.mkdir(parents=True, exist_ok=True)
    bench = Bench(arguments)
    if "sixteen" in arguments.sets and not (arguments.out / "sixteen.npz").exists():
        sixteen(arguments.out)
    for name, hidden in itertools.product(arguments.sets, arguments.hidden):
        folder = arguments.out if name == "sixteen" else arguments.data
        train, test = (folder / f"{name}_{part}_x.npy.gz" for part in ("train", "test"))
        clusters = Clusters(name, arguments.out, load(train))
        updates, first = bench.updates(train, hidden), next(iter(bench.methods))
        for method, seed in itertools.product(arguments.methods, range(1, arguments.seeds + 1)):
            run = arguments.out / f"{name}-{hidden}-{method}-{seed}"
            if not (run / "cost.json").exists():
                pace = [] if method == first else ["--updates", int(updates[method])]
                cost = bench.train(train, hidden, method, run, "--seed", seed, *pace)
                (run / "cost.json").write_text(json.dumps(cost))
            if not (run / "row.json").exists():
                row = {"set": name, "hidden": hidden, "method": method, "seed": seed}
                row |= json.loads((run / "cost.json").read_text()) | bench.measure(train, test, clusters, run)
                (run / "row.json").write_text(json.dumps(row))
            print((run / "row.json").read_text(), file=sys.stderr, flush=True)
    if "sixteen" in arguments.sets:
        known, x = np.load(arguments.out / "sixteen.npz"), load(arguments.out / "sixteen_test_x.npy.gz")
        truth = np.logaddexp.reduce(log_densities(x, known["means"]) + np.log(known["weights"]), 1)
        print(f"the density of `sixteen` gives its test set {truth.mean():.2f}\n")
    rows = [json.loads(file.read_text()) for file in arguments.out.glob("*/row.json")]
    for name, group in itertools.groupby(sorted(rows, key=lambda row: row["set"]), key=lambda row: row["set"]):
        print(f"training rows and test rows of `{name}` have a TV of {next(group)['split']:.3f}")
    print()
    order = lambda row: (row["set"], row["hidden"], row["method"], row["seed"])  # noqa: E731
    print(table(sorted(rows, key=order)))


if __name__ == "__main__":
    main()
