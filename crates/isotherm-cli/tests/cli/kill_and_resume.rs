//! A run that is killed at any view and resumed gives the same bytes as an uninterrupted one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use isotherm::Plain;
use isotherm::diagnostics::Diagnostic;
use isotherm_run::checkpoint::{Problem, load};

use crate::common::*;

/// Many checkpoints, rows and changes of the ladder, followed by as many steps of sampling.
const OPTIONS: &str = "--batch 20 --updates 1200 \
    --checkpoint-every 21 --metrics-every 10 --likelihood-every 50 --lr 0.1 --momentum 0.5 \
    --weight-decay 1e-4 --l1 1e-4 --smooth 1e-3 --shape 10x7 --quiet";
const SPAWNS: &str = "--rungs 4 --particles 33 --temper-every 2 --spawn-every 20 --burn-in 5 \
    --beta-lr 0.1 --min-swap 0.85";
const RETIRES: &str = "--rungs 9 --spawn-every 90 --burn-in 5 --beta-lr 0.1 --min-swap 0.05";

/// The number of kills, and how many of them hit a running process.
#[derive(Default)]
struct Kills {
    sent: usize,
    landed: usize,
}

/// A configuration, and an uninterrupted run of it to compare with.
struct Case {
    folder: tempfile::TempDir,
    data: PathBuf,
    options: String,
    whole: PathBuf,
    lasts: Duration,
    kills: Kills,
}

impl Case {
    fn new(options: &str) -> Case {
        let folder = tempfile::tempdir().unwrap();
        let data = csv(folder.path(), 120, 70);
        let whole = folder.path().join("whole");
        let sampling = if options.contains("cd") { "" } else { "--sampling-steps 1200" };
        let hidden = if options.contains("--hidden") { "" } else { "--hidden 8" };
        let options = format!("{OPTIONS} {hidden} {sampling} {options}");
        // The runs that are killed have one thread.
        let begun = Instant::now();
        succeed(train(Some(&data), &format!("{options} --threads 2"), &whole));
        let lasts = begun.elapsed();
        Case { data, whole, lasts, options, folder, kills: Kills::default() }
    }

    /// A folder for another run.
    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `train`, or `resume` if there is a run already.
    fn go_on(&self, run: &Path) -> Command {
        let arguments = match run.join("config.toml").exists() {
            true => resume(run),
            false => train(Some(&self.data), &self.options, run),
        };
        let mut command = command(arguments.iter().map(String::as_str).chain(["--threads", "1"]));
        command.stdout(Stdio::null());
        command
    }

    /// Starts or resumes the run, and kills it when `view` returns.
    fn kill(&mut self, run: &Path, view: impl FnOnce(&mut std::process::Child)) {
        let mut child = self.go_on(run).spawn().unwrap();
        view(&mut child);
        self.kills.sent += 1;
        self.kills.landed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said, "", "neither a killed nor a finished run prints a message");
    }

    /// Completes the run and compares it with the uninterrupted one.
    fn complete(&self, run: &Path) {
        let ran = finish(&mut self.go_on(run));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", self.options);
        self.assert_whole(run);
    }

    fn assert_whole(&self, run: &Path) {
        let config = |run: &Path| fs::read(run.join("config.toml")).unwrap();
        assert!(config(run) == config(&self.whole));
        assert_same(run, &self.whole, &self.options);
        let names = |run: &Path| -> Vec<_> {
            contents(run).into_keys().map(|path| path.file_name().unwrap().to_owned()).collect()
        };
        assert_eq!(names(run), names(&self.whole), "leftovers");
    }

    /// Kills at random moments, some right at the start and the others spread over the run.
    fn kill_at_random(&mut self, seed: u64) {
        let mut random = Random(seed);
        let length = |run: &Path| fs::metadata(run.join("metrics.jsonl")).map_or(0, |it| it.len());
        for number in 0..2 {
            let run = self.place(&format!("victim-{number}"));
            for _ in 0..2 {
                let delay = Duration::from_secs_f64(0.004 * random.next());
                self.kill(&run, |_| sleep(delay));
            }
            // The length of the metrics shows how far a run is. A random pause, of at most the time
            // between two checkpoints, then varies the view.
            let cycle = self.lasts.mul_f64(21.0 / 2400.0);
            for stretch in 0..4 {
                let share = (f64::from(stretch) + random.next()) / 4.0;
                let (far, delay) =
                    (share * length(&self.whole) as f64, cycle.mul_f64(random.next()));
                self.kill(&run, |child| {
                    wait_until(child, || length(&run) as f64 >= far);
                    sleep(delay);
                });
            }
            self.complete(&run);
        }
        let Kills { sent, landed } = self.kills;
        assert!(4 * landed >= 3 * sent, "{landed} of {sent} kills hit a running process");
    }
}

