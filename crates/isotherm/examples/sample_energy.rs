//! Sample an energy of your own, with log Z: `cargo run --release -p isotherm --example sample_energy`
use isotherm::prelude::*;

pub(crate) fn main() -> Result<()> {
    // An Ising ring of 20 spins at inverse temperature 1.
    let n = 20;
    let ring =
        PerState::new(n, |x| (0..n).map(|i| if x[i] == x[(i + 1) % n] { -1.0 } else { 1.0 }).sum());
    let found = sample_target(&ring, &TargetRequest::default(), |_share| true)?;
    let log_z = found.log_z.expect("log Z was asked for").bar;
    let exact = ((2.0 * 1f64.cosh()).powi(20) + (2.0 * 1f64.sinh()).powi(20)).ln();
    println!("log Z {:.3} ± {:.3}, by transfer matrices {exact:.3}", log_z.value, log_z.std_error);
    println!("{} samples, {} round trips: {}", found.energies.len(), found.round_trips, {
        found.verdict().sentence
    });
    Ok(())
}
