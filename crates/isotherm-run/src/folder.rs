//! The folder of a run and its files.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::checkpoint::write_atomically;
use crate::checkpoint::{self, CURRENT, CheckpointError, FellBack, PREVIOUS, RunLock};
use crate::folder_error::FolderError;
use crate::record::Summary;
use crate::{Config, ConfigFile, read_model};
use isotherm::model::{ModelFile, model_in};
use isotherm::{IoError, Result};

/// The files of a run, in the order in which they are removed when a run is replaced. The
/// configuration is the last: as long as it is there, the folder is a run and can be replaced again.
const FILES: [&str; 8] = [
    "report.html",
    CURRENT,
    PREVIOUS,
    "metrics.jsonl",
    "timing.jsonl",
    "model.safetensors",
    "summary.json",
    "config.toml",
];

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// The folder of a run that exists.
    pub fn open(path: &Path) -> Result<RunFolder> {
        let folder = RunFolder { path: path.to_owned() };
        let path = path.to_owned();
        if !path.exists() {
            return Err(FolderError::NotFound { path }.into());
        }
        if !path.is_dir() {
            return Err(FolderError::NotAFolder { path }.into());
        }
        if path.join("reproduce.toml").is_file() {
            return Err(FolderError::Experiment { path }.into());
        }
        if !folder.config().is_file() {
            return Err(FolderError::NotARun { path }.into());
        }
        Ok(folder)
    }

    /// A folder for a new run. It is made if it does not exist, and refused if it holds other files; a
    /// run in it is accepted only if `replace` allows to remove it.
    pub fn create(path: &Path, replace: bool) -> Result<RunFolder> {
        let folder = RunFolder { path: path.to_owned() };
        if path.exists() && !path.is_dir() {
            return Err(FolderError::IsAFile { path: path.to_owned() }.into());
        }
        let refused = |doing| move |error| IoError { doing, path: path.to_owned(), error };
        fs::create_dir_all(path).map_err(refused("make the folder"))?;
        let entries = fs::read_dir(path).map_err(refused("read"))?;
        // Hidden files are locks and remains of writes that did not finish.
        let visible = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .any(|name| !name.starts_with('.'));
        if !visible {
            return Ok(folder);
        }
        match (folder.config().is_file(), replace) {
            (true, true) => Ok(folder),
            (true, false) => Err(FolderError::HoldsARun { path: path.to_owned() }.into()),
            (false, _) => Err(FolderError::NotEmpty { path: path.to_owned() }.into()),
        }
    }

    /// A folder for a new run that holds its configuration and nothing else of a run, with the sole
    /// right to write it.
    pub(super) fn begin(
        path: &Path,
        config: &Config,
        replace: bool,
    ) -> Result<(RunFolder, RunLock)> {
        let lock = RunLock::acquire(RunFolder::create(path, replace)?.path())?;
        // Checked again under the lock: another process may have begun a run in the meantime.
        let folder = RunFolder::create(path, replace)?;
        folder.clear()?;
        folder.write_config(config)?;
        Ok((folder, lock))
    }

    /// Removes the files of an earlier run. The caller holds the folder's lock.
    pub fn clear(&self) -> Result<()> {
        for name in FILES {
            let path = self.path.join(name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(IoError { doing: "remove", path, error }.into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `config.toml`.
    pub fn config(&self) -> PathBuf {
        self.path.join("config.toml")
    }

    /// `metrics.jsonl`.
    pub fn metrics(&self) -> PathBuf {
        self.path.join("metrics.jsonl")
    }

    /// `timing.jsonl`.
    pub fn timing(&self) -> PathBuf {
        self.path.join("timing.jsonl")
    }

    /// `model.safetensors`.
    pub fn model(&self) -> PathBuf {
        self.path.join("model.safetensors")
    }

    /// `summary.json`.
    pub fn summary(&self) -> PathBuf {
        self.path.join("summary.json")
    }

    /// `report.html`.
    pub fn report(&self) -> PathBuf {
        self.path.join("report.html")
    }

    /// Writes the effective configuration.
    pub fn write_config(&self, config: &Config) -> Result<()> {
        let text = toml::to_string_pretty(config)
            .map_err(|error| FolderError::UnwritableConfig { reason: error.to_string() })?;
        write_atomically(&self.config(), |out| out.write_all(text.as_bytes()))
    }

    /// Writes the summary.
    pub(super) fn write_summary(&self, summary: &Summary) -> Result<()> {
        let text = serde_json::to_string_pretty(summary)
            .map_err(|error| FolderError::UnwritableSummary { reason: error.to_string() })?;
        write_atomically(&self.summary(), |out| writeln!(out, "{text}"))
    }

    /// Reads the effective configuration.
    pub fn read_config(&self) -> Result<Config> {
        let mut config = Config::default();
        ConfigFile::read(&self.config())?.apply(&mut config)?;
        Ok(config)
    }

    /// The model of a run. That of a finished run is in `model.safetensors`; otherwise it is that of
    /// the last checkpoint, and the second value says so.
    pub fn read_model(&self) -> Result<(ModelFile, Option<Unfinished>)> {
        if self.model().is_file() {
            return Ok((read_model(&self.model())?, None));
        }
        let loaded = checkpoint::load(&self.path)?;
        let folder = self.path.clone();
        let model = match model_in(&loaded.bundle) {
            Ok(model) => model,
            Err(error) => return Err(CheckpointError::NoModel { folder, error }.into()),
        };
        let step = loaded.bundle.get::<u64>("step", &[1])?[0];
        Ok((model, Some(Unfinished { folder, step, fell_back: loaded.fell_back })))
    }
}

/// The model of a run that is not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The folder of the run.
    pub folder: PathBuf,
    /// The step of the checkpoint that the model is from.
    pub step: u64,
    /// Why it is not the last checkpoint, if it is the one before.
    pub fell_back: Option<FellBack>,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (folder, step) = (self.folder.display(), self.step);
        write!(f, "{folder} is not finished: this is its model after {step} steps")?;
        self.fell_back.as_ref().map_or(Ok(()), |fell_back| write!(f, " ({fell_back})"))
    }
}
