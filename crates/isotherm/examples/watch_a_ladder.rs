//! Watch the ladder adapt while a model learns: `cargo run --release -p isotherm --example watch_a_ladder`
use isotherm::prelude::*;

pub(crate) fn main() -> Result<()> {
    let data = Dataset::mixture(1);
    let training = Training::on(&data).path(PathKind::Joint).updates(20_000).beta_lr(1e-3);
    let mut training = training.begin()?;
    training.run(|info, state| {
        if let Some(change) = info.change {
            println!("update {}: {change:?}", state.step());
        }
        if let Some(ladder) = state.negative().ladder().filter(|_| state.step() % 4000 == 0) {
            let betas: Vec<String> =
                ladder.ladder().betas().iter().map(|beta| format!("{beta:.2}")).collect();
            let trips = ladder.flow().round_trips();
            println!("update {}: β = {}, {trips} round trips", state.step(), betas.join(" "));
        }
        true
    })
}
