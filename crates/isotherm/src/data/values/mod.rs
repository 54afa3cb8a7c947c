//! Values that become zeros and ones: passed on one by one, surveyed first if their range decides their
//! scale, and packed into one bit or one byte each.

mod origin;
mod pack;
mod refusal;
mod survey;
mod visitor;

use isotherm_kernels::BitMatrix;

use super::binarise::static_key;
use super::{Assumption, Binarise, DataProblem, Intensities, Scale};
use crate::Result;
use pack::{PackBits, PackIntensities, Rule};
use survey::Survey;

pub use origin::{Origin, shown};
pub use refusal::ValueProblem;
pub use visitor::{Visitor, flattened, spelled};

/// Values that were read: zeros and ones, or grey values that are yet to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Zeros and ones.
    Bits(BitMatrix),
    /// Intensities, from which every epoch draws its own zeros and ones.
    Grey(Intensities),
}

/// Values that were read, and what they were taken for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// The values.
    pub values: Values,
    /// What the values in the file mean to the rule.
    pub scale: Scale,
    /// The assumption made in reading them, if there is one.
    pub assumption: Option<Assumption>,
}

/// Binarises a matrix in memory, which errors call by its `name`.
///
/// # Errors
///
/// If the rule cannot be applied to a value.
pub(crate) fn of_values(
    name: &str,
    shape: [usize; 2],
    value: &dyn Fn(usize, usize) -> f64,
    binarise: Binarise,
    like: Option<Scale>,
) -> Result<Loaded> {
    let origin = Origin::memory(name);
    let visit = |visitor: &mut dyn Visitor| {
        if !visitor.dimensions(&shape) {
            return Err(origin.refuse(DataProblem::TooLarge));
        }
        for row in 0..shape[0] {
            for col in 0..shape[1] {
                let value = value(row, col);
                visitor.value(row, col, value).map_err(|problem| {
                    origin.refuse_value(origin.cell(row, col), value, problem)
                })?;
            }
        }
        Ok(())
    };
    binarised(&origin, &visit, binarise, like)
}

/// Hands the values of a matrix to a visitor, and can do so more than once.
pub type Visit<'a> = &'a dyn Fn(&mut dyn Visitor) -> Result<()>;

/// Binarises by a rule the values that `visit` passes on. `like` is the scale of the training data, on
/// which these values must lie too.
///
/// # Errors
///
/// If `visit` fails, or the rule cannot be applied to a value.
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
        return Err(origin.refuse(DataProblem::TooLarge));
    }
    visit(&mut pack)?;
    if !pack.is_complete() {
        return Err(origin.refuse(DataProblem::Shrunk));
    }
    let assumption = pack.assumption;
    let bits = pack.finish().ok_or_else(|| origin.refuse(DataProblem::NoValues))?;
    Ok(Loaded { values: Values::Bits(bits), scale, assumption })
}

fn pack_intensities(
    visit: Visit,
    origin: &Origin,
    shape: [usize; 2],
    scale: Scale,
) -> Result<Loaded> {
    let mut pack = PackIntensities::new(scale.full());
    if !pack.dimensions(&shape) {
        return Err(origin.refuse(DataProblem::TooLarge));
    }
    visit(&mut pack)?;
    if !pack.is_complete() {
        return Err(origin.refuse(DataProblem::Shrunk));
    }
    let values = Values::Grey(Intensities::new(pack.cols, pack.values));
    Ok(Loaded { values, scale, assumption: pack.assumption })
}
