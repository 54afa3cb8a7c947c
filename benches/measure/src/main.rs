//! Isotherm's side of `benches/compare`, and what `benches/instructions` counts.
//!
//! `isotherm-measure WORKLOADS DATA THREADS` reads lines `workload steps` from its standard input,
//! does that many steps of that workload (`benches/workloads.json`) and answers each line with one
//! of JSON, `seconds` first. What a workload needs is set up when it is first named, outside the
//! clock, and kept: the next line goes on where the last one ended. Its peers in `benches/peers`
//! speak the same protocol, so that one parent can let them take turns.

mod memory;
mod work;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use work::{Ready, Work};

/// Errors are for people: one sentence.
type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("isotherm-measure: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [workloads, data, threads] = arguments.as_slice() else {
        return Err("the arguments are WORKLOADS (a JSON file), DATA (a folder) and THREADS".into());
    };
    let threads: usize =
        threads.parse().map_err(|_| format!("THREADS must be a number, not {threads:?}"))?;
    let workloads = read_workloads(Path::new(workloads))?;
    let data = PathBuf::from(data);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| format!("cannot start the threads: {error}; lower THREADS"))?;
    // Everything happens inside the pool, as in the command line.
    pool.install(|| serve(&workloads, &data))
}

/// Workloads by name, in an order that does not depend on a hash: instructions are counted.
fn read_workloads(path: &Path) -> Result<BTreeMap<String, Work>> {
    let place = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{place} cannot be read: {error}; give a file of workloads"))?;
    serde_json::from_str(&text)
        .map_err(|error| format!("{place} holds no workloads: {error}; see benches/workloads.json"))
}

fn serve(workloads: &BTreeMap<String, Work>, data: &Path) -> Result<()> {
    let mut ready: BTreeMap<String, Ready> = BTreeMap::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| format!("a request cannot be read: {error}"))?;
        let (name, steps) = request(&line)?;
        if !ready.contains_key(name) {
            let work = workloads.get(name).ok_or_else(|| format!("no workload is named {name}"))?;
            ready.insert(name.to_owned(), work.prepare(data)?);
        }
        let Some(workload) = ready.get_mut(name) else { continue };
        let reply = serde_json::to_string(&workload.run(steps)?)
            .map_err(|error| format!("a reply cannot be written: {error}"))?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "{reply}")
            .and_then(|()| out.flush())
            .map_err(|error| format!("a reply cannot be written: {error}"))?;
    }
    Ok(())
}

fn request(line: &str) -> Result<(&str, u64)> {
    line.split_once(' ')
        .and_then(|(name, steps)| Some((name, steps.trim().parse().ok()?)))
        .ok_or_else(|| format!("a request is `workload steps`, not {line:?}"))
}
