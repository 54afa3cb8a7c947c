//! The rule by which claims are judged, and every claim on made-up results.

use std::path::PathBuf;

use isotherm::likelihood::{LogLikelihood, Method};
use isotherm::trainer::Phase;
use isotherm_experiments::claims::claims;
use isotherm_experiments::statistics::Interval;
use isotherm_experiments::table::ClaimsFile;
use isotherm_experiments::verdict::{Region, Verdict};
use isotherm_experiments::{Arm, Cost, Results, RunResult, SettingResult, Size};
use isotherm_run::record::{LadderRow, Row, Seconds, Timing};

const UPDATES: u64 = 1000;

#[test]
fn a_claim_holds_where_its_whole_interval_lies_inside() {
    use Verdict::{DoesNotHold, Holds, NotResolved};
    let between = |low, high| Some(Interval { estimate: (low + high) / 2.0, low, high });
    let cases = [
        (Region::above(0.0), between(0.1, 5.0), Holds),
        (Region::above(0.0), between(0.0, 5.0), Holds),
        (Region::above(0.0), between(-0.1, 5.0), NotResolved),
        (Region::above(0.0), between(-5.0, -0.1), DoesNotHold),
        (Region::below(1.0), between(0.2, 1.0), Holds),
        (Region::below(1.0), between(1.01, 3.0), DoesNotHold),
        (Region::between(0.5, 2.0), between(0.6, 1.9), Holds),
        (Region::between(0.5, 2.0), between(0.4, 1.9), NotResolved),
        (Region::between(0.5, 2.0), between(0.1, 3.0), NotResolved),
        (Region::between(0.5, 2.0), between(2.5, 3.0), DoesNotHold),
        (Region::above(0.0), between(f64::NEG_INFINITY, f64::INFINITY), NotResolved),
        (Region::above(0.0), None, NotResolved),
    ];
    for (region, value, verdict) in cases {
        assert_eq!(region.verdict(value), verdict, "{region} and {value:?}");
    }
    let nan = Interval { estimate: f64::NAN, low: f64::NAN, high: f64::NAN };
    assert_eq!(Region::above(0.0).verdict(Some(nan)), NotResolved);
}

/// What a made-up run should look like.
#[derive(Clone)]
struct Made {
    /// Log-likelihood in the second fifth and in the last.
    early: f64,
    late: f64,
    rungs: usize,
    /// How far the middle rungs' f_up is from linear.
    off: f64,
    /// Swap rate where the rungs are closest.
    swap: f64,
    return_time: f64,
    round_trips: u64,
    seconds: f64,
}

impl Made {
    fn ladder(&self) -> Option<LadderRow> {
        let last = self.rungs.checked_sub(1).filter(|last| *last > 0)?;
        let linear = |rung: usize| 1.0 - rung as f64 / last as f64;
        let inside = |rung: usize| (1..last).contains(&rung);
        let f_up = |rung: usize| linear(rung) + if inside(rung) { self.off } else { 0.0 };
        // The second, third and fourth pairs are the closest.
        let mut betas: Vec<f64> = (0..=last).map(linear).collect();
        let mut rates = vec![Some(0.3); last];
        for rung in (1..4).rev().filter(|_| last > 4) {
            betas[rung] = betas[rung + 1] + 0.01 / last as f64;
            rates[rung] = Some(self.swap);
        }
        Some(LadderRow {
            betas,
            swap_rates: rates,
            swap_rate: 0.4,
            f_up: (0..=last).map(|rung| Some(f_up(rung))).collect(),
            return_time_mean: 1.0,
            return_time_sum: self.return_time,
            round_trips: self.round_trips,
            replica_steps: 1_000_000,
        })
    }

    fn run(&self, seed: u64, noise: f64) -> RunResult {
        let row = |step: u64, phase, value: Option<f64>| Row {
            step,
            phase,
            learning_rate: 1e-3,
            event: None,
            log_likelihood: value.map(|value| LogLikelihood {
                value,
                std_error: 0.1,
                method: Method::Exact,
                lower: value,
                upper: value,
                on: "made up".to_owned(),
                examples_std_error: None,
                log_z: None,
            }),
            log_likelihood_averaged: None,
            log_likelihood_valid: None,
            log_z_averaged: None,
            ladder: self.ladder(),
        };
        let rows = vec![
            row(300, Phase::Train, Some(self.early + noise)),
            row(900, Phase::Train, Some(self.late + noise)),
            row(1000, Phase::Train, Some(self.late + noise)),
            row(1200, Phase::Sample, None),
        ];
        let seconds = Seconds { train: self.seconds, ..Seconds::default() };
        let timings = rows.iter().map(|row| Timing { step: row.step, seconds }).collect();
        RunResult { folder: PathBuf::new(), seed, updates: UPDATES, rows, timings }
    }
}

