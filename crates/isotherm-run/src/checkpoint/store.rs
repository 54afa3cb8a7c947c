//! The two checkpoints of a run: the current one and the one before it.

use std::fs;
use std::io;
use std::path::Path;

use super::atomic::{self, Disk, Staged};
use isotherm::tensors::Bundle;
use isotherm::{Error, Result};

/// The name of the latest checkpoint in the folder of a run.
pub const CURRENT: &str = "checkpoint.safetensors";
/// The name of the checkpoint before it.
pub const PREVIOUS: &str = "checkpoint.previous.safetensors";

/// Makes a bundle the current checkpoint and keeps the one that was current as the previous one.
///
/// At every instant a complete checkpoint is on disk, wherever this is interrupted. The caller
/// holds the [`RunLock`](super::RunLock) of the folder.
pub fn save(folder: &Path, bundle: &Bundle) -> Result<()> {
    save_on(&Disk::real(), folder, bundle)
}

pub(super) fn save_on(disk: &Disk, folder: &Path, bundle: &Bundle) -> Result<()> {
    let (current, previous) = (folder.join(CURRENT), folder.join(PREVIOUS));
    let bytes = bundle.to_bytes()?;
    let refused = |error| Error::io("save the checkpoint", &current, &error);
    // The new file is complete before any other is moved: a full disk costs no checkpoint.
    let staged = Staged::write(disk, &current, |out| out.write_all(&bytes)).map_err(refused)?;
    drop(bytes);
    keep(disk, &current, &previous)
        .map_err(|error| Error::io("keep the earlier checkpoint as", &previous, &error))?;
    staged.commit().map_err(refused)
}

/// Gives the current file the name of the previous one too.
fn keep(disk: &Disk, current: &Path, previous: &Path) -> io::Result<()> {
    let Ok(bytes) = fs::read(current) else { return Ok(()) };
    // A damaged file must not displace what may be the only good checkpoint.
    if !matches!(Bundle::is_sealed(&bytes), Ok(true)) {
        return Ok(());
    }
    match Staged::link(disk, current, previous) {
        Ok(linked) => linked.commit(),
        // Not every file system has hard links.
        Err(_) => atomic::write_on(disk, previous, |out| out.write_all(&bytes)),
    }
}

/// A checkpoint that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What was stored.
    pub bundle: Bundle,
    /// When the current checkpoint is unusable and this is the previous one: a sentence that says
    /// so and why.
    pub fell_back: Option<String>,
}

/// Reads the current checkpoint of a run, or the previous one when the current one is unusable.
pub fn load(folder: &Path) -> Result<Loaded> {
    let current = match read(folder, CURRENT) {
        Ok(bundle) => return Ok(Loaded { bundle, fell_back: None }),
        Err(unusable) => unusable,
    };
    let previous = match read(folder, PREVIOUS) {
        Ok(bundle) => {
            let sentence = format!(
                "in {} {}, so the previous checkpoint {PREVIOUS} is used instead",
                folder.display(),
                current.reason
            );
            return Ok(Loaded { bundle, fell_back: Some(sentence) });
        }
        Err(unusable) => unusable,
    };
    let reasons = format!("{} and {}", current.reason, previous.reason);
    let folder = folder.display();
    Err(if current.damaged || previous.damaged {
        Error::corrupt(format!(
            "no checkpoint in {folder} is usable: {reasons}; restore one from a backup or start \
             the run anew"
        ))
    } else {
        Error::run(format!(
            "{folder} holds no readable checkpoint: {reasons}; check that this is the folder of a \
             run that has saved one"
        ))
    })
}

/// Why a checkpoint cannot be used.
struct Unusable {
    reason: String,
    damaged: bool,
}

fn read(folder: &Path, name: &str) -> std::result::Result<Bundle, Unusable> {
    let bytes = fs::read(folder.join(name)).map_err(|error| Unusable {
        reason: match error.kind() {
            io::ErrorKind::NotFound => format!("{name} is missing"),
            _ => format!("{name} cannot be read ({error})"),
        },
        damaged: false,
    })?;
    Bundle::from_bytes(&bytes).map_err(|reason| Unusable {
        reason: format!("{name} is damaged ({reason})"),
        damaged: true,
    })
}
