//! Diagnostics in words: each kind has one sentence, with the thresholds behind it.

use isotherm_tempering::evidence::trips_in_words;

use super::{
    CheckpointProblem, Diagnostic, LikelihoodFailure, Stop, Stretch, WhichParameters, limits,
};
use crate::error::{Action, Cause, Dialect};
use crate::likelihood::exact::LARGEST;
use crate::options::{Options, name};
use crate::sampling::{self, FirstStates, LadderFrom, Origin};
use crate::trainer::Diverged;

impl Diagnostic {
    /// One sentence, with options and commands in the words of a front end.
    pub fn words(&self, d: &dyn Dialect) -> String {
        format!("{}.", self.clause(d))
    }

    fn clause(&self, d: &dyn Dialect) -> String {
        match self {
            Diagnostic::Data { about } => about.words(d),
            Diagnostic::UnusedOptions { names } => {
                let named: Vec<String> = names
                    .iter()
                    .map(|name| match Options::table().iter().find(|it| it.name.as_str() == name) {
                        Some(spec) => d.option(spec.name),
                        None => name.clone(),
                    })
                    .collect();
                let have = if names.len() == 1 { "has" } else { "have" };
                format!("Beside the other options {} {have} no effect", named.join(", "))
            }
            Diagnostic::PreviousCheckpoint { problem } => {
                let problem = match problem {
                    CheckpointProblem::Missing => "is missing".to_owned(),
                    CheckpointProblem::Unreadable { reason } => {
                        format!("cannot be read ({reason})")
                    }
                    CheckpointProblem::Damaged(why) => format!("is damaged ({})", why.words(d)),
                };
                format!(
                    "The last checkpoint of this run {problem}; the one before it is used instead"
                )
            }
            Diagnostic::Unfinished { steps, of } => {
                let of = of.map_or(String::new(), |of| format!(" of {of}"));
                format!(
                    "This run is not finished: {steps}{of} steps are recorded; it is still in progress, or \
                     it was stopped and {} continues it",
                    d.action(&Action::Resume("RUN".to_owned()))
                )
            }
            Diagnostic::StoppedEarly { updates, of, because } => {
                let why = match because {
                    Stop::Patience { best } => format!(
                        ", because the likelihood of the validation data has not risen since update {best}"
                    ),
                    Stop::Interrupted => String::new(),
                    Stop::Diverged { update, lr } => {
                        let diverged = Diverged { update: *update, lr: *lr };
                        format!(", because {}", diverged.words(d))
                    }
                };
                format!("Stopped after {updates} of {of} updates{why}")
            }
            Diagnostic::NonFinite { step } => format!(
                "Values that are not finite appear from step {step} on: learning diverged, and a lower {} \
                 should help",
                d.option(name::lr)
            ),
            Diagnostic::LargeParameters { largest } => format!(
                "Weights or biases reach {largest:.0e}, beyond {}: learning has diverged, and a lower {} \
                 should help",
                limits::LARGE_PARAMETER,
                d.option(name::lr)
            ),
            Diagnostic::FallingLikelihood { best_step, best, last_step, last } => format!(
                "The log-likelihood fell from {} at step {best_step} to {} at step {last_step}, by more \
                 than {:.0} % of its best value: learning is diverging or its samples are poor; a lower \
                 {}, or a ladder that mixes better, should help",
                nats(*best),
                nats(*last),
                100.0 * limits::LIKELIHOOD_FALL,
                d.option(name::lr)
            ),
            Diagnostic::OnlineLikelihood { step, round_trips, columns } => format!(
                "The likelihood along the run may be further off than its band: the sampler of this \
                 estimate had completed {} by step {step}, fewer than one for each of its {columns} \
                 columns, and still depends on its initial states; {} does not rely on it",
                trips_in_words(*round_trips),
                d.action(&Action::Evaluate)
            ),
            Diagnostic::NoLikelihood { units } => format!(
                "No likelihood: the smaller layer has {units} units, more than the {LARGEST} that can be \
                 enumerated; {} estimates it",
                d.action(&Action::Evaluate)
            ),
            Diagnostic::LikelihoodFailed { failure } => match failure {
                LikelihoodFailure::Cause(cause) => format!("No likelihood: {}", cause.words(d)),
                LikelihoodFailure::Error(error) => format!("No likelihood: {error}"),
            },
            Diagnostic::NotConverged { parameters, verdict } => {
                let of = match parameters {
                    WhichParameters::Raw => "",
                    WhichParameters::Averaged => " of the averaged parameters",
                };
                format!(
                    "The log-likelihood{of} has {}; {} spends more time on it",
                    verdict.sentence,
                    d.action(&Action::Evaluate)
                )
            }
            Diagnostic::NoRoundTrip { stretch, steps, predicted } => {
                let predicted = predicted.map_or(String::new(), |predicted| {
                    format!("the swap rates predict one in {predicted:.0}")
                });
                let (in_what, before) = match stretch {
                    Stretch::WholeRun if predicted.is_empty() => (format!("{steps} steps"), ""),
                    Stretch::WholeRun => (format!("{steps} steps ({predicted})"), ""),
                    later => {
                        let name = match later {
                            Stretch::SamplingPhase => "the sampling phase",
                            _ => "the last fifth of the updates",
                        };
                        let predicted = match predicted.is_empty() {
                            true => predicted,
                            false => format!("; {predicted}"),
                        };
                        (format!("{name} ({steps} steps{predicted})"), ", though some did before")
                    }
                };
                format!(
                    "No replica completed a round trip between the ends of the ladder in \
                     {in_what}{before}: the samples may cover only a part of the model"
                )
            }
            Diagnostic::StarvedGap { rung, betas, swap_rate, others } => {
                let others = match others {
                    0 => String::new(),
                    1 => " (one more pair is starved as well)".to_owned(),
                    more => format!(" ({more} more pairs are starved as well)"),
                };
                format!(
                    "A starved gap: rungs {rung} and {} (β = {:.3} and {:.3}) swap at a rate of \
                     {swap_rate:.3}, below {}{others}, and replicas rarely pass it; more rungs, or an \
                     adaptive ladder with {}, should help",
                    rung + 1,
                    betas[0],
                    betas[1],
                    limits::STARVED_SWAP_RATE,
                    d.setting(name::respace, "rejection")
                )
            }
            Diagnostic::ColdBottleneck { rung, beta, fall, predicted } => format!(
                "A bottleneck at the cold end: f_up falls by {fall:.2} from β = 1 to β = {beta:.3} (rung \
                 {rung}), more than {}, where the swap rates predict {predicted:.2}; swaps are accepted \
                 there, but replicas turn back because states change slowly on these rungs",
                limits::COLD_FALL
            ),
            Diagnostic::SlowMixing {
                rung,
                beta,
                measured,
                predicted,
                steepest,
                steepest_betas,
            } => {
                format!(
                    "Slow mixing inside the rungs: f_up is {measured:.2} on rung {rung} (β = {beta:.3}) \
                     where the swap rates predict {predicted:.2}, a distance of more than {}; mixing is \
                     slowest between rungs {} and {} (β = {:.3} and {:.3}), and round trips take longer \
                     than the swap rates promise",
                    limits::FLOW_DISTANCE,
                    steepest[0],
                    steepest[1],
                    steepest_betas[0],
                    steepest_betas[1]
                )
            }
            Diagnostic::FullLadder { max_rungs, swap_rate, min_swap } => format!(
                "The ladder could not grow: it has reached {}, and its mean swap rate is {swap_rate:.2}, \
                 below {}",
                d.setting(name::max_rungs, &max_rungs.to_string()),
                d.setting(name::min_swap, &min_swap.to_string())
            ),
            Diagnostic::FewRoundTrips { round_trips, columns } => format!(
                "The samples may cover only a part of the model: there were {} between the ends of \
                 the ladder since it was set up, fewer than one for each of the {columns} columns; \
                 samples need a larger {}",
                trips_in_words(*round_trips),
                d.option(sampling::name::warm_up)
            ),
            Diagnostic::SamplersDisagree {
                origins: [a, b],
                cluster,
                shares,
                distance,
                by_chance,
            } => {
                format!(
                    "Two samplers of this model disagree, so at least one of them has not found the weights of its \
                 modes: to {} {} gives {:.3}, {} gives {:.3}, and the total variation distance of the weights \
                 of clusters is {distance:.3}, where chance makes {by_chance:.3}",
                    numbered(*cluster),
                    in_words(a),
                    shares[0],
                    in_words(b),
                    shares[1]
                )
            }
            Diagnostic::ClusterWeights {
                clusters,
                cluster,
                data,
                samples,
                distance,
                by_chance,
            } => format!(
                "The weights of the clusters of the data ({clusters}) are not those of the samples: they differ most \
                 for {}, where the data have {data:.3} and the samples {samples:.3}, and the total variation \
                 distance is {distance:.3}, more than {} and than the {by_chance:.3} that chance makes",
                numbered(*cluster),
                limits::CLUSTER_WEIGHTS
            ),
            Diagnostic::WeakReference { reference, base_rates } => format!(
                "The reference of the ladder describes the examples no better than independent units: their mean \
                 log-likelihood is {reference:.2} by the reference, {base_rates:.2} by independent units; a longer run \
                 fits it longer, and {} needs no fit",
                d.setting(name::reference, "base-rate")
            ),
            Diagnostic::LostModes { updates, distance } => format!(
                "After {updates} updates the masses of the modes differ between the model and the data: their \
                 total variation distance is {distance:.2}, more than {}",
                limits::LOST_MODES
            ),
            Diagnostic::IdleUnits { samples, off, on } => {
                let mut parts = Vec::new();
                if !off.is_empty() {
                    let (units, limit) = (listed(off), limits::IDLE);
                    parts.push(format!("{units} always off (mean below {limit})"));
                }
                if !on.is_empty() {
                    let (units, limit) = (listed(on), 1.0 - limits::IDLE);
                    parts.push(format!("{units} always on (mean above {limit})"));
                }
                format!("Idle hidden units over {samples} samples: {}", parts.join("; "))
            }
        }
    }
}