/// Results on which every claim holds by far.
fn as_claimed(arm: Arm) -> Made {
    let made = Made {
        early: -300.0,
        late: -200.0,
        rungs: 20,
        off: 0.05,
        swap: 0.92,
        return_time: 1000.0,
        round_trips: 1000,
        seconds: 10.0,
    };
    match arm {
        Arm::Sml => Made { early: -300.0, late: -500.0, rungs: 1, ..made },
        Arm::Pt10 => Made { late: -200.0, rungs: 10, off: 0.4, ..made },
        Arm::Pt20 => Made { late: -150.0, off: 0.4, ..made },
        Arm::Pt50 => Made { late: -130.0, rungs: 50, off: 0.4, round_trips: 100, ..made },
        Arm::Apt => Made { late: -120.0, ..made },
        Arm::AptBaseRate => Made { late: -105.0, ..made },
        Arm::AptHiddenMarginal => Made { late: -95.0, rungs: 6, round_trips: 50_000, ..made },
        Arm::Perfect => Made { late: -95.0, rungs: 1, ..made },
    }
}

/// The spread of the made-up likelihoods: larger for PT-10 than for PT-50 than for APT, as claimed.
fn spread(arm: Arm) -> f64 {
    match arm {
        Arm::Pt10 => 1.0,
        Arm::Pt50 => 0.1,
        _ => 0.01,
    }
}

/// −2 to 2, in another order of the seeds for neighbouring algorithms.
fn noise(arm: Arm, seed: u64) -> f64 {
    (seed * (1 + arm as u64 % 4) % 5) as f64 - 2.0
}

fn results(make: impl Fn(Arm) -> Made, spread: impl Fn(Arm) -> f64, cost: f64) -> Results {
    let arms = Arm::ALL.into_iter().map(|arm| SettingResult {
        setting: arm.settings()[0],
        runs: (1..=5).map(|seed| make(arm).run(seed, spread(arm) * noise(arm, seed))).collect(),
    });
    let costs =
        (1..=5).map(|seed| Cost { seed, rungs: 20, apt: cost + 0.01 * seed as f64, pt: 1.0 });
    Results {
        size: Size { updates: UPDATES, seeds: 5 },
        settings: arms.collect(),
        costs: costs.collect(),
        limit: -78.8,
        independent: -427.3,
    }
}

fn verdict(results: &Results, id: &str) -> Verdict {
    claims(results).into_iter().find(|claim| claim.id == id).unwrap().verdict
}

#[test]
fn results_as_claimed_make_every_claim_hold() {
    let results = results(as_claimed, spread, 0.8);
    let open = ["variance-growth", "cost-pt-50"];
    for claim in claims(&results) {
        if !open.contains(&claim.id) {
            assert_eq!(claim.verdict, Verdict::Holds, "{}: {}", claim.id, claim.measured());
        }
    }
    // Equal variances: as likely to grow as not.
    assert_eq!(verdict(&results, "variance-growth"), Verdict::NotResolved);
    assert_eq!(verdict(&results, "cost-pt-50"), Verdict::Holds);
}

/// For every claim a change of the results that makes it fail.
#[test]
fn every_claim_can_fail() {
    let with = |arm: Arm, change: fn(Made) -> Made| {
        results(|it| if it == arm { change(as_claimed(it)) } else { as_claimed(it) }, spread, 0.8)
    };
    let learned = |made| Made { early: -300.0, late: -140.0, ..made };
    let cases: [(&str, Results); 19] = [
        ("sml-at-1e-3", with(Arm::Sml, learned)),
        ("sml-fails", with(Arm::Sml, learned)),
        ("sml-diverges", with(Arm::Sml, learned)),
        ("pt-beats-sml", with(Arm::Sml, learned)),
        ("pt-20-beats-10", with(Arm::Pt20, |made| Made { late: -220.0, ..made })),
        ("pt-50-beats-20", with(Arm::Pt50, |made| Made { late: -220.0, ..made })),
        ("apt-beats-pt-50", with(Arm::Apt, |made| Made { late: -220.0, ..made })),
        ("return-time-sum", with(Arm::Apt, |made| Made { return_time: 5000.0, ..made })),
        ("return-time-true", with(Arm::Pt10, |made| Made { round_trips: 0, ..made })),
        ("return-time-pt-50", with(Arm::Pt50, |made| Made { round_trips: 2000, ..made })),
        ("flow-linear", with(Arm::Apt, |made| Made { off: 0.3, ..made })),
        ("flow-pt-50", with(Arm::Apt, |made| Made { off: 0.5, ..made })),
        ("swap-rates", with(Arm::Apt, |made| Made { swap: 0.7, ..made })),
        ("rungs", with(Arm::Apt, |made| Made { rungs: 30, ..made })),
        ("cost-pt-50", with(Arm::Pt50, |made| Made { seconds: 30.0, ..made })),
        ("base-rate", with(Arm::AptBaseRate, |made| Made { late: -220.0, ..made })),
        ("hidden-marginal", with(Arm::AptHiddenMarginal, |made| Made { late: -220.0, ..made })),
        ("perfect", with(Arm::Perfect, |made| Made { late: -85.0, ..made })),
        ("shorter-trips", with(Arm::AptHiddenMarginal, |made| Made { round_trips: 2000, ..made })),
    ];
    for (id, results) in &cases {
        assert_eq!(verdict(results, id), Verdict::DoesNotHold, "{id}");
    }
    let costly = results(as_claimed, spread, 1.2);
    assert_eq!(verdict(&costly, "cost"), Verdict::DoesNotHold);
    let reversed = results(as_claimed, |arm| 1.0 / spread(arm), 0.8);
    assert_eq!(verdict(&reversed, "variance-rungs"), Verdict::DoesNotHold);
    assert_eq!(verdict(&reversed, "variance-apt"), Verdict::DoesNotHold);
    // No claim is left out: variance-growth has a test of its own.
    let tested: Vec<&str> = cases.iter().map(|case| case.0).collect();
    let others = ["cost", "variance-rungs", "variance-apt", "variance-growth"];
    for claim in claims(&costly) {
        assert!(tested.contains(&claim.id) || others.contains(&claim.id), "{}", claim.id);
    }
}

