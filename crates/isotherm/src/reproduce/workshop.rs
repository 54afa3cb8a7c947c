//! The folder of an experiment, and what is done in it: all runs, then costs, then the results.

use std::fs;
use std::path::{Path, PathBuf};

use super::experiment::{Job, Size};
use super::runner::{Board, Ended, Watcher, on_all_cores, run_job};
use crate::checkpoint::{RunLock, write_atomically};
use crate::error::{Error, Result};

/// The file that makes a folder the folder of an experiment, and tells its size.
const MANIFEST: &str = "reproduce.toml";

/// The folder of an experiment, with the sole right to write it.
#[derive(Debug)]
pub struct Workshop {
    root: PathBuf,
    size: Size,
    _lock: RunLock,
}

impl Workshop {
    /// Opens the folder of an experiment, or makes it. An experiment that is there decides its
    /// size; `wanted` must agree with it.
    pub fn open(root: &Path, wanted: Option<Size>) -> Result<Workshop> {
        let manifest = root.join(MANIFEST);
        let begun = manifest.is_file();
        fs::create_dir_all(root).map_err(|error| Error::io("make the folder", root, &error))?;
        if !begun {
            refuse_other_content(root)?;
        }
        let lock = RunLock::acquire(root)?;
        let size = if begun {
            let size = read_manifest(&manifest)?;
            if wanted.is_some_and(|wanted| wanted != size) {
                return Err(Error::config(format!(
                    "{} holds an experiment of {} updates and {} seeds; leave the options out to go \
                     on with it, or choose another --out",
                    root.display(),
                    size.updates,
                    size.seeds
                )));
            }
            size
        } else {
            let size = wanted.unwrap_or(Size::FULL);
            let text = toml::to_string(&size)
                .map_err(|error| Error::run(format!("the size cannot be written: {error}")))?;
            write_atomically(&manifest, |out| out.write_all(text.as_bytes()))?;
            size
        };
        Ok(Workshop { root: root.to_owned(), size, _lock: lock })
    }

    /// The size of the experiment.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a run lies.
    pub(super) fn place(&self, job: Job) -> PathBuf {
        self.root.join(job.setting.folder(job.seed))
    }

    /// Runs all that is not run yet.
    pub fn run(&self, watcher: &dyn Watcher) -> Result<Ended> {
        let jobs = Job::all(self.size);
        let all_work = jobs.iter().map(|job| job.work(self.size)).sum();
        let board = Board::new(watcher, all_work, jobs.len());
        let (done, left): (Vec<Job>, Vec<Job>) = jobs
            .into_iter()
            .partition(|job| self.place(*job).join("summary.json").is_file());
        for job in done {
            board.add_found(job.work(self.size));
            board.add_run();
        }
        on_all_cores(&left, &board, |job| run_job(job, self.size, &self.place(job), &board))
    }
}

fn refuse_other_content(root: &Path) -> Result<()> {
    let entries = fs::read_dir(root).map_err(|error| Error::io("read", root, &error))?;
    let visible = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .any(|name| !name.starts_with('.'));
    match visible {
        true => Err(Error::run(format!(
            "{} is not empty and holds no experiment; choose another --out",
            root.display()
        ))),
        false => Ok(()),
    }
}

fn read_manifest(path: &Path) -> Result<Size> {
    let text = fs::read_to_string(path).map_err(|error| Error::io("read", path, &error))?;
    toml::from_str(&text).map_err(|error| {
        Error::config(format!("{}: {}", path.display(), error.message().replace('\n', " ")))
    })
}
