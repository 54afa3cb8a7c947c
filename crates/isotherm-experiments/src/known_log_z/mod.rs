//! Models whose log Z is known by construction, although they are too large to enumerate: what an estimate
//! of log Z is measured against. Each comes with rows drawn exactly from it, and with rows in which its heaviest
//! mode is rare or absent, as after training that lost a mode or invented one.

mod blocks;
mod catalogue;
mod ferromagnet;
mod mixture;
mod part;

use isotherm::model::{Parameters, Rbm};
use isotherm_kernels::BitMatrix;
use isotherm_tempering::streams::{Key, Purpose};
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

pub use blocks::{Glass, glasses};
pub use catalogue::{CATALOGUE, Entry};
pub use ferromagnet::{Pattern, ferromagnet};
pub use mixture::{Cluster, Planted, Private, planted};
use part::choose;
pub use part::{Block, Design, Division, Group, Mode, Part};

/// Which modes the rows hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Every mode by its weight in the model: exact draws.
    Present,
    /// The heavy mode in [`RARE`] of the rows.
    Rare,
    /// The heavy mode in none of the rows.
    Absent,
    /// In each row the heavy mode of one part, of several that have one, and of no other: together the rows hold all
    /// heavy modes, and no row holds them at once.
    Apart,
}

/// The share of rows with the heavy mode, where it is rare.
pub const RARE: f64 = 0.02;

impl Variant {
    /// All of them.
    pub const ALL: [Variant; 4] =
        [Variant::Present, Variant::Rare, Variant::Absent, Variant::Apart];

    /// Whether it differs from the others for a model with so many heavy modes.
    pub fn is_for(self, withheld: usize) -> bool {
        self != Variant::Apart || withheld > 1
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Present => "present",
            Variant::Rare => "rare",
            Variant::Absent => "absent",
            Variant::Apart => "apart",
        }
    }
}

/// A model with its log Z.
#[derive(Clone, Debug)]
pub struct KnownModel {
    /// What it is.
    pub name: String,
    /// The model.
    pub model: Rbm,
    /// Its log Z.
    pub log_z: f64,
    /// Its parts, which are independent of each other.
    parts: Vec<Part>,
    /// How many of the parts, from the first on, have a heavy mode: their heaviest, number 0. The others are drawn as they
    /// are in every variant.
    withheld: usize,
    /// The visible unit of the model at which each visible unit of the parts is.
    places: Vec<usize>,
}

/// Rows, each with the mode that it was drawn from.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The rows.
    pub bits: BitMatrix,
    /// The mode of each part, of each row.
    pub modes: Vec<Vec<usize>>,
}

impl KnownModel {
    /// Parts side by side: W is block-diagonal, so log Z is the sum over the parts. The units are then permuted, by
    /// the seed. Each of the first `withheld` parts has a heavy mode: the heaviest.
    pub fn of_parts(name: &str, parts: Vec<Part>, withheld: usize, seed: u64) -> KnownModel {
        let several = parts[..withheld].iter().all(|part| part.modes().len() > 1);
        assert!(several, "{name}: a heavy mode among others");
        let n_visible = parts.iter().map(|part| part.design().c.len()).sum();
        let n_hidden = parts.iter().map(|part| part.design().n_hidden()).sum();
        let mut rng = Use::Order.stream(seed, 0);
        let [mut places, mut hidden]: [Vec<usize>; 2] =
            [n_visible, n_hidden].map(|units| (0..units).collect());
        places.shuffle(&mut rng);
        hidden.shuffle(&mut rng);
        let mut parameters = Parameters::zeros(n_visible, n_hidden);
        let Parameters { w, b, c } = &mut parameters;
        let (mut first, mut unit) = (0, 0);
        for part in &parts {
            let design = part.design();
            for (j, &bias) in design.c.iter().enumerate() {
                c.row_mut(0)[places[first + j]] = bias;
            }
            for (bias, from, weights) in design.hidden_units() {
                let i = hidden[unit];
                b.row_mut(0)[i] = bias;
                for (j, &weight) in weights.iter().enumerate() {
                    w.row_mut(places[first + from + j])[i] = weight;
                }
                unit += 1;
            }
            first += design.c.len();
        }
        let log_z = parts.iter().map(Part::log_z).sum();
        let model = Rbm::new(parameters);
        KnownModel { name: name.to_owned(), model, log_z, parts, withheld, places }
    }

    /// Its parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// How many of the parts, from the first on, have a heavy mode.
    pub fn withheld(&self) -> usize {
        self.withheld
    }

    /// The probability that a draw holds none of the heavy modes.
    pub fn share_without(&self) -> f64 {
        let parts = self.parts[..self.withheld].iter();
        parts.map(|part| part.modes()[1..].iter().map(|mode| mode.weight).sum::<f64>()).product()
    }

    /// `count` independent rows. Given its modes, each is an exact draw.
    pub fn rows(&self, variant: Variant, count: usize, seed: u64) -> Rows {
        let of_parts = |variant: Variant| -> Vec<Vec<f64>> {
            let of = |i| if i < self.withheld { variant } else { Variant::Present };
            self.parts.iter().enumerate().map(|(i, part)| shares(part, of(i))).collect()
        };
        let shares = match variant {
            Variant::Apart => of_parts(Variant::Absent),
            variant => of_parts(variant),
        };
        let mut bits = BitMatrix::zeros(count, self.places.len());
        let mut modes = Vec::with_capacity(count);
        for row in 0..count {
            let mut rng = Use::Rows.stream(seed, row);
            let mut places = self.places.iter();
            let mut of_row = Vec::with_capacity(self.parts.len());
            let heavy = (variant == Variant::Apart).then(|| row % self.withheld);
            for (i, (part, shares)) in self.parts.iter().zip(&shares).enumerate() {
                let mode = if heavy == Some(i) { 0 } else { choose(shares, &mut rng) };
                for (on, &at) in part.draw(mode, &mut rng).into_iter().zip(&mut places) {
                    bits.set(row, at, on);
                }
                of_row.push(mode);
            }
            modes.push(of_row);
        }
        Rows { bits, modes }
    }
}

/// What random numbers are for.
#[derive(Clone, Copy)]
enum Use {
    Order,
    Rows,
    Patterns,
    Clusters,
    Private,
    Glasses,
}

impl Use {
    fn stream(self, seed: u64, index: usize) -> Xoshiro256PlusPlus {
        Key { seed, step: self as u64 }.sequence(Purpose::KnownModel, index)
    }
}

/// The running sums of the shares of a part's modes in the rows of a variant. All but the heaviest keep their
/// proportions.
fn shares(part: &Part, variant: Variant) -> Vec<f64> {
    let mut shares: Vec<f64> = part.modes().iter().map(|mode| mode.weight).collect();
    let others: f64 = shares[1..].iter().sum();
    match variant {
        Variant::Present => {}
        Variant::Rare => shares[0] = others * RARE / (1.0 - RARE),
        Variant::Absent | Variant::Apart => shares[0] = 0.0,
    }
    let mut sum = 0.0;
    for share in &mut shares {
        sum += *share;
        *share = sum;
    }
    shares
}
