//! The likelihood of a model by enumeration and by estimation, side by side:
//! `cargo run --release -p isotherm --example evaluate`
use isotherm::likelihood::{Budget, LogZMethod, LogZResult};
use isotherm::prelude::*;

pub(crate) fn main() -> Result<()> {
    let data = Dataset::mixture(1); // the paper's five images
    let model = Training::on(&data).hidden(10).updates(20_000).run()?;
    println!("enumerated {}", model.log_likelihood(&data)?);

    // What a model with more units would get.
    let mut tell = |what: &str, share: f64| {
        if share == 0.0 {
            println!("  {what}");
        }
        true // go on
    };
    let found = LogZResult::find(&model, &data, LogZMethod::Estimate, &Budget::quick(), &mut tell)?;
    println!("estimated  {}", found.likelihood(&model, &data));
    Ok(())
}