/// Whether there is an event of that name in the ladder of the uninterrupted run.
fn saw(case: &Case, event: &str) -> bool {
    rows(&case.whole).iter().any(|row| row["event"].get(event).is_some())
}

#[test]
fn contrastive_divergence() {
    Case::new("--algorithm cd --k 16").kill_at_random(1);
}

#[test]
fn persistent_samples() {
    Case::new("--algorithm sml --k 4 --gradient plain").kill_at_random(2);
}

#[test]
fn a_fixed_ladder_on_the_joint_path() {
    Case::new("--algorithm pt --path joint --rungs 6").kill_at_random(3);
}

#[test]
fn a_fixed_ladder_on_the_base_rate_path() {
    Case::new("--algorithm pt --path base-rate --rungs 6 --swap energy").kill_at_random(4);
}

#[test]
fn a_fixed_ladder_on_the_hidden_marginal_path() {
    Case::new("--algorithm pt --path hidden-marginal --rungs 3").kill_at_random(5);
}

#[test]
fn an_adaptive_ladder_on_the_joint_path() {
    let mut case = Case::new(&format!("--path joint {SPAWNS} --max-rungs 9"));
    assert!(saw(&case, "spawned"));
    case.kill_at_random(6);
}

#[test]
fn an_adaptive_ladder_on_the_base_rate_path() {
    let mut case = Case::new(&format!("--path base-rate --respace rejection {RETIRES}"));
    assert!(saw(&case, "retired"));
    case.kill_at_random(7);
}

#[test]
fn an_adaptive_ladder_on_the_hidden_marginal_path() {
    let mut case = Case::new(&format!("{SPAWNS} --respace flow-sqrt --max-rungs 6 --columns 9"));
    assert!(saw(&case, "spawned"));
    case.kill_at_random(8);
}

#[test]
fn an_adaptive_ladder_from_a_mixture() {
    let mixture = "--reference mixture --components 5";
    Case::new(&format!("{mixture} {SPAWNS} --max-rungs 9")).kill_at_random(10);
}

#[test]
fn an_adaptive_ladder_from_a_small_rbm() {
    let small = "--reference rbm --reference-hidden 5";
    let mut case = Case::new(&format!("{small} {SPAWNS} --max-rungs 9"));
    assert!(saw(&case, "spawned"));
    case.kill_at_random(11);
}

/// With too many hidden units to enumerate at every row, the likelihood is followed by a sampler.
#[test]
fn a_follower_and_the_best_model() {
    let mut case = Case::new("--algorithm sml --hidden 18 --split 0.7/0.3");
    assert!(rows(&case.whole).iter().any(|row| row.get("log_likelihood_valid").is_some()));
    case.kill_at_random(9);
}

/// Kills as soon as a file appears: between any two files that a run writes.
#[test]
fn a_kill_at_each_stage_of_a_run() {
    let mut case = Case::new(&format!("--path base-rate {SPAWNS} --max-rungs 9"));
    let stages = [
        ".lock",
        ".config.toml.partial",
        "config.toml",
        "metrics.jsonl",
        ".checkpoint.safetensors.partial",
        "checkpoint.safetensors",
        "checkpoint.previous.safetensors",
        ".model.safetensors.partial",
        "model.safetensors",
        ".summary.json.partial",
        "summary.json",
    ];
    for stage in stages {
        let run = case.place(&format!("until-{stage}"));
        let there = run.join(stage);
        case.kill(&run, |child| {
            wait_until(child, || there.exists());
        });
        case.complete(&run);
    }
    assert!(case.kills.landed >= 5, "{} kills met a living process", case.kills.landed);
}

