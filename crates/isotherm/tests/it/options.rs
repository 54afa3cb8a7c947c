//! Properties of the table of options, and of the checks.

use std::collections::BTreeSet;

use isotherm::options::{
    Algorithm, Chosen, MemoryUse, Number, OptionError, OptionSpec, Options, PathKind, ValueKind,
    word,
};
use isotherm::paths::SwapOn;
use isotherm::{Dialect, Kind, Plain};
use isotherm_tempering::Respace;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as Unread, F64Deserializer, StrDeserializer, U64Deserializer};

fn spec(name: &str) -> &'static OptionSpec {
    Options::table().iter().find(|spec| spec.name == name).unwrap()
}

fn count(value: u64) -> U64Deserializer<Unread> {
    value.into_deserializer()
}

fn real(value: f64) -> F64Deserializer<Unread> {
    value.into_deserializer()
}

fn text(value: &str) -> StrDeserializer<'_, Unread> {
    value.into_deserializer()
}

#[test]
fn every_option_is_described_once() {
    let names: BTreeSet<&str> = Options::table().iter().map(|spec| spec.name).collect();
    assert_eq!(names.len(), Options::table().len(), "names are unique");
    for OptionSpec { name, help, section, kind, default, found_by, .. } in Options::table() {
        assert!(!help.is_empty() && help.ends_with('.') && !help.contains("--"), "{name}: {help}");
        assert!(!help.starts_with(' ') && !help.contains("  "), "{name}: {help}");
        let sections = ["", "sampler", "ladder", "optimiser", "record"];
        assert!(sections.contains(section), "{name}: {section}");
        if let ValueKind::Words(words) = kind {
            // There is one objective so far.
            assert!(words.len() > 1 || *name == "objective", "{name}: {words:?}");
            assert!(default.iter().all(|it| words.contains(&it.as_str())), "{name}: {default:?}");
        }
        // Only an option that is simply absent by default has no words for it.
        assert!(default.is_some() || found_by.is_some() || *name == "shape", "{name}");
    }
}

/// What stands in backticks is an option, maybe one of data in files.
#[test]
fn help_names_options_in_the_words_of_a_front_end() {
    let names: BTreeSet<&str> = Options::table().iter().map(|spec| spec.name).collect();
    for spec in Options::table() {
        for text in [Some(spec.help), spec.found_by, spec.for_mixture].into_iter().flatten() {
            for named in text.split('`').skip(1).step_by(2) {
                let name = named.split(' ').next().unwrap();
                assert!(
                    names.contains(name) || ["data-seed", "binarise"].contains(&name),
                    "{named}"
                );
            }
        }
    }
    struct Loud;
    impl Dialect for Loud {
        fn option(&self, name: &str) -> String {
            name.to_uppercase()
        }
        fn setting(&self, name: &str, value: &str) -> String {
            format!("{name}:={value}")
        }
        fn action(&self, _: &isotherm::Action) -> String {
            String::new()
        }
    }
    assert!(spec("shape").describe(&Loud).contains("for SMOOTH;"));
    assert!(spec("seed").describe(&Loud).contains("of DATA-SEED and of binarise:=static:SEED"));
    assert_eq!(spec("particles").describe_default(&Loud).unwrap(), "500");
    assert_eq!(spec("particles").describe_mixture(&Loud).unwrap(), "as many as COLUMNS");
    assert_eq!(spec("k").describe_default(&Plain).unwrap(), "1");
}

#[test]
fn an_option_is_set_by_its_name() {
    let mut options = Options::default();
    options.set("hidden", count(7), "7").unwrap();
    options.set("min-swap", real(0.25), "0.25").unwrap();
    options.set("algorithm", text("cd"), "cd").unwrap();
    options.set("columns", count(3), "3").unwrap();
    options.set("shape", text("2x3"), "2x3").unwrap();
    let expected = Options::default()
        .hidden(7)
        .min_swap(0.25)
        .algorithm(Algorithm::Cd)
        .columns(Some(3))
        .shape("2x3".parse().ok());
    assert_eq!(options, expected);
}

