//! `isotherm sample`.

use isotherm::Result;
use isotherm::sampling::{
    ClusterWeights, ClustersOf, Distance, FirstStates, Known, LadderFrom, Origin, SampleOptions,
    sample_model,
};
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
            let known = Known::of_distribution(&file.reference);
            let model = choose(file, arguments.averaged, &arguments.run)?;
            (sample_model(&model, &known, &request, progress)?, Vec::new())
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
        if let Some(clusters) = &samples.clusters {
            print(&in_words(clusters))?;
        }
    }
    Ok(Ending::Done)
}

/// The weights of clusters as a table, if there is more than one, and what they can not show.
fn in_words(found: &ClusterWeights) -> String {
    let unseen = match found.of {
        ClustersOf::Mixture => {
            "no training data at hand: modes far from the mixture of the run may be missing\n"
        }
        ClustersOf::Samples => {
            "no training data at hand: modes that neither sampler reached are not seen\n"
        }
        _ => "",
    };
    if found.count() < 2 {
        let of = if found.data.is_some() { "the data" } else { "the samples" };
        return format!("{of} have no clusters whose weights could be compared\n{unseen}");
    }
    // With one sampler its weights are those of all samples.
    let parts = if found.parts.len() > 1 { &found.parts[..] } else { &[] };
    let mut columns = vec![("samples", &found.samples)];
    if let Some(data) = &found.data {
        columns.insert(0, ("data", data));
    }
    columns.extend(parts.iter().map(|part| (title(&part.origin), &part.weights)));
    let mut text = format!("{:<8}", "cluster");
    columns.iter().for_each(|(title, _)| text += &format!("{title:>14}"));
    text += "\n";
    for k in 0..=found.count() {
        text += &match k == found.count() {
            true => format!("{:<8}", "outside"),
            false => format!("{:<8}", k + 1),
        };
        columns.iter().for_each(|(_, weights)| text += &format!("{:>14.3}", weights[k]));
        text += "\n";
    }
    let mut told = |what: &str, distance: Option<Distance>| {
        if let Some(Distance { total_variation, by_chance, .. }) = distance {
            text += &format!(
                "total variation distance {what}: {total_variation:.3} (by chance {by_chance:.3})\n"
            );
        }
    };
    told("from the data", found.from_data);
    told("between the two samplers", found.between_parts);
    text + unseen
}

/// A sampler in a column's title.
fn title(origin: &Origin) -> &'static str {
    match (origin.reference, origin.start) {
        (LadderFrom::Run, _) => "own ladder",
        (LadderFrom::BaseRates, _) => "base rates",
        (LadderFrom::Mixture, _) => "mixture",
        (LadderFrom::OtherMixture, _) => "mixture 2",
        (LadderFrom::Rbm, _) => "small RBM",
        (_, FirstStates::Reference) => "random start",
        (_, FirstStates::Data) => "data start",
        _ => "other start",
    }
}
