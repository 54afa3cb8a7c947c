//! The memory of training beyond what is always needed: the weights, what the optimiser holds of their
//! size, and the data.

use isotherm::data::Dataset;
use isotherm::model::Parameters;
use isotherm::trainer::TrainState;
use serde::Serialize;

/// The memory of this process, in bytes.
#[derive(Serialize)]
pub(crate) struct Memory {
    /// The most that was ever resident, the program itself included.
    peak_bytes: u64,
    /// The weights and their transpose, velocity, average, gradient, and the data.
    known_bytes: u64,
}

impl Memory {
    /// Nothing where the system does not tell.
    pub(crate) fn now(known_bytes: u64) -> Option<Memory> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(Memory { peak_bytes: kibibytes * 1024, known_bytes })
    }
}

/// Bytes of what the definition leaves out of the count.
pub(crate) fn known_bytes(data: &Dataset, state: &TrainState) -> u64 {
    let model = state.model();
    let transpose = model.n_hidden() * size_of_val(model.filter(0));
    let gradient = bytes_of(model.parameters()); // the trainer's own, of the same shape
    let parameters = [model.parameters(), state.averaged(), state.velocity()];
    let bits = data.bits().or(data.modes().map(|modes| modes.centres()));
    let examples = bits.map_or(0, |bits| size_of_val(bits.words()));
    (parameters.map(bytes_of).iter().sum::<usize>() + gradient + transpose + examples) as u64
}

fn bytes_of(parameters: &Parameters) -> usize {
    let Parameters { w, b, c } = parameters;
    [w, b, c].map(|part| size_of_val(part.tiles())).iter().sum()
}
