//! `isotherm resume`.

use isotherm::Result;
use isotherm_run::Session;

use crate::args::ResumeArguments;
use crate::output::{tell, warn};
use crate::train::carry_on;
use crate::{Ending, interrupt};

pub(crate) fn run(arguments: &ResumeArguments, quiet: bool) -> Result<Ending> {
    let (session, fell_back) = Session::resume(&arguments.run)?;
    warn(&fell_back);
    if !quiet {
        let (done, total) =
            (session.training().state().step(), session.training().plan().total_steps());
        tell(&match done == total {
            true => format!("all {total} steps are done already; writing the results again"),
            false => format!("continuing after {done} of {total} steps"),
        });
    }
    interrupt::listen()?;
    carry_on(session, &arguments.run, quiet)
}
