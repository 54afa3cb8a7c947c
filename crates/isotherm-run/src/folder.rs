//! The folder of a run and its files.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::checkpoint::write_atomically;
use crate::checkpoint::{self, CURRENT, CheckpointError, Loaded, PREVIOUS, RunLock};
use crate::folder_error::FolderError;
use crate::record::Summary;
use crate::record::diagnose::Facts;
use crate::{Config, ConfigFile, read_model};
use isotherm::diagnostics::Diagnostic;
use isotherm::model::{ModelFile, model_in};
use isotherm::{IoError, Result};

/// The files of a run, in the order in which they are removed when a run is replaced. The
/// configuration is the last: as long as it is there, the folder is a run and can be replaced again.
const FILES: [&str; 9] = [
    "report.html",
    CURRENT,
    PREVIOUS,
    "metrics.jsonl",
    "timing.jsonl",
    "model.safetensors",
    "summary.json",
    STOPPED,
    "config.toml",
];

/// The name of the file that says why a run stopped where it cannot go on.
const STOPPED: &str = "stopped.json";

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

    /// Records that the run stopped where it cannot go on: a [`Diagnostic::StoppedEarly`].
    pub(super) fn write_stopped(&self, stopped: &Diagnostic) -> Result<()> {
        let text = serde_json::to_string(stopped)
            .map_err(|error| FolderError::UnwritableSummary { reason: error.to_string() })?;
        write_atomically(&self.path.join(STOPPED), |out| writeln!(out, "{text}"))
    }

    /// Forgets it, because the run goes on.
    pub(super) fn remove_stopped(&self) {
        // If it stays, it is written again or is not asked for.
        let _ = fs::remove_file(self.path.join(STOPPED));
    }

    /// That the run stopped where it cannot go on, if it did. A finished run did not.
    pub fn stopped(&self) -> Option<Diagnostic> {
        let text = fs::read(self.path.join(STOPPED)).ok()?;
        let stopped = serde_json::from_slice(&text).ok()?;
        (!self.summary().is_file()).then_some(stopped)
    }

    /// What a reader of the run's checkpoint should know: that the run is not finished, and that the checkpoint is not
    /// the last one.
    pub fn diagnose(&self, loaded: &Loaded) -> Result<Vec<Diagnostic>> {
        let mut found = Vec::new();
        if !self.summary().is_file() {
            let last_step = loaded.bundle.get::<u64>("step", &[1])?[0];
            let (config, stopped) = (self.read_config().ok(), self.stopped());
            let options = config.as_ref().map(|config| &config.options);
            let (stopped, model_written) = (stopped.as_ref(), self.model().is_file());
            let facts = Facts { options, last_step, stopped, model_written, ..Facts::default() };
            found.extend(facts.stopped_or_unfinished());
        }
        found.extend(loaded.fell_back.clone().map(Diagnostic::from));
        Ok(found)
    }

    /// The model of a run, and what to know about it. That of a finished run is in `model.safetensors`; otherwise it is
    /// that of the last checkpoint.
    pub fn read_model(&self) -> Result<(ModelFile, Vec<Diagnostic>)> {
        if self.model().is_file() {
            let model = read_model(&self.model())?;
            // It may be without its checkpoint.
            let about = match self.summary().is_file() {
                true => Vec::new(),
                false => checkpoint::load(&self.path)
                    .and_then(|loaded| self.diagnose(&loaded))
                    .unwrap_or_default(),
            };
            return Ok((model, about));
        }
        let loaded = checkpoint::load(&self.path)?;
        let folder = self.path.clone();
        let model = match model_in(&loaded.bundle) {
            Ok(model) => model,
            Err(error) => return Err(CheckpointError::NoModel { folder, error }.into()),
        };
        Ok((model, self.diagnose(&loaded)?))
    }
}