/// A spread that shrinks or grows tenfold while APT learns decides the claim that it does not grow.
#[test]
fn growth_of_the_variance_is_seen() {
    for (early, late, verdict_of) in
        [(1.0, 0.05, Verdict::Holds), (0.05, 1.0, Verdict::DoesNotHold)]
    {
        let mut results = results(as_claimed, spread, 0.8);
        let apt = results.settings.iter_mut().find(|arm| arm.setting.arm == Arm::Apt).unwrap();
        for (seed, run) in (1..).zip(&mut apt.runs) {
            for row in run.rows.iter_mut() {
                let spread = if row.step < 500 { early } else { late };
                if let Some(measured) = &mut row.log_likelihood {
                    measured.value = -120.0 + spread * (seed as f64 - 3.0);
                }
            }
        }
        assert_eq!(verdict(&results, "variance-growth"), verdict_of);
    }
}

/// A handful of round trips on one side and none on the other decides nothing.
#[test]
fn few_round_trips_decide_nothing() {
    let few = |arm| match arm {
        Arm::Apt => Made { round_trips: 1, ..as_claimed(arm) },
        Arm::Pt50 => Made { round_trips: 0, ..as_claimed(arm) },
        arm => as_claimed(arm),
    };
    let results = results(few, spread, 0.8);
    assert_eq!(verdict(&results, "return-time-pt-50"), Verdict::NotResolved);
}

#[test]
fn noise_leaves_claims_open() {
    let noisy = results(as_claimed, |_| 60.0, 0.8);
    for id in ["pt-20-beats-10", "apt-beats-pt-50", "base-rate", "perfect"] {
        assert_eq!(verdict(&noisy, id), Verdict::NotResolved, "{id}");
    }
    let mut single = results(as_claimed, spread, 0.8);
    for setting in &mut single.settings {
        setting.runs.truncate(1);
    }
    single.costs.truncate(1);
    for claim in claims(&single) {
        assert_eq!(claim.verdict, Verdict::NotResolved, "one seed: {}", claim.id);
    }
}

/// A missing algorithm or missing costs leave a claim open; nothing fails.
#[test]
fn what_was_not_measured_is_not_resolved() {
    let mut results = results(as_claimed, spread, 0.8);
    results.settings.retain(|arm| arm.setting.arm != Arm::Pt50);
    results.costs.clear();
    assert_eq!(verdict(&results, "apt-beats-pt-50"), Verdict::NotResolved);
    assert_eq!(verdict(&results, "cost"), Verdict::NotResolved);
    let tables = ClaimsFile::of(&results);
    assert!(tables.lines().contains("not measured"));
}

/// Only the claims about seconds may differ between two computations of the same experiment.
#[test]
fn claims_say_whether_they_are_timed() {
    let slow = results(|arm| Made { seconds: 99.0, ..as_claimed(arm) }, spread, 3.0);
    let quick = results(as_claimed, spread, 0.8);
    let same = |a: &Results, b: &Results| {
        for (a, b) in claims(a).into_iter().zip(claims(b)) {
            assert!(a == b || a.timed, "{}", a.id);
        }
    };
    same(&slow, &quick);
    assert_eq!(claims(&slow).iter().filter(|claim| claim.timed).count(), 2);
}
