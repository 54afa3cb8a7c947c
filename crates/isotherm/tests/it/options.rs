//! Properties of the table of options, and of the checks.

use std::collections::BTreeSet;

use isotherm::data::Dataset;
use isotherm::likelihood::{self, Budget, EvaluateOptions};
use isotherm::options::{
    Algorithm, Chosen, MemoryUse, Number, OptionError, OptionSpec, Options, Pace, PathKind,
    ReferenceKind, ValueKind, name, word,
};
use isotherm::paths::SwapOn;
use isotherm::{Dialect, Error, Kind, OptionName, Plain};
use isotherm_tempering::Respace;
use isotherm_tempering::evidence::AnnealingEffort;
use serde::de::value::{
    Error as Unread, F64Deserializer, MapDeserializer, StrDeserializer, U64Deserializer,
};
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

fn spec(name: &str) -> &'static OptionSpec {
    Options::table().iter().find(|spec| spec.name.as_str() == name).unwrap()
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
    let names: BTreeSet<OptionName> = Options::table().iter().map(|spec| spec.name).collect();
    assert_eq!(names.len(), Options::table().len(), "names are unique");
    for spec in Options::table() {
        let OptionSpec { name, help, section, kind, default, .. } = spec;
        assert!(!help.is_empty() && help.ends_with('.') && !help.contains("--"), "{name}: {help}");
        assert!(!help.starts_with(' ') && !help.contains("  "), "{name}: {help}");
        let sections = ["", "sampler", "ladder", "optimiser", "record"];
        assert!(sections.contains(section), "{name}: {section}");
        if let ValueKind::Words(words) = kind {
            match *name {
                name::objective => assert_eq!(words, &["likelihood"], "the only one so far"),
                _ => assert!(words.len() > 1, "{name}: {words:?}"),
            }
            assert!(default.iter().all(|it| words.contains(&it.as_str())), "{name}: {default:?}");
        }
        // Only an option that is simply absent by default has no words for it.
        assert!(default.is_some() || spec.depends() || *name == name::shape, "{name}");
    }
}

