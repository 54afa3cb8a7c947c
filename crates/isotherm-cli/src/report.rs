//! `isotherm report`.

use isotherm::Result;
use isotherm_report::{Destination, Replace, write};

use crate::Ending;
use crate::args::ReportArguments;
use crate::output::print;
use crate::words::CommandLineWords;

pub(crate) fn run(arguments: &ReportArguments, quiet: bool) -> Result<Ending> {
    let destination = Destination {
        page: arguments.out.clone(),
        figures: arguments.figures.clone(),
        replace: if arguments.overwrite { Replace::Anything } else { Replace::OwnOnly },
    };
    let written = write(&arguments.runs, &destination, &CommandLineWords)?;
    if !quiet {
        print(&format!("{}\n", written.display()))?;
    }
    Ok(Ending::Done)
}
