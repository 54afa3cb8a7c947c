//! Σ_j softplus(bias_j + Σ_i bits_i · weights_ij) of many rows of bits, without an exponential or a
//! logarithm a term.
//!
//! The sum is the logarithm of Π_j (1 + e^bias_j Π_i e^(bits_i · weights_ij)). The exponentials of
//! the weights are taken once and their products over every subset of a group of inputs are
//! tabulated, a row of outputs each, as `affine` does it with sums. A row of bits then picks one
//! row a group: per output a multiplication for each further group, an addition and a
//! multiplication into the product. The product's exponent is moved over to an integer whenever it
//! could overflow, and one logarithm is taken in the end.
//!
//! Nothing is carried from one row of bits to the next, so a sum depends on its bits and on the
//! table alone.

use crate::exp::exp_f32;
use crate::level::{Level, per_level};
use crate::matrix::{LANES, Matrix, Tile};

/// Inputs a group may hold. With more the tables leave the cache, with fewer there are more rows to
/// multiply: of 4, 5 and 6 this was the fastest.
const GROUP: usize = 5;
/// With more groups than this a sum takes longer than one exponential a term does.
const MOST_GROUPS: usize = 7;
/// Tiles of a row that are tabulated at a time: 32 rows of them stay in L1.
const BLOCK: usize = 4;
/// The largest |bias_j| + Σ_i |weights_ij| for which every product of exponentials stays among the
/// normal numbers of `f32`, e^±87, and so does one factor 1 + e^x beside a mantissa.
const RANGE: f32 = 80.0;

/// The tables, and what is known of their range.
#[derive(Clone, Debug, Default)]
pub struct Products {
    groups: usize,
    /// Inputs of each group but perhaps the last.
    size: usize,
    tiles: usize,
    /// The row of group `g` and subset `s` is row `g << size | s`.
    table: Vec<Tile>,
    /// Factors that can be multiplied up before the exponent has to be taken out.
    run: usize,
    in_range: bool,
}

impl Products {
    /// The most inputs that a table has.
    pub const MOST_INPUTS: usize = MOST_GROUPS * GROUP;

    /// Tabulates `weights`, inputs × outputs, and the tiles of `bias`, in the memory of the tables
    /// before. Whether all products are in range: if not, there are no sums.
    pub fn tabulate(&mut self, level: Level, weights: &Matrix, bias: &[Tile]) -> bool {
        let inputs = weights.rows();
        assert!(inputs <= Self::MOST_INPUTS, "{inputs} inputs are too many");
        assert_eq!(bias.len(), weights.tiles_per_row(), "tiles of the bias");
        let groups = inputs.div_ceil(GROUP).max(1);
        (self.groups, self.tiles) = (groups, bias.len());
        self.size = inputs.div_ceil(groups);
        self.table.resize((groups << self.size) * self.tiles, Tile::ZERO);
        let (positive, magnitude) = fill(level, weights, bias, self.size, &mut self.table);
        // log2(1 + e^x) is at most 1 + x·log2(e); the mantissa and roundings have 7 of the 127 bits.
        let bits = 1.0 + positive.max(0.0) * std::f32::consts::LOG2_E;
        self.run = (120.0 / bits).max(1.0) as usize;
        // A NaN is not.
        self.in_range = magnitude <= RANGE;
        self.in_range
    }

    /// Σ_j softplus(bias_j + Σ_i bit i of `bits` · weights_ij).
    #[inline]
    pub fn softplus_sum(&self, level: Level, bits: u64) -> f64 {
        assert!(self.in_range, "products out of range");
        multiply_up(level, &self.table, self.tiles, self.groups, self.size, self.run, bits).log()
    }
}

per_level! {
    /// Fills the table for groups of `size` inputs. Returns the largest bias_j + Σ_i weights_ij with
    /// the positive terms alone, and the largest |bias_j| + Σ_i |weights_ij| or a NaN.
    fn fill(
        weights: &Matrix,
        bias: &[Tile],
        size: usize,
        table: &mut [Tile],
    ) -> (f32, f32) = fill_body;
}

#[inline(always)]
fn fill_body(weights: &Matrix, bias: &[Tile], size: usize, table: &mut [Tile]) -> (f32, f32) {
    let (tiles, cols) = (weights.tiles_per_row(), weights.cols());
    let mut most = Largest::default();
    for start in (0..tiles).step_by(BLOCK) {
        let count = (tiles - start).min(BLOCK);
        let mut sums = [Sums::default(); BLOCK];
        for t in 0..count {
            let mut first = exp(&bias[start + t], &mut sums[t]);
            // The factors of the padding are 1 + 0.
            let used = (cols - (start + t) * LANES).min(LANES);
            first.0[used..].fill(0.0);
            table[start + t] = first;
        }
        for input in 0..weights.rows() {
            let (group, bit) = (input / size, input % size);
            let mut factors = [Tile::ZERO; BLOCK];
            let row = &weights.row_tiles(input)[start..][..count];
            for t in 0..count {
                factors[t] = exp(&row[t], &mut sums[t]);
            }
            let rows = &mut table[(group << size) * tiles..];
            if bit == 0 && group > 0 {
                rows[start..][..count].fill(Tile::splat(1.0));
            }
            let (without, with) = rows.split_at_mut((1 << bit) * tiles);
            for subset in 0..1 << bit {
                let from = &without[subset * tiles + start..][..count];
                let to = &mut with[subset * tiles + start..][..count];
                for t in 0..count {
                    let mut product = from[t];
                    multiply(&mut product, &factors[t]);
                    to[t] = product;
                }
            }
        }
        for sums in &sums[..count] {
            most.take(sums);
        }
    }
    most.values()
}

