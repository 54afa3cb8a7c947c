//! What a ladder gives reason to doubt, in words, each with the threshold behind it: half sentences, for the
//! summary as they are and for the report as sentences.

use super::LadderRow;
use isotherm::likelihood::verdict::trips_in_words;
use isotherm::options::{Algorithm, Options};
use isotherm_tempering::theory;

/// A pair whose swap rate is below this is a gap that replicas rarely pass.
pub const STARVED: f64 = 0.1;
/// A distance of f_up from what the swap rates predict that is more than noise.
const FAR_FROM_PREDICTED: f64 = 0.2;
/// A fall of f_up over the coldest third of the gaps that leaves too little for the others.
const COLD_FALL: f64 = 0.5;
/// Predicted round trips of one replica from which on the flow of all of them tells anything.
const ENOUGH_TRIPS: f64 = 5.0;

/// What is doubtful about a ladder after so many steps of it.
pub fn of_a_ladder(ladder: &LadderRow, options: Option<&Options>, steps: u64) -> Vec<String> {
    let mixing = || cold_bottleneck(ladder).or_else(|| slow_mixing(ladder));
    let mixing = lasted(ladder, steps).then(mixing).flatten();
    let full = options.and_then(|options| full_ladder(ladder, options));
    [starved_gap(ladder), mixing, full].into_iter().flatten().collect()
}

/// The gap that swaps least often, if that is hardly ever.
fn starved_gap(ladder: &LadderRow) -> Option<String> {
    let rates = ladder.swap_rates.iter().enumerate();
    let starved = rates.filter_map(|(pair, rate)| Some((pair, (*rate)?)));
    let starved: Vec<(usize, f64)> = starved.filter(|&(_, rate)| rate < STARVED).collect();
    let &(pair, rate) = starved.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let others = match starved.len() - 1 {
        0 => String::new(),
        1 => " (one more pair is starved as well)".to_owned(),
        more => format!(" ({more} more pairs are starved as well)"),
    };
    Some(format!(
        "a starved gap: rungs {pair} and {} (β = {:.3} and {:.3}) swap at a rate of {rate:.3}, \
         below {STARVED}{others}, and replicas rarely pass it; more rungs, or an adaptive ladder \
         with --respace rejection, should help",
        pair + 1,
        ladder.betas[pair],
        ladder.betas.get(pair + 1).copied().unwrap_or(0.0)
    ))
}

/// What is doubtful about a follower, by the rule by which `evaluate` finds a sampler not converged.
pub fn of_a_follower(columns: usize, round_trips: u64, step: u64) -> Option<String> {
    let trips = trips_in_words(round_trips);
    (round_trips < columns as u64).then(|| {
        format!(
            "the likelihood along the run may be further off than its band: the sampler that follows \
             it had completed {trips} at step {step}, fewer than one for each of its {columns} columns, \
             and hardly forgets where it began; `isotherm evaluate` does not rest on it"
        )
    })
}

/// f_up as the swap rates predict it if the states inside each rung were drawn afresh at every
/// step; nothing before every pair has been tried.
pub fn predicted_flow(ladder: &LadderRow) -> Option<Vec<f64>> {
    rejections(ladder).map(|rejections| theory::flow(&rejections))
}

/// The steps of one replica's round trip that the swap rates predict.
pub fn predicted_round_trip(ladder: &LadderRow) -> Option<f64> {
    let rate = theory::round_trip_rate(&rejections(ladder)?);
    Some(ladder.betas.len() as f64 / rate)
}

/// Whether so many steps are enough for replicas to have crossed the ladder [`ENOUGH_TRIPS`] times.
pub fn lasted(ladder: &LadderRow, steps: u64) -> bool {
    // A gap that starves must not hide that nothing crosses it, however long it is watched.
    let fed = |rate: &Option<f64>| Some(rate.unwrap_or(0.0).max(STARVED));
    let fed =
        LadderRow { swap_rates: ladder.swap_rates.iter().map(fed).collect(), ..ladder.clone() };
    predicted_round_trip(&fed).is_some_and(|trip| steps as f64 >= ENOUGH_TRIPS * trip)
}

fn rejections(ladder: &LadderRow) -> Option<Vec<f64>> {
    // A pair that never swaps would have an infinite resistance, and its flow no value.
    let rejection = |rate: &Option<f64>| rate.map(|rate| (1.0 - rate).clamp(0.0, 1.0 - 1e-9));
    ladder.swap_rates.iter().map(rejection).collect()
}

/// Where f_up is measured and predicted: rung, measured, predicted.
fn flows(ladder: &LadderRow) -> Vec<(usize, f64, f64)> {
    let predicted = predicted_flow(ladder).unwrap_or_default();
    let both = ladder.f_up.iter().zip(predicted).enumerate();
    both.filter_map(|(rung, (f_up, predicted))| Some((rung, (*f_up)?, predicted))).collect()
}

fn cold_bottleneck(ladder: &LadderRow) -> Option<String> {
    let third = ladder.swap_rates.len().div_ceil(3);
    let flows = flows(ladder);
    let &(_, measured, predicted) = flows.iter().find(|&&(rung, ..)| rung == third)?;
    let (fall, expected) = (1.0 - measured, 1.0 - predicted);
    (third < ladder.swap_rates.len()
        && fall > COLD_FALL
        && fall - expected > FAR_FROM_PREDICTED)
        .then(|| {
            format!(
                "a bottleneck at the cold end: f_up falls by {fall:.2} from β = 1 to β = {:.3} (rung \
                 {third}), more than {COLD_FALL}, where the swap rates predict {expected:.2}; swaps \
                 are accepted there, but replicas turn back: they mix slowly inside the rungs",
                ladder.betas[third]
            )
        })
}

fn slow_mixing(ladder: &LadderRow) -> Option<String> {
    let distance = |&(_, measured, predicted): &(usize, f64, f64)| (measured - predicted).abs();
    let flows = flows(ladder);
    let worst = flows.iter().max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let &(rung, measured, predicted) = worst;
    if distance(worst) <= FAR_FROM_PREDICTED {
        return None;
    }
    let fall = |pair: &&[(usize, f64, f64)]| {
        (pair[0].1 - pair[1].1) - (pair[0].2 - pair[1].2) // beyond the predicted one
    };
    let steepest = flows.windows(2).max_by(|a, b| fall(a).total_cmp(&fall(b)))?;
    let (cold, hot) = (steepest[0].0, steepest[1].0);
    Some(format!(
        "f_up is {measured:.2} on rung {rung} (β = {:.3}) where the swap rates predict \
         {predicted:.2}, further off than {FAR_FROM_PREDICTED}: replicas mix slowly inside the \
         rungs, most of all between rungs {cold} and {hot} (β = {:.3} and {:.3}), and round trips \
         take longer than the swap rates promise",
        ladder.betas[rung], ladder.betas[cold], ladder.betas[hot]
    ))
}

fn full_ladder(ladder: &LadderRow, options: &Options) -> Option<String> {
    let adaptive = options.sampler.algorithm == Algorithm::Apt
        && ladder.betas.len() >= options.ladder.max_rungs;
    (adaptive && ladder.swap_rate < options.ladder.min_swap).then(|| {
        format!(
            "the ladder could not grow: it has its --max-rungs {} and a mean swap rate of {:.2}, \
             below its --min-swap {}",
            options.ladder.max_rungs, ladder.swap_rate, options.ladder.min_swap
        )
    })
}