#[test]
fn values_of_another_kind_and_unknown_names_are_refused() {
    let mut options = Options::default();
    let mut refusal = |name: &str, value: &str| {
        let error = options.set(name, text(value), value).unwrap_err();
        assert_eq!(error.kind(), Kind::Options);
        error.into_cause::<OptionError>().unwrap()
    };
    let not_allowed = |name: &'static str, value: &str| OptionError::NotAllowed {
        name,
        value: value.to_owned(),
        wanted: spec(name).kind.clone(),
    };
    for (name, value) in [("hidden", "ten"), ("lr", "fast"), ("algorithm", "apl"), ("rungs", "")] {
        assert_eq!(refusal(name, value), not_allowed(name, value));
    }
    let unknown = |name: &str, nearest| OptionError::Unknown { name: name.to_owned(), nearest };
    assert_eq!(refusal("hiden", "1"), unknown("hiden", Some("hidden")));
    assert_eq!(refusal("min-rugns", "1"), unknown("min-rugns", Some("min-rungs")));
    assert_eq!(refusal("zzz", "1"), unknown("zzz", None));
    let mut shape = Options::default();
    assert_eq!(shape.set("shape", text("wide"), "wide").unwrap_err().kind(), Kind::Options);
    assert_eq!(options, Options::default(), "a refused value changes nothing");
}

/// Each number may be what its range says and nothing beyond.
#[test]
fn ranges_are_enforced() {
    let mut numbers = 0;
    for spec in Options::table() {
        let (within, beyond): (Vec<Number>, Vec<Number>) = match spec.kind {
            ValueKind::Count { least, most } => {
                let below = least.checked_sub(1).map(Number::Count);
                let above = Number::Count(most + 1);
                (vec![Number::Count(least)], below.into_iter().chain([above]).collect())
            }
            ValueKind::Number { least, most } => {
                let beyond = [least - 0.1, most * 1.1, f64::NAN, f64::INFINITY, -f64::INFINITY];
                ([least, most].map(Number::Real).to_vec(), beyond.map(Number::Real).to_vec())
            }
            _ => continue,
        };
        numbers += 1;
        let refused = |number: Number| {
            let mut options = Options::default();
            match number {
                Number::Count(it) => options.set(spec.name, count(it), "").unwrap(),
                Number::Real(it) => options.set(spec.name, real(it), "").unwrap(),
            };
            match options.check(100).map_err(|error| error.into_cause()) {
                Err(Ok(OptionError::NotAllowed { name, wanted, .. })) => {
                    assert_eq!((name, &wanted), (spec.name, &spec.kind));
                    true
                }
                _ => false,
            }
        };
        for number in within {
            assert!(!refused(number), "{} {number}", spec.name);
        }
        for number in beyond {
            assert!(refused(number), "{} {number}", spec.name);
        }
    }
    assert!(numbers > 25, "{numbers}");
}

