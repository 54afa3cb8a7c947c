//! Everything that the folder of a run holds, read without trusting any of it: the run may be in
//! progress, killed, or damaged. What cannot be read becomes a note, not an error.

use std::path::Path;

use serde::de::DeserializeOwned;

use isotherm::data::Dataset;
use isotherm::diagnostics::Diagnostic;
use isotherm::model::{ModelFile, model_in};
use isotherm::trainer::Phase;
use isotherm::{Action, Dialect, Result};
use isotherm_run::checkpoint;
use isotherm_run::raised_at_start;
use isotherm_run::read_model;
use isotherm_run::record::{BadLine, LadderRow, Row, Summary, Timing, read_rows};
use isotherm_run::{Config, RunFolder};

/// What a run has written about itself so far.
#[derive(Clone, Debug)]
pub(crate) struct RunRecord {
    /// Its folder.
    pub(crate) folder: RunFolder,
    /// Its effective configuration.
    pub(crate) config: Option<Config>,
    /// Its rows of metrics.
    pub(crate) rows: Vec<Row>,
    /// The lines of its metrics that are not rows.
    pub(crate) unreadable: Vec<BadLine>,
    /// The clock at its rows.
    pub(crate) timings: Vec<Timing>,
    /// Its summary, if it is finished.
    pub(crate) summary: Option<Summary>,
    /// Its model, of the end or of the last checkpoint.
    pub(crate) model: Option<ModelFile>,
    /// The step of its last checkpoint.
    pub(crate) saved_at: Option<u64>,
    /// What was raised when it began.
    pub(crate) at_start: Vec<Diagnostic>,
    /// That it stopped where it cannot go on, if it did.
    pub(crate) stopped: Option<Diagnostic>,
    /// That its last checkpoint cannot be used but the one before it can, if so.
    pub(crate) previous_checkpoint: Option<Diagnostic>,
    /// The digest of its data.
    pub(crate) data_digest: Option<String>,
    /// What could not be read, a sentence each.
    pub(crate) notes: Vec<String>,
}

impl RunRecord {
    /// Reads the folder of a run; refuses a folder that is not one.
    pub(crate) fn read(path: &Path, dialect: &dyn Dialect) -> Result<RunRecord> {
        let folder = RunFolder::open(path)?;
        let mut notes = Vec::new();
        let config = noted(folder.read_config(), &mut notes, dialect);
        let (mut rows, unreadable): (Vec<Row>, _) = rows_of(&folder.metrics(), &mut notes, dialect);
        drop_odd_ladders(&mut rows, &mut notes);
        let (timings, _) = rows_of(&folder.timing(), &mut notes, dialect);
        let stopped = folder.stopped();
        let summary = read_summary(&folder, &mut notes);
        let mut record = RunRecord {
            folder,
            config,
            rows,
            unreadable,
            timings,
            summary,
            model: None,
            saved_at: None,
            at_start: Vec::new(),
            stopped,
            previous_checkpoint: None,
            data_digest: None,
            notes,
        };
        record.read_tensors(dialect);
        Ok(record)
    }

    /// The model of the end, or else that of the last checkpoint, and what the checkpoint knows.
    fn read_tensors(&mut self, dialect: &dyn Dialect) {
        if self.folder.model().is_file() {
            self.model = noted(read_model(&self.folder.model()), &mut self.notes, dialect);
        }
        let names = [checkpoint::CURRENT, checkpoint::PREVIOUS];
        if !names.iter().any(|name| self.folder.path().join(name).exists()) {
            self.notes.push(self.without_checkpoint(dialect));
            return;
        }
        let loaded = checkpoint::load(self.folder.path());
        let Some(loaded) = noted(loaded, &mut self.notes, dialect) else { return };
        self.previous_checkpoint = loaded.fell_back.map(Diagnostic::from);
        self.at_start = raised_at_start(&loaded.bundle);
        let bundle = &loaded.bundle;
        self.saved_at = bundle.get::<u64>("step", &[1]).ok().and_then(|step| step.first().copied());
        let digest = bundle.meta.get("data_digest").and_then(|digest| digest.as_str());
        self.data_digest = digest.map(str::to_owned);
        if self.model.is_none() {
            self.model = noted(model_in(bundle), &mut self.notes, dialect);
        }
    }

    /// What it means that there is no checkpoint: a run writes one before its first row.
    fn without_checkpoint(&self, dialect: &dyn Dialect) -> String {
        if self.folder.summary().is_file() {
            "The run is finished, and its checkpoint is missing.".to_owned()
        } else if self.rows.is_empty() {
            "There is no checkpoint yet.".to_owned()
        } else {
            let resume = dialect.action(&Action::Resume("RUN".to_owned()));
            format!("The checkpoint is missing, so {resume} cannot continue the run.")
        }
    }

