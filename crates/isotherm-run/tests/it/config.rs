//! Configuration files: in sections, flat as older versions wrote them, or mixed; and what is refused.

use std::fs;
use std::path::{Path, PathBuf};

use isotherm::data::{Binarise, ConstantColumns};
use isotherm::options::{Algorithm, GradientKind, LrDecay, OptionError, Options, PathKind};
use isotherm::{Error, Kind};
use isotherm_run::config::{ConfigFileError, DataOptionError, WrongEntry, name};
use isotherm_run::{Config, ConfigFile};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn read(path: &Path) -> (ConfigFile, Config) {
    let file = ConfigFile::read(path).unwrap();
    let mut config = Config::default();
    file.apply(&mut config).unwrap();
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(toml::from_str::<Config>(&text).unwrap(), config, "serde reads the same");
    (file, config)
}

fn nested() -> Config {
    let options = Options::default()
        .hidden(20)
        .shape("4x5".parse().ok())
        .seed(7)
        .algorithm(Algorithm::Pt)
        .columns(Some(3))
        .rungs(Some(12))
        .min_swap(0.3)
        .updates(5000)
        .lr(0.1)
        .lr_decay(LrDecay::HoldLinear)
        .metrics_every(Some(50));
    let config = Config::from(options).train(Some("votes.csv".to_owned()));
    config.split("0.8/0.2".parse().ok()).drop("1,party".parse().ok()).data_seed(3)
}

#[test]
fn sections_are_read() {
    let (file, config) = read(&fixture("nested.toml"));
    assert_eq!(config, nested());
    assert_eq!(file.chosen().names().count(), 15);
    assert!(file.chosen().contains(name::min_swap) && !file.chosen().contains(name::max_rungs));
    assert!(!file.is_written_out());
}

#[test]
fn names_without_sections_are_read_too() {
    let (file, config) = read(&fixture("mixed.toml"));
    assert_eq!(config, nested().drop(None).data_seed(1));
    assert!(file.chosen().contains(name::train), "the older name of the training data is data");
}

/// The configuration of a recorded run of the version before, which was flat.
#[test]
fn the_version_before_is_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../isotherm-report/tests/fixtures/run/config.toml");
    assert!(!fs::read_to_string(&path).unwrap().contains('['));
    let (file, config) = read(&path);
    assert!(file.is_written_out());
    let options = Options::default()
        .path(PathKind::Joint)
        .swap(Some(isotherm::paths::SwapOn::Energy))
        .rungs(Some(10))
        .columns(Some(5))
        .updates(4000)
        .sampling_steps(800)
        .lr(0.001)
        .lr_decay(LrDecay::Constant)
        .gradient(GradientKind::Plain)
        .average(Some(200))
        .init_std(Some(0.1))
        .metrics_every(Some(400))
        .likelihood_every(Some(800));
    assert_eq!(config, Config::from(options).constant_columns(ConstantColumns::Refuse));
}

#[test]
fn what_is_written_is_read_again_with_every_name_in_its_section() {
    let config =
        Config { options: nested().options.check(20).unwrap().options().clone(), ..nested() };
    let config = config.test(Some("test.csv".to_owned())).binarise(Binarise::Threshold(0.5));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    let text = toml::to_string_pretty(&config).unwrap();
    fs::write(&path, &text).unwrap();
    let (file, again) = read(&path);
    assert_eq!(again, config);
    assert!(file.is_written_out());
    let table: toml::Table = text.parse().unwrap();
    let absent = [name::components, name::reference_hidden, name::valid, name::patience];
    for spec in Config::table() {
        let section = match spec.section {
            "" => &table,
            section => table[section].as_table().unwrap(),
        };
        assert_eq!(
            section.contains_key(spec.name.as_str()),
            !absent.contains(&spec.name),
            "{}",
            spec.name
        );
        assert_eq!(config.flat().get(spec.name.as_str()), section.get(spec.name.as_str()));
    }
    assert_eq!(config.flat().len(), Config::table().len() - absent.len());
}

#[test]
fn whole_numbers_may_have_an_exponent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    fs::write(&path, "[optimiser]\nupdates = 1e5\n").unwrap();
    assert_eq!(read(&path).1.options.optimiser.updates, 100_000);
}

/// The line and the reason of a refused file.
fn refusal(text: &str) -> ConfigFileError {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.toml");
    fs::write(&path, text).unwrap();
    let error = ConfigFile::read(&path).unwrap_err();
    assert_eq!(error.kind(), Kind::Options);
    let words = error.to_string();
    let error = error.into_cause::<ConfigFileError>().unwrap();
    assert!(words.contains(&format!("bad.toml, line {}: ", error.line)), "{words}");
    assert_eq!(error.path, path);
    error
}

