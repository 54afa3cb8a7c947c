//! The same seed gives the same bytes for any number of threads and any CPU level.

use std::fs;
use std::path::Path;

use crate::common::*;

/// Steps long enough for the work to be divided among the threads: a Gibbs step of a row of 70 × 10
/// units takes about 85 ns, and another thread is used for at least 150 µs of work.
const OPTIONS: &str = "--batch 20 --updates 60 \
    --metrics-every 10 --likelihood-every 30 --lr 0.1 --momentum 0.3 --weight-decay 1e-3 --l1 1e-3 \
    --smooth 1e-2 --shape 10x7 --quiet";
const LADDER: &str = "--k 40 --columns 20 --rungs 8 --spawn-every 30 --burn-in 10 --beta-lr 0.05 \
    --min-swap 0.85 --particles 25";

fn differs(one: &Path, other: &Path) -> bool {
    SAME.iter().all(|name| {
        let read = |run: &Path| fs::read(run.join(name)).unwrap();
        read(one) != read(other)
    })
}

/// Runs a configuration in all the ways that must give the same bytes, and with another seed.
fn check(options: &str) {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 150, 70);
    let place = |name: &str| folder.path().join(name);
    let sampling = if options.contains("cd") { "" } else { "--sampling-steps 40" };
    let hidden = if options.contains("--hidden") { "" } else { "--hidden 10" };
    let options = format!("{OPTIONS} {hidden} {sampling} {options}");
    let go = |name: &str, more: &str| {
        succeed(train(Some(&data), &format!("{options} {more}"), &place(name)));
        place(name)
    };
    let one = go("1", "--threads 1");
    for threads in ["2", "3", "8"] {
        let other = go(threads, &format!("--threads {threads}"));
        assert_same(&one, &other, &format!("{threads} threads, {options}"));
    }
    for level in ["baseline", "avx2"] {
        let other = place(level);
        let arguments = train(Some(&data), &format!("{options} --threads 2"), &other);
        let ran = finish(command(arguments).env("ISOTHERM_CPU_LEVEL", level));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert_same(&one, &other, &format!("{level} instructions, {options}"));
    }
    let other = go("seed", "--seed 2");
    assert!(differs(&one, &other), "another seed gives the same: {options}");
}

#[test]
fn contrastive_divergence() {
    check("--algorithm cd --k 300");
}

#[test]
fn persistent_samples_on_each_path() {
    for path in ["joint", "base-rate", "hidden-marginal"] {
        check(&format!("--algorithm sml --path {path} --columns 150 --k 40"));
    }
}

#[test]
fn a_fixed_ladder_on_each_path() {
    for path in ["joint", "base-rate", "hidden-marginal"] {
        check(&format!("--algorithm pt --path {path} {LADDER}"));
    }
}

#[test]
fn an_adaptive_ladder_on_each_path() {
    for (path, respace) in [("joint", "flow"), ("base-rate", "rejection")] {
        check(&format!("--algorithm apt --path {path} --respace {respace} {LADDER}"));
    }
    check(&format!("--algorithm apt --path hidden-marginal --respace flow-sqrt {LADDER}"));
}

#[test]
fn an_adaptive_ladder_from_a_fitted_reference() {
    for reference in ["mixture --components 5", "rbm --reference-hidden 5"] {
        check(&format!("--algorithm apt --reference {reference} --hidden 40 {LADDER}"));
    }
}

#[test]
fn swap_rules_other_than_the_default() {
    check(&format!("--algorithm apt --path joint --swap free-energy {LADDER}"));
    check(&format!("--algorithm apt --path base-rate --swap energy --gradient plain {LADDER}"));
}

#[test]
fn a_follower_and_the_best_model() {
    check("--algorithm sml --hidden 40 --columns 30 --split 0.6/0.2/0.2");
}

#[test]
fn the_mixture_with_its_own_seed() {
    let folder = tempfile::tempdir().unwrap();
    let go = |name: &str, more: &str| {
        let run = folder.path().join(name);
        let options = format!("--hidden 6 --updates 150 --quiet {more}");
        succeed(train(None, &options, &run));
        run
    };
    let one = go("1", "--threads 1");
    assert_same(&one, &go("2", "--threads 2"), "threads");
    assert!(differs(&one, &go("seed", "--seed 2")));
    assert!(differs(&one, &go("data-seed", "--data-seed 2")));
}

#[test]
fn samples_and_likelihoods() {
    let folder = tempfile::tempdir().unwrap();
    let data = csv(folder.path(), 150, 30);
    let run = folder.path().join("run");
    succeed(train(Some(&data), "--hidden 10 --batch 20 --updates 200 --quiet", &run));
    let run = text(&run);
    let drawn = |name: &str, more: &str| {
        let out = folder.path().join(format!("{name}.npy"));
        let line = format!("sample {run} -n 250 --quiet --out {} {more}", out.display());
        succeed(words(&line));
        fs::read(out).unwrap()
    };
    let one = drawn("1", "--threads 1");
    let measured = |threads: &str| succeed(["evaluate", &run, "--json", "--threads", threads]);
    for threads in ["2", "3", "8"] {
        assert!(drawn(threads, &format!("--threads {threads}")) == one, "{threads} threads");
        assert_eq!(measured(threads), measured("1"));
    }
    assert!(drawn("seed", "--seed 2") != one);
}