#[test]
fn every_refusal_can_be_reached_and_is_one_of_options() {
    let plain = Options::default;
    let cases = [
        (
            plain().algorithm(Algorithm::Sml).rungs(Some(3)),
            OptionError::NeedsLadder { name: "rungs", value: 3 },
        ),
        (
            plain().algorithm(Algorithm::Cd).temper_every(2),
            OptionError::NeedsLadder { name: "temper-every", value: 2 },
        ),
        (plain().rungs(Some(1)), OptionError::TooFewRungs),
        (
            plain().rungs(Some(11)).max_rungs(10),
            OptionError::TooManyRungs { rungs: 11, max_rungs: 10 },
        ),
        (plain().max_rungs(8), OptionError::TooManyRungs { rungs: 10, max_rungs: 8 }),
        (plain().max_rungs(3), OptionError::RungBounds { min_rungs: 4, max_rungs: 3 }),
        (plain().burn_in(1000), OptionError::BurnIn { burn_in: 1000, spawn_every: 1000 }),
        (
            plain().algorithm(Algorithm::Exact).path(PathKind::BaseRate),
            OptionError::PathUnused { algorithm: Algorithm::Exact },
        ),
        (
            plain().swap(Some(SwapOn::Energy)),
            OptionError::SwapOnEnergy { path: PathKind::HiddenMarginal },
        ),
        (
            plain().particles(Some(5)).columns(Some(6)),
            OptionError::TooFewParticles { particles: 5, columns: 6 },
        ),
        (
            plain().algorithm(Algorithm::Cd).sampling_steps(1),
            OptionError::NothingToSample { algorithm: Algorithm::Cd },
        ),
        (plain().updates(1 << 48).sampling_steps(1), OptionError::TooManySteps),
        (plain().patience(Some(10)).likelihood_every(Some(0)), OptionError::PatienceUnmeasured),
        (
            plain().smooth(0.5).shape(None).hidden(3),
            OptionError::NoNeighbours { smooth: 0.5, columns: 102 },
        ),
        (
            plain().smooth(0.5).lr(1.0).shape("6x17".parse().ok()),
            OptionError::TooSmooth { smooth: 0.5, lr: 1.0, most: 0.125 },
        ),
    ];
    for (options, expected) in cases {
        let error = options.check(102).unwrap_err();
        assert_eq!(error.kind(), Kind::Options);
        assert!(!error.to_string().contains("--"), "{error}");
        assert_eq!(error.into_cause::<OptionError>().unwrap(), expected);
    }
    for (options, expected) in [
        (plain().algorithm(Algorithm::Cd).columns(Some(7)), (Algorithm::Cd, "columns", None)),
        (plain().algorithm(Algorithm::Exact).k(2), (Algorithm::Exact, "k", None)),
        (
            plain().algorithm(Algorithm::Exact).hidden(17),
            (Algorithm::Exact, "hidden", Some((17, 16))),
        ),
    ] {
        let error = options.check(102).unwrap_err();
        assert_eq!(error.kind(), Kind::Options);
        let words = error.to_string();
        assert!(!words.contains("--"), "{words}");
        let found = match error.into_cause::<OptionError>().unwrap() {
            OptionError::Refused { by, name, .. } => (by, name, None),
            OptionError::Beyond { by, name, value, most, .. } => (by, name, Some((value, most))),
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expected);
    }
    for (options, expected) in [
        (plain().hidden(1 << 20), MemoryUse::Weights),
        (plain().columns(Some(1 << 24)), MemoryUse::Replicas),
        (plain().batch(1 << 30).columns(Some(5)), MemoryUse::Minibatch),
    ] {
        let error = options.check(10_000).unwrap_err();
        match error.cause() {
            Some(OptionError::Memory { what, .. }) => assert_eq!(*what, expected),
            _ => panic!("{error}"),
        }
    }
}

#[test]
fn options_without_effect_are_found() {
    let all: Chosen = Options::table().iter().collect();
    let unused = |options: &Options| options.unused(&all);
    assert!(unused(&Options::default()).is_empty());
    assert_eq!(unused(&Options::default().respace(Respace::Fixed)), ["beta-lr"]);
    let adaptation =
        ["beta-lr", "burn-in", "max-rungs", "min-rungs", "min-swap", "respace", "spawn-every"];
    assert_eq!(unused(&Options::default().algorithm(Algorithm::Pt)), adaptation);
    let cd = unused(&Options::default().algorithm(Algorithm::Cd));
    assert_eq!(cd.len(), adaptation.len() + 3, "{cd:?}: spacing, swap and particles as well");
}

#[test]
fn words_are_those_that_files_have() {
    assert_eq!(word(&Algorithm::Apt), "apt");
    assert_eq!(word(&PathKind::HiddenMarginal), "hidden-marginal");
    assert_eq!(
        spec("path").kind,
        ValueKind::Words(&["auto", "joint", "base-rate", "hidden-marginal"])
    );
}