/// A cluster by its number in tables, or what is outside all.
fn numbered(cluster: Option<usize>) -> String {
    match cluster {
        Some(number) => format!("cluster {number}"),
        None => "what is outside all clusters".to_owned(),
    }
}

/// A sampler.
fn in_words(origin: &Origin) -> String {
    let ladder = match origin.reference {
        LadderFrom::Run => return "the ladder of the run".to_owned(),
        LadderFrom::None => return "an exact sampler".to_owned(),
        LadderFrom::BaseRates => "a ladder from base rates",
        LadderFrom::Mixture => "a ladder from a mixture",
        LadderFrom::OtherMixture => "a ladder from another mixture",
        LadderFrom::Rbm => "a ladder from a small RBM",
        LadderFrom::UniformHidden => "a ladder on the hidden-marginal path",
    };
    let begun = match origin.start {
        FirstStates::Data => "at training data",
        FirstStates::Mixture => "at draws of the mixture of the run",
        FirstStates::Reached => "at what short Gibbs sampling reached",
        _ => "at draws of its reference",
    };
    format!("{ladder} begun {begun}")
}

/// A number of nats, with a proper minus sign.
fn nats(value: f64) -> String {
    format!("{value:.2}").replace('-', "−")
}

/// The first few of a list of units, and how many there are.
fn listed(units: &[usize]) -> String {
    const SHOWN: usize = 8;
    let named: Vec<String> = units.iter().take(SHOWN).map(usize::to_string).collect();
    match units.len() {
        1 => format!("unit {} is", named[0]),
        n if n <= SHOWN => format!("units {} are", named.join(", ")),
        n => format!("{n} units ({}, …) are", named.join(", ")),
    }
}
