//! `isotherm sample`.

use isotherm::Result;
use isotherm::sampling::{SampleOptions, sample_model};
use isotherm_data::formats::write_npy;
use isotherm_run::checkpoint::write_atomically;
use isotherm_run::read_model;
use isotherm_run::{RunFolder, sample};

use crate::args::SampleArguments;
use crate::error::CliError;
use crate::evaluate::{choose, is_model_file};
use crate::output::{print, tell, warn};
use crate::{Ending, interrupt};

pub(crate) fn run(arguments: &SampleArguments, quiet: bool) -> Result<Ending> {
    if arguments.out.exists() && !arguments.overwrite {
        return Err(CliError::Exists { path: arguments.out.clone() }.into());
    }
    let SampleOptions { count, thin, warm_up, seed, .. } = arguments.options.options()?;
    if arguments.out.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("npy")) {
        return Err(CliError::NotNpy { path: arguments.out.clone() }.into());
    }
    let parent = arguments.out.parent().filter(|parent| !parent.as_os_str().is_empty());
    if parent.is_some_and(|parent| !parent.is_dir()) || arguments.out.is_dir() {
        return Err(CliError::NoPlace { path: arguments.out.clone() }.into());
    }
    interrupt::listen()?;
    let request = SampleOptions::default().count(count).thin(thin).warm_up(warm_up).seed(seed);
    let bar = match quiet {
        true => indicatif::ProgressBar::hidden(),
        false => indicatif::ProgressBar::new(1000),
    };
    let progress = |share: f64| {
        bar.set_position((share * 1000.0) as u64);
        !interrupt::asked()
    };
    let (samples, mut diagnostics) = match is_model_file(&arguments.run) {
        true => {
            let file = read_model(&arguments.run)?;
            let model = choose(file, arguments.averaged, &arguments.run)?;
            (sample_model(&model, &request, progress)?, Vec::new())
        }
        false => {
            let folder = RunFolder::open(&arguments.run)?;
            sample(&folder, &request, arguments.averaged, progress)?
        }
    };
    bar.finish_and_clear();
    if interrupt::asked() {
        tell(&format!("stopped; nothing was written to {}", arguments.out.display()));
        return Ok(Ending::Interrupted);
    }
    diagnostics.extend(samples.diagnose());
    warn(&diagnostics);
    write_atomically(&arguments.out, |out| write_npy(out, &samples.v))?;
    if !quiet {
        let (trips, s) = (samples.round_trips, if samples.round_trips == 1 { "" } else { "s" });
        print(&format!(
            "{} samples of {} units in {} ({trips} round trip{s} while sampling)\n",
            samples.v.rows(),
            samples.v.cols(),
            arguments.out.display(),
        ))?;
    }
    Ok(Ending::Done)
}