/// What stands in backticks is an option, maybe one of data in files.
#[test]
fn help_names_options_in_the_words_of_a_front_end() {
    let names: BTreeSet<&str> = Options::table().iter().map(|spec| spec.name.as_str()).collect();
    for spec in Options::table() {
        for text in [Some(spec.help), spec.found_by, spec.built_in].into_iter().flatten() {
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
        fn option(&self, name: OptionName) -> String {
            name.as_str().to_uppercase()
        }
        fn setting(&self, name: OptionName, value: &str) -> String {
            format!("{name}:={value}")
        }
        fn action(&self, _: &isotherm::Action) -> String {
            String::new()
        }
    }
    assert!(spec("shape").describe(&Loud).contains("for SMOOTH."));
    assert!(spec("seed").describe(&Loud).contains("of DATA-SEED and of binarise:=static:SEED"));
    assert!(spec("particles").describe_default(&Loud).unwrap().starts_with("500; with a mixture"));
    assert_eq!(spec("particles").describe_built_in(&Loud).unwrap(), "as many as COLUMNS");
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
    let not_allowed = |name: &str, value: &str| OptionError::NotAllowed {
        name: spec(name).name,
        value: value.to_owned(),
        wanted: spec(name).kind.clone(),
    };
    for (name, value) in [("hidden", "ten"), ("lr", "fast"), ("algorithm", "apl"), ("rungs", "")] {
        assert_eq!(refusal(name, value), not_allowed(name, value));
    }
    let unknown = |name: &str, nearest| OptionError::Unknown { name: name.to_owned(), nearest };
    assert_eq!(refusal("hiden", "1"), unknown("hiden", Some(name::hidden)));
    assert_eq!(refusal("min-rugns", "1"), unknown("min-rugns", Some(name::min_rungs)));
    assert_eq!(refusal("zzz", "1"), unknown("zzz", None));
    let mut shape = Options::default();
    assert_eq!(shape.set("shape", text("wide"), "wide").unwrap_err().kind(), Kind::Options);
    assert_eq!(options, Options::default(), "a refused value changes nothing");
}

/// The options with a number written into the field, whatever its range.
fn with_field(spec: &OptionSpec, number: Number) -> Options {
    struct Field(Number);
    impl<'de> IntoDeserializer<'de, Unread> for Field {
        type Deserializer = Field;
        fn into_deserializer(self) -> Field {
            self
        }
    }
    impl<'de> Deserializer<'de> for Field {
        type Error = Unread;
        fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
            match self.0 {
                Number::Count(it) => visitor.visit_u64(it),
                Number::Real(it) => visitor.visit_f64(it),
            }
        }
        fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
            visitor.visit_some(self)
        }
        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
            unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
        }
    }
    fn field<T: DeserializeOwned>(spec: &OptionSpec, number: Number) -> T {
        let entry = [(spec.name.as_str(), Field(number))];
        T::deserialize(MapDeserializer::new(entry.into_iter())).unwrap()
    }
    let mut options = Options::default();
    match spec.section {
        "sampler" => options.sampler = field(spec, number),
        "ladder" => options.ladder = field(spec, number),
        "optimiser" => options.optimiser = field(spec, number),
        "record" => options.record = field(spec, number),
        _ => options = field(spec, number),
    }
    options
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
        let is_range = |error: Error| match error.into_cause() {
            Ok(OptionError::NotAllowed { name, wanted, .. }) => {
                assert_eq!((name, &wanted), (spec.name, &spec.kind));
                true
            }
            _ => false,
        };
        let refused = |number: Number| {
            let mut options = Options::default();
            let set = match number {
                Number::Count(it) => options.set(spec.name.as_str(), count(it), ""),
                Number::Real(it) => options.set(spec.name.as_str(), real(it), ""),
            };
            let refused = set.is_err_and(is_range);
            // A program may write any number into a field.
            let checked = with_field(spec, number).check(100).is_err_and(is_range);
            assert_eq!(checked, refused, "{} {number}", spec.name);
            refused
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
            OptionError::NeedsLadder { name: name::rungs, value: 3 },
        ),
        (
            plain().algorithm(Algorithm::Cd).temper_every(2),
            OptionError::NeedsLadder { name: name::temper_every, value: 2 },
        ),
        (plain().rungs(Some(0)), OptionError::TooFewRungs),
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
            plain().path(PathKind::Joint).reference(ReferenceKind::Mixture),
            OptionError::ReferenceOfPath { path: PathKind::Joint },
        ),
        (
            plain().algorithm(Algorithm::Sml).reference(ReferenceKind::Mixture),
            OptionError::ReferenceUnused { algorithm: Algorithm::Sml },
        ),
        (
            plain().reference(ReferenceKind::Mixture).swap(Some(SwapOn::Energy)),
            OptionError::SwapFromReference { reference: ReferenceKind::Mixture },
        ),
        (
            plain().reference(ReferenceKind::Rbm).swap(Some(SwapOn::Energy)),
            OptionError::SwapFromReference { reference: ReferenceKind::Rbm },
        ),
        (
            plain().path(PathKind::HiddenMarginal).reference(ReferenceKind::Rbm),
            OptionError::ReferenceOfPath { path: PathKind::HiddenMarginal },
        ),
        (
            plain().algorithm(Algorithm::Exact).reference(ReferenceKind::Rbm),
            OptionError::ReferenceUnused { algorithm: Algorithm::Exact },
        ),
        (
            plain().reference(ReferenceKind::Rbm).reference_hidden(Some(17)),
            OptionError::NotAllowed {
                name: name::reference_hidden,
                value: "17".to_owned(),
                wanted: ValueKind::Count { least: 1, most: 16 },
            },
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
        (plain().algorithm(Algorithm::Cd).columns(Some(7)), (Algorithm::Cd, name::columns, None)),
        (plain().algorithm(Algorithm::Exact).k(2), (Algorithm::Exact, name::k, None)),
        (
            plain().algorithm(Algorithm::Exact).hidden(17),
            (Algorithm::Exact, name::hidden, Some((17, 16))),
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
    let unused = |options: &Options| -> Vec<OptionName> {
        let unused = options.unused(&all).into_iter();
        let of_references = [name::components, name::reference_hidden];
        unused.filter(|option| !of_references.contains(option)).collect()
    };
    assert!(unused(&Options::default()).is_empty());
    let from = |kind| Options::default().reference(kind).unused(&all);
    assert_eq!(from(ReferenceKind::Mixture), [name::reference_hidden]);
    assert_eq!(from(ReferenceKind::Rbm), [name::components]);
    let neither = [name::components, name::reference_hidden];
    assert_eq!(from(ReferenceKind::BaseRate), neither);
    assert_eq!(unused(&Options::default().respace(Respace::Fixed)), [name::beta_lr]);
    let adaptation = [
        name::beta_lr,
        name::burn_in,
        name::max_rungs,
        name::min_rungs,
        name::min_swap,
        name::respace,
        name::spawn_every,
    ];
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

#[test]
fn whole_numbers_may_be_written_with_an_exponent() {
    let mut options = Options::default();
    options.set("updates", real(2e5), "2e5").unwrap();
    assert_eq!(options.optimiser.updates, 200_000);
    for wrong in [0.5, -1.0, 1e30, f64::NAN, f64::INFINITY] {
        let error = options.set("updates", real(wrong), "").unwrap_err();
        assert!(
            matches!(error.cause(), Some(OptionError::NotAllowed { name: name::updates, .. })),
            "{wrong}: {error}"
        );
    }
    assert_eq!(options.optimiser.updates, 200_000, "a refused value changes nothing");
}

/// A value is declared once: the words of help, the defaults and the checks have the same.
#[test]
fn help_says_what_the_defaults_are() {
    let built_in = |name: &str| spec(name).describe_built_in(&Plain);
    let default = |name: &str| spec(name).describe_default(&Plain).unwrap();
    let (mixture, examples) = (Options::default().optimiser, Options::for_examples().optimiser);
    assert_eq!((default("batch"), built_in("batch")), ("100".to_owned(), Some("5".to_owned())));
    assert_eq!((mixture.batch, examples.batch), (5, 100));
    assert!(default("lr").starts_with(&format!("{} times", examples.lr)), "{}", default("lr"));
    assert_eq!(built_in("lr").unwrap(), mixture.lr.to_string());
    assert_eq!(default("lr-decay"), word(&examples.lr_decay));
    assert_eq!(built_in("lr-decay").unwrap(), word(&mixture.lr_decay));
    assert!(default("l1").starts_with(&format!("{} for pictures, half", examples.l1)));
    let plan = Options::for_examples().check(100).unwrap();
    assert_eq!(default("rungs"), plan.rungs().to_string());
    let mut from_mixture = Options::for_examples().hidden(100);
    from_mixture.adapt_to(&Dataset::from_rows(&[[0u8, 1], [1, 0]]).unwrap(), &Chosen::default());
    assert_eq!(from_mixture.sampler.reference, ReferenceKind::Mixture);
    let columns = [plan.columns(), from_mixture.sampler.columns.unwrap()];
    let words = format!("{}; {} with a mixture as reference, as many", columns[0], columns[1]);
    assert!(default("columns").starts_with(&words), "{}", default("columns"));
    let of = |hidden| {
        let mut options = Options::for_examples().hidden(hidden);
        options.adapt_to(&Dataset::from_rows(&[[0u8, 1], [1, 0]]).unwrap(), &Chosen::default());
        options.sampler.particles.unwrap()
    };
    let bounds = format!("as many as hidden units, from {} to {}", of(33), of(10_000));
    let words = format!("{}; with a mixture as reference {bounds}", plan.particles());
    assert_eq!(default("particles"), words);
    assert_eq!(built_in("rungs"), None);
    assert_eq!(spec("batch").for_examples.as_deref(), Some("100"));
}

/// Figures in help texts that several constants make up.
#[test]
fn figures_in_help_are_those_of_the_code() {
    let slow = Pace::of(usize::MAX, 1, false, None);
    let few = Pace::of(1, 1, false, None);
    let updates = spec("updates").describe_default(&Plain).unwrap();
    let bounds = format!("at least {} and at most {}", few.updates, slow.updates);
    assert!(updates.ends_with(&bounds), "{updates}");
    let passes =
        |batches: u64, smooth| Pace::of(batches as usize, 1, smooth, None).updates / batches;
    let words = format!("{} passes over the data, {} over", passes(300, false), passes(180, true));
    assert!(updates.starts_with(&words), "{updates}");
    let lr = spec("lr").describe_default(&Plain).unwrap();
    let hurried = Pace::of(usize::MAX, 1, false, Some(1));
    assert!(lr.ends_with(&format!("from {} to {}", few.lr, hurried.lr)), "{lr}");

    let full = Budget::full();
    let words = |name: OptionName| {
        let spec = EvaluateOptions::table().iter().find(|spec| spec.name == name).unwrap();
        spec.describe_default(&Plain).unwrap()
    };
    let AnnealingEffort { particles, most_batches, steps, most_steps, error } = full.annealing;
    let particles_words = format!(
        "{particles}, and more until the standard error is {error} nats, up to {}",
        // Half of them at first, and as many again in each batch.
        particles / 2 * (1 + most_batches)
    );
    assert_eq!(words(likelihood::name::particles), particles_words);
    let steps = format!("{steps}, and more where the weights call for it, up to {most_steps}");
    assert_eq!(words(likelihood::name::steps), steps);
    let sampler = full.sampler;
    let sampling = format!("{}, and {} where", sampler.steps, sampler.most_steps);
    assert!(words(likelihood::name::sampling_steps).starts_with(&sampling));
    assert_eq!(EvaluateOptions::default().budget(), full);
    assert_eq!(EvaluateOptions::default().quick(true).budget(), Budget::quick());

    let most = |holds: &dyn Fn(usize) -> bool| (1..100).take_while(|&n| holds(n)).last().unwrap();
    let exact = |n| Options::default().algorithm(Algorithm::Exact).hidden(n).check(100).is_ok();
    let words = format!("enumerating up to {} hidden units", most(&exact));
    assert!(spec("algorithm").help.contains(&words), "{words}");
    let words = format!(
        "up to {} hidden units",
        most(&|n| PathKind::automatic(100, n) == PathKind::HiddenMarginal)
    );
    assert!(spec("path").help.contains(&words), "{words}");
    let enumerated = |n| !Options::default().hidden(n).check(100).unwrap().estimates_online();
    let words = format!("exact up to {} units", most(&enumerated));
    assert!(spec("likelihood-every").help.contains(&words), "{words}");
}