/// Sums of the arguments of one tile's exponentials.
#[derive(Clone, Copy)]
struct Sums {
    positive: Tile,
    magnitude: Tile,
}

impl Default for Sums {
    fn default() -> Sums {
        Sums { positive: Tile::ZERO, magnitude: Tile::ZERO }
    }
}

#[inline(always)]
fn exp(x: &Tile, sums: &mut Sums) -> Tile {
    let mut here = *sums;
    for lane in 0..LANES {
        let x = x.0[lane];
        here.positive.0[lane] += if x > 0.0 { x } else { 0.0 };
        here.magnitude.0[lane] += x.abs();
    }
    *sums = here;
    x.map(exp_f32)
}

/// The largest sums so far, as bits: without a sign, floats are ordered like them, NaNs last.
#[derive(Default)]
struct Largest {
    positive: [u32; LANES],
    magnitude: [u32; LANES],
}

impl Largest {
    #[inline(always)]
    fn take(&mut self, sums: &Sums) {
        for lane in 0..LANES {
            let (positive, magnitude) = (sums.positive.0[lane], sums.magnitude.0[lane].abs());
            self.positive[lane] = self.positive[lane].max(positive.to_bits());
            self.magnitude[lane] = self.magnitude[lane].max(magnitude.to_bits());
        }
    }

    #[inline(always)]
    fn values(&self) -> (f32, f32) {
        let (mut positive, mut magnitude) = (0, 0);
        for lane in 0..LANES {
            positive = positive.max(self.positive[lane]);
            magnitude = magnitude.max(self.magnitude[lane]);
        }
        (f32::from_bits(positive), f32::from_bits(magnitude))
    }
}

per_level! {
    /// Π_j (1 + Π over the groups of the entry j of the row that the group's bits pick).
    fn multiply_up(
        table: &[Tile],
        tiles: usize,
        groups: usize,
        size: usize,
        run: usize,
        bits: u64,
    ) -> Large = multiply_up_body;
}

#[inline(always)]
fn multiply_up_body(
    table: &[Tile],
    tiles: usize,
    groups: usize,
    size: usize,
    run: usize,
    bits: u64,
) -> Large {
    // With their number known, the groups are no loop.
    match groups {
        1 => of_groups::<1>(table, tiles, size, run, bits),
        2 => of_groups::<2>(table, tiles, size, run, bits),
        3 => of_groups::<3>(table, tiles, size, run, bits),
        4 => of_groups::<4>(table, tiles, size, run, bits),
        5 => of_groups::<5>(table, tiles, size, run, bits),
        6 => of_groups::<6>(table, tiles, size, run, bits),
        MOST_GROUPS => of_groups::<MOST_GROUPS>(table, tiles, size, run, bits),
        _ => panic!("{groups} groups of inputs"),
    }
}

#[inline(always)]
fn of_groups<const G: usize>(
    table: &[Tile],
    tiles: usize,
    size: usize,
    run: usize,
    bits: u64,
) -> Large {
    let mut rows: [&[Tile]; G] = [&[]; G];
    for group in 0..G {
        let subset = (bits >> (group * size)) as usize & ((1 << size) - 1);
        rows[group] = &table[(group << size | subset) * tiles..][..tiles];
    }
    let (mut exponents, mut mantissa, mut taken) = ([0; LANES], Tile::splat(1.0), 0);
    let mut start = 0;
    while start < tiles {
        let end = (start + run).min(tiles);
        let mut product = mantissa;
        for t in start..end {
            let mut factor = rows[0][t];
            for group in 1..G {
                multiply(&mut factor, &rows[group][t]);
            }
            for lane in 0..LANES {
                product.0[lane] *= 1.0 + factor.0[lane];
            }
        }
        // Every product is at least 1, so what lies above the mantissa is the exponent alone.
        for lane in 0..LANES {
            let bits = product.0[lane].to_bits();
            exponents[lane] += bits >> 23;
            mantissa.0[lane] = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
        }
        taken += 1;
        start = end;
    }
    Large { mantissa, exponents, taken }
}

/// A product in sixteen lanes: what is left of each between 1 and 2, and the sum of the exponents that were
/// taken out of it, each with its bias of 127.
struct Large {
    mantissa: Tile,
    exponents: [u32; LANES],
    taken: u32,
}

impl Large {
    /// Stays apart from the loop over tiles: beside it, the one here that narrows down makes the compiler
    /// cut its lanes into pairs.
    #[inline(never)]
    fn log(mut self) -> f64 {
        // With 2^20 outputs this is below 2^28.
        let exponent: u32 = self.exponents.iter().sum();
        // Sixteen mantissas below 2 make less than 2^16.
        let mut width = LANES / 2;
        while width > 0 {
            for lane in 0..width {
                self.mantissa.0[lane] *= self.mantissa.0[lane + width];
            }
            width /= 2;
        }
        let exponent = exponent - 127 * LANES as u32 * self.taken;
        libm::log(f64::from(self.mantissa.0[0])) + f64::from(exponent) * std::f64::consts::LN_2
    }
}

#[inline(always)]
fn multiply(x: &mut Tile, y: &Tile) {
    let mut product = *x;
    for lane in 0..LANES {
        product.0[lane] *= y.0[lane];
    }
    *x = product;
}
