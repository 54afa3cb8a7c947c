//! Learning that has diverged.

use crate::error::{Cause, Dialect, Kind};

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
        let lr = dialect.setting("lr", &format!("{:?}", self.lr));
        let update = self.update;
        format!(
            "the parameters stopped being finite at update {update}; a lower rate than {lr} should help"
        )
    }
}
