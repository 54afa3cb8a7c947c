//! The page about an experiment: claims, algorithms, figures, and what was tried.

use maud::{Markup, html};

use super::statistics::Estimate;
use super::table::{ClaimsFile, Line, minus_number, setting, with_error};
use super::verdict::{Claim, Source, Verdict};
use isotherm::Dialect;
use isotherm_report::figure::Figure;
use isotherm_report::{figure_block, page, with_commands};

/// The page.
pub(super) fn experiment_page(
    tables: &ClaimsFile,
    figures: &[Figure],
    dialect: &dyn Dialect,
) -> String {
    let title = "Adaptive parallel tempering, reproduced";
    let body = html! {
        h1 { (title) }
        (introduction(tables, dialect))
        h2 id="claims" { "Which claims hold" }
        (claims_table("Of the paper", tables, Source::Paper))
        (claims_table("Beyond the paper", tables, Source::Beyond))
        p.caption { (tables.rule) }
        h2 id="algorithms" { "Algorithms at their best" }
        (algorithms(tables))
        h2 id="figures" { "Figures" }
        @for figure in figures { (figure_block(figure)) }
        h2 id="tried" { "Everything that was tried" }
        (tried(tables))
    };
    page(title, body)
}

fn introduction(tables: &ClaimsFile, dialect: &dyn Dialect) -> Markup {
    let count = |verdict| {
        let of_paper = tables.claims.iter().filter(|claim| claim.source == Source::Paper);
        of_paper.filter(|claim| claim.verdict == verdict).count().to_string()
    };
    let numbers = [
        ("claims of the paper that hold", count(Verdict::Holds)),
        ("that do not hold", count(Verdict::DoesNotHold)),
        ("not resolved", count(Verdict::NotResolved)),
        ("updates of each run", tables.size.updates.to_string()),
        ("seeds", tables.size.seeds.to_string()),
        ("limit, nats", minus_number(tables.entropy_limit, 1)),
    ];
    html! {
        p {
            "The experiment of Desjardins, Courville and Bengio, "
            cite {
                "Adaptive Parallel Tempering for Stochastic Maximum Likelihood Learning of RBMs"
            }
            " (2010), run again by isotherm " (tables.version) " with "
            (with_commands(&dialect.action(&tables.size.action())))
            ": an RBM with 10 hidden units learns a mixture of five noisy images, each algorithm "
            "at its best hyper-parameters. Everything on this page is computed from the runs."
        }
        @if !tables.full { ul.warnings { li { (tables.caveat()) } } }
        dl.numbers { @for (name, text) in numbers { div { dt { (name) } dd { (text) } } } }
    }
}

fn claims_table(title: &str, tables: &ClaimsFile, source: Source) -> Markup {
    html! {
        table.figures {
            thead {
                tr {
                    th { (title) } th { "" } th.number { "measured" } th.number { "holds if" }
                    th { "figures" }
                }
            }
            tbody {
                @for claim in tables.claims.iter().filter(|claim| claim.source == source) {
                    tr id=(claim.id) {
                        td { (claim.claim) br; small { (claim.quantity) } }
                        td { (badge(claim)) }
                        td.number { (claim.measured()) }
                        td.number { (claim.claimed) }
                        td { @for line in claim.evidence_lines() { (line) br; } }
                    }
                }
            }
        }
    }
}

fn badge(claim: &Claim) -> Markup {
    let class = match claim.verdict {
        Verdict::Holds => "verdict holds",
        Verdict::DoesNotHold => "verdict fails",
        Verdict::NotResolved => "verdict open",
    };
    html! { span class=(class) { (claim.verdict) } }
}

fn algorithms(tables: &ClaimsFile) -> Markup {
    html! {
        (lines_table(tables.algorithms.iter()))
        p {
            "No model can do better than " (minus_number(tables.entropy_limit, 1))
            " nats, the entropy of the data; independent pixels have "
            (minus_number(tables.independent_pixels, 1)) "."
        }
        p.caption {
            "Means over seeds with standard errors. * not in the paper. Learning rates: of the model, and \
             of β where it adapts. Log-likelihoods are means over the last fifth of the updates; rungs, \
             swap rates, how far f_up is off linear and the paper's return time (steps) are those after \
             the last update; a round trip, in steps, is that of the sampling phase, seeds pooled. Mode \
             distance: total variation between the mode masses of the last model and w."
        }
    }
}

/// A time in thousands of steps.
fn thousands(value: Estimate) -> String {
    let of = |steps: f64| steps / 1000.0;
    let std_error = value.std_error.map(of);
    format!("{}k", with_error(Estimate { mean: of(value.mean), std_error, ..value }, 1))
}

fn lines_table<'a>(lines: impl Iterator<Item = &'a Line>) -> Markup {
    let value = |estimate: Option<Estimate>, digits| {
        estimate.map_or("–".to_owned(), |it| with_error(it, digits))
    };
    html! {
        table.figures {
            thead {
                tr {
                    th { "" } th { "learning rate" } th.number { "nats" }
                    th.number { "rungs" } th.number { "swap rate" } th.number { "f_up off" }
                    th.number { "return time" } th.number { "round trip" }
                    th.number { "mode distance" } th.number { "seconds" }
                }
            }
            tbody {
                @for line in lines {
                    tr {
                        td { (line.name) @if !line.in_paper { " *" } }
                        td { (setting(&line.setting)) }
                        td.number { (value(line.log_likelihood, 1)) }
                        td.number { (value(line.rungs, 1)) }
                        td.number { (value(line.swap_rate, 2)) }
                        td.number { (value(line.flow_deviation, 2)) }
                        td.number { (line.return_time.map_or("–".to_owned(), thousands)) }
                        td.number { (line.round_trip()) }
                        td.number { (value(line.mode_distance, 2)) }
                        td.number { (value(line.seconds, 1)) }
                    }
                }
            }
        }
    }
}

/// Every setting, best or not.
fn tried(tables: &ClaimsFile) -> Markup {
    html! {
        details {
            summary { "All settings" }
            (lines_table(tables.tried.iter()))
        }
    }
}
