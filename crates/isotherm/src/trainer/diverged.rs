//! Learning that has diverged.

use crate::error::{Cause, Dialect, Kind};
use crate::options::name;

/// The parameters, or the energies that follow from them, stopped being finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diverged {
    /// The update at which that happened, counted from 1.
    pub update: u64,
    /// The learning rate at the start.
    pub lr: f64,
}

impl Cause for Diverged {
    fn kind(&self) -> Kind {
        Kind::NonFinite
    }

    fn words(&self, dialect: &dyn Dialect) -> String {
        let Diverged { update, lr } = self;
        let option = dialect.option(name::lr);
        format!(
            "the parameters stopped being finite at update {update}; a lower {option} than {lr:?} should help"
        )
    }
}