#[test]
fn mistakes_are_told_with_their_line() {
    let why = |text: &str| {
        let ConfigFileError { line, why, .. } = refusal(text);
        match why {
            WrongEntry::Option(error) => (line, error.into_cause::<OptionError>().unwrap()),
            why => panic!("{why:?}"),
        }
    };
    let unknown = |name: &str, nearest| OptionError::Unknown { name: name.to_owned(), nearest };
    assert_eq!(why("hiden = 5\n"), (1, unknown("hiden", Some(name::hidden))));
    assert_eq!(why("[ladder]\nmin_swap = 5\n"), (2, unknown("min_swap", Some(name::min_swap))));
    assert_eq!(why("\nzzz = 5\n"), (2, unknown("zzz", None)));
    let misplaced = OptionError::WrongSection { name: name::lr, section: "optimiser" };
    assert_eq!(why("[sampler]\nk = 1\nlr = 0.1\n"), (3, misplaced));
    let misplaced = OptionError::WrongSection { name: name::seed, section: "" };
    assert_eq!(why("[data]\nseed = 1\n"), (2, misplaced));
    let train = OptionError::UnknownSection { name: "train".to_owned() };
    assert_eq!(why("[train]\nhidden = 4\n"), (1, train));
    for (text, line, option, written) in [
        ("seed = 1\nhidden = \"ten\"\n", 2, "hidden", "ten"),
        ("hidden = -4\n", 1, "hidden", "-4"),
        ("hidden = 4.5\n", 1, "hidden", "4.5"),
        ("[optimiser]\nupdates = 1e300\n", 2, "updates", "1e300"),
        ("[optimiser]\n\nlr = nan\n", 3, "lr", "nan"),
        ("lr = inf\n", 1, "lr", "inf"),
        ("seed = 1\nmin-swap = 0.99\n", 2, "min-swap", "0.99"),
        ("hidden = 0\n", 1, "hidden", "0"),
        ("algorithm = \"apl\"\n", 1, "algorithm", "apl"),
        ("seed = 1\n\npath = 3\n", 3, "path", "3"),
        ("data = 3\n", 1, "train", "3"),
    ] {
        match why(text) {
            (at, OptionError::NotAllowed { name, value, .. }) => {
                assert_eq!((at, name.as_str(), value.as_str()), (line, option, written), "{text}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn other_mistakes_in_a_file() {
    for (text, line) in
        [("seed = 1\nhidden 4\n", 2), ("hidden = 4\nhidden = 5\n", 2), ("hidden = [\n", 1)]
    {
        let error = refusal(text);
        assert!(matches!(error.why, WrongEntry::Syntax(_)), "{error:?}");
        assert!(error.line >= line, "{error:?}");
    }
    let twice = refusal("k = 2\n[sampler]\nk = 3\n");
    assert!(matches!((twice.line, &twice.why), (3, WrongEntry::Twice(name::k))), "{twice:?}");
    let split = refusal("[data]\n\nsplit = \"a half\"\n");
    assert!(matches!((split.line, &split.why), (3, WrongEntry::Option(_))), "{split:?}");
}

#[test]
fn parts_of_the_data_that_contradict_each_other() {
    let file = || Some("x.csv".to_owned());
    let plain = Config::default;
    let split = "0.8/0.1/0.1".parse().unwrap();
    let rule = Binarise::Dynamic;
    let cases = [
        (plain().split(Some(split)), DataOptionError::SplitWithoutFile),
        (plain().binarise(rule), DataOptionError::BinariseWithoutFile { rule }),
        (plain().drop("1".parse().ok()), DataOptionError::DropWithoutFile),
        (
            Config::from(Options::default().patience(Some(10))),
            DataOptionError::PatienceWithoutValidation,
        ),
        (
            plain().train(file()).valid(file()).split(Some(split)),
            DataOptionError::Twice { split, part: name::valid },
        ),
        (
            plain().train(file()).test(file()).split(Some(split)),
            DataOptionError::Twice { split, part: name::test },
        ),
    ];
    for (config, expected) in cases {
        let error: Error = config.check(100).unwrap_err();
        assert_eq!(error.kind(), Kind::Options);
        assert!(!error.to_string().contains("--"), "{error}");
        assert_eq!(error.into_cause::<DataOptionError>().unwrap(), expected);
    }
    let seed = plain().data_seed(1 << 63).check(100).unwrap_err();
    assert!(matches!(seed.cause(), Some(OptionError::NotAllowed { name: name::data_seed, .. })));
}
