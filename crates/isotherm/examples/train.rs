//! Train an RBM on a matrix in memory: `cargo run --release -p isotherm --example train`
use isotherm::prelude::*;

pub(crate) fn main() -> Result<()> {
    // Two patterns of six pixels, a tenth of which are flipped.
    let rows: Vec<[u8; 6]> = (0..500u32)
        .map(|i| {
            let pattern: [u8; 6] = if i % 2 == 0 { [1, 1, 1, 0, 0, 0] } else { [0, 0, 0, 1, 1, 1] };
            let noisy = |j: usize| u8::from((i * 7 + j as u32 * 13).is_multiple_of(10));
            std::array::from_fn(|j| pattern[j] ^ noisy(j))
        })
        .collect();
    let data = Dataset::from_rows(&rows)?;
    let mut training = Training::on(&data).hidden(4).updates(5000).begin()?;
    training.run(|info, state| {
        if state.step() % 1000 == 0 {
            let rungs = state.negative().ladder().map_or(1, |it| it.ladder().rungs());
            println!("update {}: rate {:.4}, {rungs} rungs", state.step(), info.learning_rate);
        }
        true
    })?;
    println!("log-likelihood {}", training.model().log_likelihood(&data)?);
    Ok(())
}
