//! The claims of the paper, and ours, tested on the results of an experiment.

use super::experiment::{Arm, Setting};
use super::results::{Cost, Results, RunResult, SettingResult};
use super::statistics::{
    Estimate, Interval, difference, mean_interval, rate, rate_ratio, ratio, variance_ratio,
};
use super::verdict::{Claim, Evidence, Region, Source};

/// How the two sides of a claim are compared.
type Compare = fn(&[f64], &[f64]) -> Option<Interval>;

/// A figure of a run.
type Figure = fn(&RunResult) -> Option<f64>;

// The paper gives no bounds; these are ours, and the tables state them.

/// Log-likelihoods this close count as equal, in nats.
const CLOSE: f64 = 5.0;
/// "Similar" return times: within a factor of two.
const SIMILAR: Region = Region::between(0.5, 2.0);
/// f_up this close to linear counts as linear.
const LINEAR: f64 = 0.15;
/// What rounds to a swap rate of 0.9.
const LARGE_SWAP_RATE: f64 = 0.85;
/// "About 20 rungs".
const ABOUT_20: Region = Region::between(15.0, 25.0);
/// A variance that grows by less than this factor counts as one that does not grow.
const SAME_VARIANCE: f64 = 2.0;
/// Pairs around the bottleneck: those where the rungs are closest.
pub(super) const AT_BOTTLENECK: usize = 3;

/// SML at the faster of the paper's learning rates.
const FAST_SML: Setting = Setting { arm: Arm::Sml, lr: 1e-3, beta_lr: None };

const DIFFERENCE: &str = "difference of log-likelihoods, nats";
const TRIPS: &str = "ratio of steps a round trip; figures: round trips in a million replica-steps";

/// All claims, in the paper's order, then ours.
pub fn claims(results: &Results) -> Vec<Claim> {
    let table = Table { results };
    let mut claims = table.on_likelihood();
    claims.extend(table.on_return_time());
    claims.extend(table.on_the_ladder());
    claims.extend(table.on_variance());
    claims.extend(table.on_cost());
    claims.extend(table.beyond_the_paper());
    claims
}

/// The results, with ways to compare them.
struct Table<'a> {
    results: &'a Results,
}

/// The words of a claim.
struct Words {
    id: &'static str,
    source: Source,
    claim: &'static str,
    quantity: &'static str,
}

const fn paper(id: &'static str, claim: &'static str, quantity: &'static str) -> Words {
    Words { id, source: Source::Paper, claim, quantity }
}

const fn beyond(id: &'static str, claim: &'static str, quantity: &'static str) -> Words {
    Words { id, source: Source::Beyond, claim, quantity }
}

impl Words {
    fn decide(self, evidence: Vec<Evidence>, value: Option<Interval>, claimed: Region) -> Claim {
        let Words { id, source, claim, quantity } = self;
        let verdict = claimed.verdict(value);
        Claim { id, source, claim, quantity, evidence, value, claimed, verdict, timed: false }
    }
}

