//! `isotherm reproduce` in miniature, with the real binary: end to end, interrupted, and refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::browser::Browser;
use crate::common::*;

/// The size of the miniature.
const SMALL: &str = "--updates 60 --seeds 2";

fn reproduce(out: &Path, options: &str) -> Vec<String> {
    let mut arguments = vec!["reproduce".to_owned(), "--out".to_owned(), text(out)];
    arguments.extend(words(options));
    arguments
}

/// The miniature, run once for all tests and never interrupted.
fn whole() -> &'static Path {
    static WHOLE: OnceLock<PathBuf> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("experiment");
        let _ = fs::remove_dir_all(&out);
        let printed = succeed(reproduce(&out, SMALL));
        assert!(printed.contains("APT, hidden-marginal path"), "{printed}");
        assert!(printed.contains("costs no more than PT with M"), "{printed}");
        assert!(printed.contains("Not the paper's 100000 updates"), "{printed}");
        out
    })
}

fn claims(out: &Path) -> Value {
    serde_json::from_slice(&fs::read(out.join("claims.json")).unwrap()).unwrap()
}

/// The claims without what is measured in seconds.
fn timeless(out: &Path) -> Value {
    let mut all = claims(out);
    for table in ["algorithms", "tried"] {
        for line in all[table].as_array_mut().unwrap() {
            assert!(line.as_object_mut().unwrap().remove("seconds").is_some());
        }
    }
    let listed = all["claims"].as_array_mut().unwrap();
    let before = listed.len();
    listed.retain(|claim| claim["timed"] == false);
    assert_eq!(before - listed.len(), 2, "two claims are about seconds");
    all
}

#[test]
fn the_miniature_has_every_run_figure_and_claim() {
    let out = whole();
    let claims = claims(out);
    assert_eq!((&claims["updates"], &claims["seeds"]), (&60.into(), &2.into()));
    assert_eq!(claims["algorithms"].as_array().unwrap().len(), 8);
    for algorithm in claims["algorithms"].as_array().unwrap() {
        assert_eq!(algorithm["log_likelihood"]["n"], 2, "{algorithm}");
    }
    for claim in claims["claims"].as_array().unwrap() {
        let verdict = claim["verdict"].as_str().unwrap();
        assert!(["holds", "does-not-hold", "not-resolved"].contains(&verdict), "{claim}");
        assert!(claim["value"]["estimate"].is_f64() || verdict == "not-resolved", "{claim}");
    }
    let runs = contents(&out.join("runs"));
    let summaries = runs.keys().filter(|path| path.ends_with("summary.json")).count();
    // 2 settings of SML, of each PT and of the perfect sampler, 6 of each APT; 2 seeds
    assert_eq!(summaries, 2 * (5 * 2 + 3 * 6));
    for name in [
        "overview",
        "1a-likelihood",
        "1b-return-time",
        "2a-flow-apt",
        "2b-flow-pt-50",
        "3-swaps",
        "4-ladder",
        "5-paths",
        "modes",
        "masses",
        "samples",
        "filters",
    ] {
        let svg = fs::read_to_string(out.join("figures").join(format!("{name}.svg"))).unwrap();
        assert!(svg.contains("<svg") && svg.contains("</svg>"), "{name}");
    }
    let page = fs::metadata(out.join("report.html")).unwrap().len();
    assert!(page < 2 << 20, "the page takes {page} bytes");
}

