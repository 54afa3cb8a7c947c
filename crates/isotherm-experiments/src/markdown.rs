//! The tables of an experiment as Markdown, for documents.

use super::statistics::Estimate;
use super::table::{ClaimsFile, Line, minus_number, setting, with_error};
use super::verdict::{Claim, Source};
use isotherm::Dialect;

impl ClaimsFile {
    /// Both tables, as `claims.md` has them.
    pub fn markdown(&self, dialect: &dyn Dialect) -> String {
        let made = dialect.action(&self.size.action());
        let mut text =
            format!("Made by isotherm {} with {made}.\n\n", self.version) + &self.caveat();
        for (title, source) in
            [("claim of the paper", Source::Paper), ("beyond the paper", Source::Beyond)]
        {
            text +=
                &format!("| {title} | measured | holds if | figures | |\n|---|---|---|---|---|\n");
            let claims = self.claims.iter().filter(|claim| claim.source == source);
            text.extend(claims.map(claim_row));
            text.push('\n');
        }
        text += &format!("{}\n\n", self.rule);
        text += "| | learning rate | log-likelihood, nats | rungs | swap rate | f_up off linear | \
                 steps a round trip | mode distance | seconds |\n\
                 |---|---|---|---|---|---|---|---|---|\n";
        text.extend(self.algorithms.iter().map(algorithm_row));
        for (name, value) in [
            ("limit (entropy of the data)", self.entropy_limit),
            ("independent pixels", self.independent_pixels),
        ] {
            text += &format!("| {name} | | {} | | | | | | |\n", minus_number(value, 1));
        }
        text
    }
}

fn claim_row(claim: &Claim) -> String {
    format!(
        "| {} ({}) | {} | {} | {} | **{}** |\n",
        claim.claim,
        claim.quantity,
        claim.measured(),
        claim.claimed,
        claim.evidence_lines().join("; "),
        claim.verdict
    )
}

fn algorithm_row(line: &Line) -> String {
    let value = |estimate: Option<Estimate>, digits| {
        estimate.map_or("–".to_owned(), |it| with_error(it, digits))
    };
    format!(
        "| {}{} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        line.name,
        if line.in_paper { "" } else { " (not in the paper)" },
        setting(&line.setting),
        value(line.log_likelihood, 1),
        value(line.rungs, 1),
        value(line.swap_rate, 2),
        value(line.flow_deviation, 2),
        line.round_trip(),
        value(line.mode_distance, 2),
        value(line.seconds, 1),
    )
}
