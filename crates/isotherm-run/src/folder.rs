//! The folder of a run and what lies in it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::checkpoint::{self, CURRENT, PREVIOUS, RunLock, write_atomically};
use crate::record::Summary;
use crate::{Config, ConfigFile, read_model};
use isotherm::model::{ModelFile, model_in};
use isotherm::{Error, Result};

/// The files of a run, in the order in which they are removed when a run is replaced: as long as
/// there is its configuration, a folder is a run and can be replaced again.
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
        if !path.is_dir() {
            let what = if path.exists() { "is not a folder" } else { "does not exist" };
            return Err(Error::run(format!(
                "{} {what}; give the folder of a run, as `isotherm train --out` made it",
                path.display()
            )));
        }
        if path.join("reproduce.toml").is_file() {
            return Err(Error::run(format!(
                "{0} is an experiment, its runs are under {0}/runs; `isotherm reproduce --out {0}` goes \
                 on with it and draws its report.html",
                path.display()
            )));
        }
        if !folder.config().is_file() {
            return Err(Error::run(format!(
                "{} holds no config.toml, so it is not the folder of a run; begin one with \
                 `isotherm train --out`",
                path.display()
            )));
        }
        Ok(folder)
    }

    /// A folder for a new run: made if it is not there, refused if there is anything in it that
    /// the run would overwrite, unless it is a run that `replace` allows to remove.
    pub fn create(path: &Path, replace: bool) -> Result<RunFolder> {
        let folder = RunFolder { path: path.to_owned() };
        if path.exists() && !path.is_dir() {
            return Err(Error::run(format!(
                "{} is a file, and a run needs a folder; choose another --out",
                path.display()
            )));
        }
        fs::create_dir_all(path).map_err(|error| Error::io("make the folder", path, &error))?;
        let entries = fs::read_dir(path).map_err(|error| Error::io("read", path, &error))?;
        // Hidden files are locks and leftovers of writes that never finished.
        let visible = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .any(|name| !name.starts_with('.'));
        if !visible {
            return Ok(folder);
        }
        match (folder.config().is_file(), replace) {
            (true, true) => Ok(folder),
            (true, false) => Err(Error::run(format!(
                "{0} already holds a run; `isotherm resume {0}` goes on with it, --overwrite \
                 replaces it, another --out leaves it alone",
                path.display()
            ))),
            (false, _) => Err(Error::run(format!(
                "{} is not empty and holds no run; choose another --out",
                path.display()
            ))),
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
        // Asked again under the lock: another process may have begun a run meanwhile.
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
                    return Err(Error::io("remove", &path, &error));
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
        let text = toml::to_string_pretty(config).map_err(|error| {
            Error::config(format!("the configuration cannot be written as TOML: {error}"))
        })?;
        write_atomically(&self.config(), |out| out.write_all(text.as_bytes()))
    }

    /// Writes the summary.
    pub(super) fn write_summary(&self, summary: &Summary) -> Result<()> {
        let text = serde_json::to_string_pretty(summary)
            .map_err(|error| Error::run(format!("the summary cannot be written: {error}")))?;
        write_atomically(&self.summary(), |out| writeln!(out, "{text}"))
    }

    /// Reads the effective configuration.
    pub fn read_config(&self) -> Result<Config> {
        let mut config = Config::default();
        ConfigFile::read(&self.config())?.apply(&mut config)?;
        Ok(config)
    }

    /// The model of a run: of a finished one from `model.safetensors`, otherwise as the last
    /// checkpoint has it, with a sentence that says so.
    pub fn read_model(&self) -> Result<(ModelFile, Option<String>)> {
        if self.model().is_file() {
            return Ok((read_model(&self.model())?, None));
        }
        let loaded = checkpoint::load(&self.path)?;
        let folder = self.path.display();
        let model = model_in(&loaded.bundle)
            .map_err(|error| Error::corrupt(format!("the checkpoint of {folder}: {error}")))?;
        let step = loaded.bundle.get::<u64>("step", &[1])?[0];
        let mut note = format!("{folder} is not finished: this is its model after {step} steps");
        if let Some(sentence) = loaded.fell_back {
            note = format!("{note} ({sentence})");
        }
        Ok((model, Some(note)))
    }
}