/// The best setting is the one with the highest mean log-likelihood over the last fifth.
#[test]
fn the_best_setting_is_chosen() {
    let out = whole();
    let late = |setting: &str| {
        let of_seed = |seed: u32| {
            let rows = rows(&out.join(format!("runs/apt/{setting}/seed-{seed}")));
            let late = rows.iter().filter(|row| (49..=60).contains(&row["step"].as_u64().unwrap()));
            let values: Vec<f64> =
                late.filter_map(|row| row["log_likelihood"]["value"].as_f64()).collect();
            values.iter().sum::<f64>() / values.len() as f64
        };
        (of_seed(1) + of_seed(2)) / 2.0
    };
    let mut best = (f64::NEG_INFINITY, String::new());
    for lr in ["1e-3", "1e-4"] {
        for beta in ["1e-3", "1e-4", "1e-5"] {
            let setting = format!("lr-{lr}_beta-lr-{beta}");
            let value = late(&setting);
            if value > best.0 {
                best = (value, setting);
            }
        }
    }
    let claims = claims(out);
    let apt = &claims["algorithms"][4];
    assert_eq!(apt["name"], "APT");
    let chosen = format!("lr-{:e}_beta-lr-{:e}", number(&apt["lr"]), number(&apt["beta_lr"]));
    assert_eq!(chosen, best.1);
    assert!((number(&apt["log_likelihood"]["mean"]) - best.0).abs() < 1e-9);
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The page in a real browser: no error, no request, every figure drawn, a series switched off.
#[test]
fn the_page_opens_in_a_browser() {
    let mut page = Browser::open(&whole().join("report.html"), (1200, 900));
    page.settle();
    assert_eq!(page.number("document.querySelectorAll('figure').length"), 12.0);
    let drawn = "[...document.querySelectorAll('figure svg')]\
                 .filter(svg => svg.getBoundingClientRect().height > 60).length";
    assert!(page.number(drawn) >= 12.0);
    let wide = page.number("document.documentElement.scrollWidth");
    assert!(wide <= 1200.0, "the page is {wide} wide");
    let entry = "[id='1a-likelihood'] .legend-entry";
    let pressed = format!("document.querySelector(\"{entry}\").getAttribute('aria-pressed')");
    assert_eq!(page.text(&pressed), "true");
    let place = page.middle(entry);
    page.click(place, 1);
    page.settle();
    assert_eq!(page.text(&pressed), "false");
    assert_eq!(page.errors(), Vec::<String>::new());
    assert_eq!(page.requests(), Vec::<String>::new());
}

/// Runs that have a summary, counted while others are being written.
fn finished_runs(out: &Path) -> usize {
    let folders = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten();
    folders(out.join("runs"))
        .flat_map(|arm| folders(arm.path()))
        .flat_map(|setting| folders(setting.path()))
        .filter(|seed| seed.path().join("summary.json").exists())
        .count()
}

/// Ends the child with this signal once at least so many runs are finished.
fn stop_after(mut child: Child, out: &Path, runs: usize, signal: &str) -> Option<i32> {
    assert!(wait_until(&mut child, || finished_runs(out) >= runs), "it ended before the signal");
    sleep(Duration::from_millis(20));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    child.wait().unwrap().code()
}

/// Interrupted by Ctrl-C, then killed, then continued: the same claims.
#[test]
fn an_interrupted_experiment_goes_on_to_the_same_claims() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("experiment");
    let begun = command(reproduce(&out, SMALL)).spawn().unwrap();
    assert_eq!(stop_after(begun, &out, 5, "-INT"), Some(130));
    let after_interrupt = finished_runs(&out);
    assert!(!out.join("claims.json").exists());
    // Without the options: the folder knows its size.
    let again = command(reproduce(&out, "")).spawn().unwrap();
    assert_eq!(stop_after(again, &out, after_interrupt + 5, "-KILL"), None);
    let before = finished_runs(&out);
    assert!(before < 56);
    succeed(reproduce(&out, ""));
    assert!(timeless(&out) == timeless(whole()), "other claims than without the interruption");
    let one = "runs/apt/lr-1e-3_beta-lr-1e-4/seed-1";
    assert_same(&out.join(one), &whole().join(one), "an experiment that was interrupted");
    // And once more: nothing is run again, and the costs stay as they were measured.
    let costs = contents(&out.join("costs"));
    succeed(reproduce(&out, ""));
    assert_eq!(contents(&out.join("costs")), costs);
}

#[test]
fn a_folder_that_is_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    let sentence = refused(reproduce(folder.path(), "--quick"));
    assert!(sentence.contains("holds no experiment"), "{sentence}");
    let sentence = refused(reproduce(whole(), "--quick"));
    assert!(sentence.contains("60 updates and 2 seeds"), "{sentence}");
    let none = folder.path().join("none");
    for options in ["--seeds 0", "--updates 10", "--updates 1e15 --seeds 1000", "--seeds 1e12"] {
        let sentence = refused(reproduce(&none, options));
        assert!(sentence.contains("--seeds") && sentence.contains("--updates"), "{sentence}");
        assert!(!none.exists(), "nothing is made before the options are known to be possible");
    }
}

#[test]
fn two_cannot_run_the_same_experiment() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("experiment");
    let mut first = command(reproduce(&out, SMALL)).spawn().unwrap();
    assert!(wait_until(&mut first, || out.join("reproduce.toml").exists()));
    let sentence = refused(reproduce(&out, ""));
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(sentence.contains("being written by another"), "{sentence}");
}

/// Runs that were edited, or rows that were damaged, would change the results without a word.
#[test]
fn runs_that_are_not_the_experiments_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("experiment");
    copy_all(whole(), &out);
    let run = out.join("runs/pt-10/lr-1e-3/seed-2");
    let metrics = run.join("metrics.jsonl");
    let sound = fs::read_to_string(&metrics).unwrap();
    fs::write(&metrics, sound.replacen("learning_rate", "learning", 1)).unwrap();
    let damaged = fs::read_to_string(out.join("claims.json")).unwrap();
    let sentence = refusal_after_notes(&reproduce(&out, ""));
    assert!(sentence.contains("metrics.jsonl, line 1"), "{sentence}");
    assert!(sentence.contains("remove that folder"), "{sentence}");
    assert_eq!(fs::read_to_string(out.join("claims.json")).unwrap(), damaged);
    fs::write(&metrics, sound).unwrap();
    let config = run.join("config.toml");
    let edited = fs::read_to_string(&config).unwrap().replace("lr = 0.001", "lr = 0.5");
    fs::write(&config, edited).unwrap();
    let sentence = refusal_after_notes(&reproduce(&out, ""));
    assert!(sentence.contains("other options"), "{sentence}");
    // Removed, as the sentence says: the run is made again, and all is as it was.
    fs::remove_dir_all(&run).unwrap();
    succeed(reproduce(&out, ""));
    assert!(timeless(&out) == timeless(whole()), "other claims than before");
    let manifest = out.join("reproduce.toml");
    let other = fs::read_to_string(&manifest).unwrap().replace("version = \"", "version = \"9");
    fs::write(&manifest, other).unwrap();
    let sentence = refused(reproduce(&out, ""));
    assert!(sentence.contains("was begun by isotherm 9"), "{sentence}");
}

/// The last line of a command that failed after it had told something.
fn refusal_after_notes(arguments: &[String]) -> String {
    let ran = run(arguments);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    ran.err.lines().last().unwrap().to_owned()
}

fn copy_all(from: &Path, to: &Path) {
    for (path, bytes) in contents(from) {
        let target = to.join(path.strip_prefix(from).unwrap());
        if path.is_dir() {
            fs::create_dir_all(&target).unwrap();
        } else {
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::write(&target, bytes).unwrap();
        }
    }
}