/// A folder whose run is stopped by a signal after its first rows, and its output.
fn stop(case: &Case, signal: &str) -> (PathBuf, Ran) {
    let run = case.place(signal);
    let options = case.options.replace("--quiet", "");
    let mut child = command(train(Some(&case.data), &options, &run)).spawn().unwrap();
    let metrics = run.join("metrics.jsonl");
    assert!(wait_until(&mut child, || fs::metadata(&metrics).is_ok_and(|file| file.len() > 1000)));
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let ran =
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
    (run, ran)
}

#[test]
fn a_signal_saves_the_run_and_names_the_command_to_resume_it() {
    let case = Case::new(&format!("--path joint {SPAWNS} --max-rungs 9"));
    for signal in ["-INT", "-TERM"] {
        let (run, ran) = stop(&case, signal);
        assert_eq!(ran.code, Some(130), "{signal}: {}", ran.err);
        assert_eq!(ran.out, "");
        let last = ran.err.lines().last().unwrap();
        let how = format!("`isotherm resume {}`", run.display());
        let saved = last.starts_with("saved after ") && last.contains(" of 2400 steps");
        assert!(saved && last.contains(&how), "{last}");
        assert!(!run.join("model.safetensors").exists());
        case.complete(&run);
    }
}

/// A byte of the last checkpoint is changed: the run resumes from the one before it.
#[test]
fn a_run_with_a_damaged_checkpoint_resumes_from_the_previous_one() {
    let case = Case::new(&format!("--path joint {SPAWNS} --max-rungs 9"));
    let (stopped, _) = stop(&case, "-INT");
    let good = fs::read(stopped.join("checkpoint.safetensors")).unwrap();
    let flip = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        Some(bytes)
    };
    let length = good.len();
    let cut = good.get(..length - 1).map(<[u8]>::to_vec);
    let damages = [flip(0), flip(200), flip(length / 2), flip(length - 1), cut, None];
    for (number, damage) in damages.into_iter().enumerate() {
        let run = case.place(&format!("damaged-{number}"));
        copy(&stopped, &run);
        let current = run.join("checkpoint.safetensors");
        match damage {
            Some(bytes) => fs::write(&current, bytes).unwrap(),
            None => fs::remove_file(&current).unwrap(),
        }
        let fell_back = load(&run).unwrap().fell_back.unwrap();
        assert_eq!(fell_back.current.problem == Problem::Missing, number == 5);
        let told = Diagnostic::from(fell_back);
        let ran = finish(&mut case.go_on(&run));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.err.contains(&told.words(&Plain)), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1);
        case.assert_whole(&run);
    }
    // Without any good checkpoint the run cannot be resumed, and nothing is changed.
    fs::write(stopped.join("checkpoint.safetensors"), &good[1..]).unwrap();
    fs::write(stopped.join("checkpoint.previous.safetensors"), b"").unwrap();
    let before = contents(&stopped);
    let why = refused(resume(&stopped));
    assert!(why.contains("no checkpoint in") && why.contains(stopped.to_str().unwrap()), "{why}");
    assert_eq!(contents(&stopped), before);
}

/// A run is resumed only with the data and the options that it began with.
#[test]
fn other_data_or_other_options_are_refused() {
    let case = Case::new("--algorithm sml --k 8");
    let (run, _) = stop(&case, "-INT");
    let (before, data) = (contents(&run), fs::read(&case.data).unwrap());
    let mut changed = data.clone();
    changed[0] ^= 1; // 0 becomes 1, or 1 becomes 0
    fs::write(&case.data, changed).unwrap();
    let why = refused(resume(&run));
    assert!(why.contains("data-70.csv has changed") && why.contains(&text(&run)), "{why}");
    fs::remove_file(&case.data).unwrap();
    assert!(refused(resume(&run)).contains("data-70.csv"));
    fs::write(&case.data, data).unwrap();
    let config = run.join("config.toml");
    let options = fs::read_to_string(&config).unwrap();
    fs::write(&config, options.replace("hidden = 8", "hidden = 9")).unwrap();
    let why = refused(resume(&run));
    assert!(why.contains("does not fit its config.toml") && why.contains(&text(&run)), "{why}");
    fs::write(&config, options).unwrap();
    assert_eq!(contents(&run), before);
    case.complete(&run);
}
