//! Values that become zeros and ones: handed over one by one, surveyed where their range decides what they
//! mean, and packed, one bit each or eight.

mod origin;
mod pack;
mod survey;
mod visitor;

use std::path::Path;

use isotherm_kernels::BitMatrix;

use super::binarise::static_key;
use super::{Binarise, Intensities, Scale};
use crate::Result;
use pack::{PackBits, PackIntensities, Rule};
use survey::Survey;

pub use origin::{Origin, shown};
pub use visitor::{Visitor, flattened, spelled};

/// What was read: zeros and ones, or grey values that are yet to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Zeros and ones.
    Bits(BitMatrix),
    /// Intensities, of which every epoch draws its own zeros and ones.
    Grey(Intensities),
}

/// What was read, and how it was understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The values.
    pub values: Values,
    /// What those in the file mean to the rule.
    pub scale: Scale,
    /// What was taken for granted, if anything.
    pub note: Option<String>,
}

/// Binarises a matrix in memory by the same rules. `name` tells errors what it is.
///
/// # Errors
///
/// If the rule cannot be applied to a value.
pub fn of_values(
    name: &str,
    shape: [usize; 2],
    value: &dyn Fn(usize, usize) -> f64,
    binarise: Binarise,
    like: Option<Scale>,
) -> Result<Loaded> {
    let origin = Origin { path: Path::new(name), len: 0 };
    let visit = |visitor: &mut dyn Visitor| {
        if !visitor.dimensions(&shape) {
            return Err(origin.too_large());
        }
        for row in 0..shape[0] {
            for col in 0..shape[1] {
                let value = value(row, col);
                visitor.value(row, col, value).map_err(|why| {
                    let place = format!("row {row}, column {col}");
                    origin.refuse_at(place, format!("{} {why}", spelled(value)))
                })?;
            }
        }
        Ok(())
    };
    binarised(&origin, &visit, binarise, like)
}

/// Whoever hands the values of a matrix to a visitor, as often as asked.
pub type Visit<'a> = &'a dyn Fn(&mut dyn Visitor) -> Result<()>;

/// Binarises by a rule what `visit` hands over, to which values mean what they mean in other data, if
/// that is given.
pub fn binarised(
    origin: &Origin,
    visit: Visit,
    binarise: Binarise,
    like: Option<Scale>,
) -> Result<Loaded> {
    if binarise == Binarise::AsIs {
        return pack_bits(visit, origin, Rule::AsIs, None, Scale::Values);
    }
    let mut survey = Survey::new();
    visit(&mut survey)?;
    let shape = [survey.rows, survey.cols];
    let scale = survey.scale_for(origin, binarise, like)?;
    let rule = match binarise {
        Binarise::AsIs => Rule::AsIs,
        Binarise::Static(seed) => {
            let key = static_key(seed, survey.fingerprint(scale));
            Rule::Draw { key, scale: scale.full() }
        }
        Binarise::Threshold(level) => Rule::Above(level * scale.full()),
        Binarise::Dynamic => return pack_intensities(visit, origin, shape, scale),
    };
    pack_bits(visit, origin, rule, Some(shape), scale)
}

fn pack_bits(
    visit: Visit,
    origin: &Origin,
    rule: Rule,
    shape: Option<[usize; 2]>,
    scale: Scale,
) -> Result<Loaded> {
    let mut pack = PackBits::new(rule);
    if shape.is_some_and(|shape| !pack.dimensions(&shape)) {
        return Err(origin.too_large());
    }
    visit(&mut pack)?;
    if !pack.is_complete() {
        return Err(origin.refuse(SHRUNK));
    }
    let note = pack.note.take();
    let bits = pack.finish().ok_or_else(|| origin.refuse("there are no values in the file"))?;
    Ok(Loaded { values: Values::Bits(bits), scale, note })
}

fn pack_intensities(
    visit: Visit,
    origin: &Origin,
    shape: [usize; 2],
    scale: Scale,
) -> Result<Loaded> {
    let mut pack = PackIntensities::new(scale.full());
    if !pack.dimensions(&shape) {
        return Err(origin.too_large());
    }
    visit(&mut pack)?;
    if !pack.is_complete() {
        return Err(origin.refuse(SHRUNK));
    }
    let values = Values::Grey(Intensities::new(pack.cols, pack.values));
    Ok(Loaded { values, scale, note: pack.note })
}

/// Why a file that has lost values since it was looked at cannot be used.
const SHRUNK: &str = "the file became shorter while it was read; wait until it is written";