    /// What to call the run: the name of its folder.
    pub(crate) fn name(&self) -> String {
        let path = self.folder.path();
        // `.` and `..` have no name of their own.
        let named = path.file_name().map(|name| name.to_owned());
        let real = || std::fs::canonicalize(path).ok()?.file_name().map(|name| name.to_owned());
        named.or_else(real).map_or("run".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// The last ladder that was recorded.
    pub(crate) fn ladder(&self) -> Option<&LadderRow> {
        self.rows.iter().rev().find_map(|row| row.ladder.as_ref())
    }

    /// The last step that is known of.
    pub(crate) fn last_step(&self) -> u64 {
        let recorded = self.rows.last().map_or(0, |row| row.step);
        recorded.max(self.saved_at.unwrap_or(0))
    }

    /// Updates and sampling steps together, as they were asked for.
    pub(crate) fn total_steps(&self) -> Option<u64> {
        self.config.as_ref().map(|config| config.options.total_steps())
    }

    /// The update with which the sampling phase begins, if it has.
    pub(crate) fn sampling_begins(&self) -> Option<u64> {
        let sampled = self.rows.iter().any(|row| row.phase == Phase::Sample);
        self.config.as_ref().filter(|_| sampled).map(|config| config.options.optimiser.updates)
    }

    /// The data that the run learned, if they are built in: its configuration names no file, and its checkpoint, if
    /// there is one, has their digest.
    pub(crate) fn built_in(&self) -> Option<Dataset> {
        let data = self.config.as_ref()?.data.built_in()?;
        self.data_digest.as_ref().is_none_or(|it| *it == data.digest()).then_some(data)
    }

    /// The best mean log-likelihood that any model can have, where it is known.
    pub(crate) fn limit(&self) -> Option<f64> {
        match &self.summary {
            Some(summary) => summary.entropy_limit,
            None => self.built_in().and_then(|data| data.limit()),
        }
    }
}

/// What was read, or a note of why it was not.
fn noted<T>(read: Result<T>, notes: &mut Vec<String>, dialect: &dyn Dialect) -> Option<T> {
    read.map_err(|error| notes.push(format!("Left out: {}.", error.words(dialect)))).ok()
}

fn read_summary(folder: &RunFolder, notes: &mut Vec<String>) -> Option<Summary> {
    let path = folder.summary();
    let bytes = path.is_file().then(|| std::fs::read(&path))?;
    let read = bytes
        .map_err(|error| error.to_string())
        .and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string()));
    read.map_err(|reason| notes.push(format!("Left out: summary.json is damaged ({reason})."))).ok()
}

/// Removes ladders whose parts have different lengths, so that their readers need not check.
fn drop_odd_ladders(rows: &mut [Row], notes: &mut Vec<String>) {
    let fits = |LadderRow { betas, swap_rates, f_up, .. }: &LadderRow| {
        betas.len() > 1 && swap_rates.len() + 1 == betas.len() && f_up.len() == betas.len()
    };
    let odd = rows.iter_mut().filter(|row| row.ladder.as_ref().is_some_and(|it| !fits(it)));
    let steps: Vec<u64> = odd.map(|row| (row.ladder = None, row.step).1).collect();
    if let Some(first) = steps.first() {
        notes.push(format!(
            "Left out: the ladders of {} rows of metrics.jsonl have parts of different lengths, the \
             first at step {first}.",
            steps.len()
        ));
    }
}

fn rows_of<T: DeserializeOwned>(
    path: &Path,
    notes: &mut Vec<String>,
    dialect: &dyn Dialect,
) -> (Vec<T>, Vec<BadLine>) {
    let Some(read) = noted(read_rows(path), notes, dialect) else { return Default::default() };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if let Some(BadLine { line, problem }) = read.unreadable.first() {
        let count = read.unreadable.len();
        notes.push(format!(
            "Left out: {count} lines of {name} cannot be read, the first is line {line} ({problem})."
        ));
    }
    if read.torn {
        notes.push(format!(
            "The last line of {name} is not complete: it is being written, or its writer was killed."
        ));
    }
    (read.rows, read.unreadable)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::fixtures::healthy_rows;
    use isotherm::Plain;

    #[test]
    fn a_missing_checkpoint_is_told_by_the_state_of_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let notes = || RunRecord::read(folder.path(), &Plain).unwrap().notes.join(" ");
        write("config.toml", "");
        assert!(notes().contains("no checkpoint yet"), "{}", notes());
        let row = serde_json::to_string(&healthy_rows()[0]).unwrap();
        write("metrics.jsonl", &(row + "\n"));
        assert!(notes().contains("checkpoint is missing, so resuming RUN"), "{}", notes());
        write("summary.json", "{}");
        assert!(notes().contains("The run is finished"), "{}", notes());
        assert!(!notes().contains("yet"), "{}", notes());
    }
}