impl Table<'_> {
    fn values(&self, arm: Arm, figure: Figure) -> Vec<f64> {
        self.results.best(arm).map_or(Vec::new(), |best| best.each(figure))
    }

    /// Two algorithms compared by a figure.
    fn versus(
        &self,
        words: Words,
        (a, b): (Arm, Arm),
        figure: Figure,
        compare: Compare,
        claimed: Region,
    ) -> Claim {
        let (x, y) = (self.values(a, figure), self.values(b, figure));
        let evidence = vec![evidence(a.label(), &x), evidence(b.label(), &y)];
        words.decide(evidence, compare(&x, &y), claimed)
    }

    /// Two algorithms compared by what they come to.
    fn by_likelihood(&self, words: Words, arms: (Arm, Arm), claimed: Region) -> Claim {
        self.versus(words, arms, RunResult::log_likelihood, difference, claimed)
    }

    /// One algorithm's figure against bounds.
    fn alone(&self, words: Words, arm: Arm, figure: Figure, claimed: Region) -> Claim {
        let x = self.values(arm, figure);
        words.decide(vec![evidence(arm.label(), &x)], mean_interval(&x), claimed)
    }

    fn on_likelihood(&self) -> Vec<Claim> {
        let likelihood: Figure = RunResult::log_likelihood;
        let fall: Figure =
            |run| Some(run.log_likelihood()? - run.log_likelihood_between(0.2, 0.4)?);
        vec![
            self.alone(
                paper(
                    "sml-fails",
                    "SML learns nothing meaningful: no more than independent pixels",
                    "log-likelihood, nats",
                ),
                Arm::Sml,
                likelihood,
                Region::below(self.results.independent.round()),
            ),
            self.alone(
                paper(
                    "sml-diverges",
                    "SML diverges: it falls as it learns on",
                    "log-likelihood in the last fifth minus that in the second, nats",
                ),
                Arm::Sml,
                fall,
                Region::below(0.0),
            ),
            self.by_likelihood(
                paper("pt-beats-sml", "PT does better than SML, with 10 rungs already", DIFFERENCE),
                (Arm::Pt10, Arm::Sml),
                Region::above(0.0),
            ),
            self.by_likelihood(
                paper("pt-20-beats-10", "More rungs help PT: 20 over 10", DIFFERENCE),
                (Arm::Pt20, Arm::Pt10),
                Region::above(0.0),
            ),
            self.by_likelihood(
                paper("pt-50-beats-20", "More rungs help PT: 50 over 20", DIFFERENCE),
                (Arm::Pt50, Arm::Pt20),
                Region::above(0.0),
            ),
            self.by_likelihood(
                paper("apt-beats-pt-50", "APT does better than PT with 50 rungs", DIFFERENCE),
                (Arm::Apt, Arm::Pt50),
                Region::above(0.0),
            ),
        ]
    }

    /// How long a round trip of one algorithm takes, over that of another.
    fn trips(&self, words: Words, (a, b): (Arm, Arm), claimed: Region) -> Claim {
        let counts = |arm| self.results.best(arm).map_or(Vec::new(), |best| best.round_trips());
        let evidence = [a, b]
            .map(|arm| Evidence { name: arm.label().to_owned(), estimate: rate(&counts(arm)) });
        // A time is the inverse of a rate.
        words.decide(evidence.to_vec(), rate_ratio(&counts(b), &counts(a)), claimed)
    }

    fn on_return_time(&self) -> Vec<Claim> {
        vec![
            self.versus(
                paper(
                    "return-time-sum",
                    "APT's return time is similar to that of PT with 10 rungs (sum of counters)",
                    "ratio of the paper's return times, in steps",
                ),
                (Arm::Apt, Arm::Pt10),
                RunResult::return_time,
                ratio,
                SIMILAR,
            ),
            self.trips(
                paper(
                    "return-time-true",
                    "APT's return time is similar to that of PT with 10 rungs (completed trips)",
                    TRIPS,
                ),
                (Arm::Apt, Arm::Pt10),
                SIMILAR,
            ),
            self.trips(
                paper(
                    "return-time-pt-50",
                    "PT with 50 rungs has longer return times than APT (completed trips)",
                    TRIPS,
                ),
                (Arm::Apt, Arm::Pt50),
                Region::below(1.0),
            ),
        ]
    }

    fn on_the_ladder(&self) -> Vec<Claim> {
        vec![
            self.alone(
                paper(
                    "flow-linear",
                    "APT makes f_up linear in the rung's index",
                    "largest distance of f_up from linear",
                ),
                Arm::Apt,
                RunResult::flow_deviation,
                Region::below(LINEAR),
            ),
            self.versus(
                paper(
                    "flow-pt-50",
                    "f_up of PT with 50 rungs is less linear than APT's",
                    "difference of largest distances of f_up from linear",
                ),
                (Arm::Apt, Arm::Pt50),
                RunResult::flow_deviation,
                difference,
                Region::below(0.0),
            ),
            self.alone(
                paper(
                    "swap-rates",
                    "APT swaps at rates of 0.9 around the bottleneck",
                    "mean swap rate of the 3 pairs that are closest",
                ),
                Arm::Apt,
                RunResult::bottleneck_swap_rate,
                Region::above(LARGE_SWAP_RATE),
            ),
            self.alone(
                paper("rungs", "APT needs about 20 rungs", "rungs after the last update"),
                Arm::Apt,
                RunResult::rungs,
                ABOUT_20,
            ),
        ]
    }

    fn on_variance(&self) -> Vec<Claim> {
        let likelihood: Figure = RunResult::log_likelihood;
        let late = self.values(Arm::Apt, likelihood);
        let early = self.values(Arm::Apt, |run| run.log_likelihood_between(0.2, 0.4));
        let growth = paper(
            "variance-growth",
            "APT's variance does not grow as it learns on",
            "variance of log-likelihoods in the last fifth over that in the second, as if independent",
        );
        vec![
            self.versus(
                paper(
                    "variance-rungs",
                    "More rungs reduce PT's variance: 50 over 10",
                    "ratio of variances of log-likelihoods",
                ),
                (Arm::Pt50, Arm::Pt10),
                likelihood,
                variance_ratio,
                Region::below(1.0),
            ),
            self.versus(
                paper(
                    "variance-apt",
                    "APT varies less than PT with 50 rungs",
                    "ratio of variances of log-likelihoods",
                ),
                (Arm::Apt, Arm::Pt50),
                likelihood,
                variance_ratio,
                Region::below(1.0),
            ),
            growth.decide(
                vec![evidence("APT, last fifth", &late), evidence("APT, second fifth", &early)],
                variance_ratio(&late, &early),
                Region::below(SAME_VARIANCE),
            ),
        ]
    }

    fn on_cost(&self) -> Vec<Claim> {
        let costs = &self.results.costs;
        let of = |figure: fn(&Cost) -> f64| costs.iter().map(figure).collect::<Vec<f64>>();
        let cost = paper(
            "cost",
            "APT that ends with M rungs costs no more than PT with M (the paper's open wish)",
            "ratio of seconds, trained in turns on one core",
        );
        let as_50 = self.versus(
            paper(
                "cost-pt-50",
                "APT costs about as much as PT with 50 rungs",
                "ratio of seconds for all updates, as the runs took them beside others",
            ),
            (Arm::Apt, Arm::Pt50),
            RunResult::seconds,
            ratio,
            Region::between(0.8, 1.25),
        );
        let figures = vec![
            evidence("APT, s", &of(|cost| cost.apt)),
            evidence("PT, s", &of(|cost| cost.pt)),
            evidence("M", &of(|cost| cost.rungs as f64)),
        ];
        let value = ratio(&of(|cost| cost.apt), &of(|cost| cost.pt));
        let cost = cost.decide(figures, value, Region::below(1.0));
        [cost, as_50].map(|claim| Claim { timed: true, ..claim }).to_vec()
    }

    /// The paper shows SML at its own best learning rate; this is SML at the others'.
    fn sml_at_the_rate_of_the_others(&self) -> Claim {
        let likelihood: Figure = RunResult::log_likelihood;
        let sml = |result: &&SettingResult| result.setting == FAST_SML;
        let values = self.results.settings.iter().find(sml);
        let values = values.map_or(Vec::new(), |result| result.each(likelihood));
        let words = beyond(
            "sml-at-1e-3",
            "At a learning rate of 1e-3 SML diverges: it ends below independent pixels",
            "log-likelihood, nats",
        );
        let bound = Region::below(self.results.independent.round());
        words.decide(vec![evidence("SML at 1e−3", &values)], mean_interval(&values), bound)
    }

    fn beyond_the_paper(&self) -> Vec<Claim> {
        vec![
            self.sml_at_the_rate_of_the_others(),
            self.by_likelihood(
                beyond(
                    "base-rate",
                    "APT does better on the base-rate path than on the paper's",
                    DIFFERENCE,
                ),
                (Arm::AptBaseRate, Arm::Apt),
                Region::above(0.0),
            ),
            self.by_likelihood(
                beyond(
                    "hidden-marginal",
                    "APT does better on the hidden-marginal path than on the paper's",
                    DIFFERENCE,
                ),
                (Arm::AptHiddenMarginal, Arm::Apt),
                Region::above(0.0),
            ),
            self.by_likelihood(
                beyond(
                    "perfect",
                    "On the hidden-marginal path APT loses at most 5 nats to the perfect sampler",
                    DIFFERENCE,
                ),
                (Arm::AptHiddenMarginal, Arm::Perfect),
                Region::above(-CLOSE),
            ),
            self.trips(
                beyond(
                    "shorter-trips",
                    "Round trips on the hidden-marginal path take a tenth of the paper's, or less",
                    TRIPS,
                ),
                (Arm::AptHiddenMarginal, Arm::Apt),
                Region::below(0.1),
            ),
        ]
    }
}

fn evidence(name: &str, values: &[f64]) -> Evidence {
    Evidence { name: name.to_owned(), estimate: Estimate::of(values) }
}
