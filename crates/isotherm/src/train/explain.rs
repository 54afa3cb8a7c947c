//! Mistakes in a configuration file, said in one line.

/// Why a text is no configuration, in one line: of an unknown option the one that it resembles, not
/// all that there are.
pub fn explain_toml(error: &toml::de::Error) -> String {
    let message = error.message().replace('\n', " ");
    let unknown = message.strip_prefix("unknown field `").and_then(|rest| {
        let (field, rest) = rest.split_once('`')?;
        Some((field, rest.split_once(", expected one of ")?.1))
    });
    let Some((field, known)) = unknown else { return in_plain_words(&message) };
    let known = known.split(", ").map(|name| name.trim_matches('`'));
    let nearest = known.map(|name| (edits(field, name), name)).min();
    let hint = match nearest {
        Some((edits, name)) if 3 * edits <= field.len() => format!("did you mean `{name}`?"),
        _ => "`isotherm train --help` lists the options".to_owned(),
    };
    format!("unknown field `{field}`; {hint}")
}

/// A message without the names of Rust's types.
fn in_plain_words(message: &str) -> String {
    let whole = ["expected u64", "expected usize"].iter().find(|it| message.ends_with(**it));
    let Some(whole) = whole else { return message.replace("expected f64", "expected a number") };
    let hint = match message.contains("floating point") {
        true => ", written without a point or an exponent",
        false => "",
    };
    message.replace(whole, &format!("expected a whole number{hint}"))
}

/// How many letters must be put in, left out or changed to make one word of the other.
fn edits(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.bytes().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::train::Config;

    #[test]
    fn edits_are_counted() {
        for (from, to, count) in
            [("", "", 0), ("", "abc", 3), ("hiden", "hidden", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!((edits(from, to), edits(to, from)), (count, count), "{from} {to}");
        }
    }

    #[test]
    fn an_unknown_option_is_told_with_the_one_it_resembles() {
        let explained = |text: &str| explain_toml(&toml::from_str::<Config>(text).unwrap_err());
        assert_eq!(explained("hiden = 5"), "unknown field `hiden`; did you mean `hidden`?");
        assert!(explained("zzz = 5").contains("--help"));
        let (word, exponent) = (explained("hidden = 'x'"), explained("updates = 1e2"));
        assert!(word.starts_with("invalid type") && word.ends_with("a whole number"), "{word}");
        assert!(exponent.ends_with("without a point or an exponent"), "{exponent}");
        assert!(explained("lr = 'x'").ends_with("a number"));
    }
}
