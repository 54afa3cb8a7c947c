//! Grey values by every rule, against the rule written out.

use isotherm::BitMatrix;
use isotherm::Plain;
use isotherm::data::values::{ValueProblem, Values};
use isotherm::data::{Binarise, DataDiagnostic, DataProblem, Dataset, Minibatches, Scale};

use super::writers::*;
use super::{Place, Random};
use crate::refusal::{Problem, Refusal, at_line, at_row};
use isotherm_data::TextProblem;

fn grey(rows: usize, cols: usize) -> Vec<Vec<u8>> {
    let mut random = Random(5);
    (0..rows).map(|_| (0..cols).map(|_| random.next() as u8).collect()).collect()
}

fn by_threshold(content: &[u8], level: f64) -> BitMatrix {
    match Place::new().read("grey", content, None, Binarise::Threshold(level)).unwrap() {
        Values::Bits(bits) => bits,
        Values::Grey(_) => panic!("a threshold leaves no grey"),
    }
}

#[test]
fn a_threshold_below_one_is_a_share_of_the_range_and_others_are_values() {
    let rows = grey(20, 30);
    let above = |level: u8| {
        let rows: Vec<Vec<u8>> =
            rows.iter().map(|row| row.iter().map(|&v| u8::from(v > level)).collect()).collect();
        BitMatrix::from_rows(30, &rows)
    };
    for file in [npy(&rows), text(&rows, ",", false), idx(&[20, 30], &rows.concat())] {
        assert_eq!(by_threshold(&file, 0.5), above(127), "127.5 of 255");
        assert_eq!(by_threshold(&file, 0.2), above(51));
        assert_eq!(by_threshold(&file, 100.0), above(100));
        assert_eq!(by_threshold(&file, 0.0), above(0));
    }
    let fractions = b"0.2,0.5\n0.51,1\n";
    assert_eq!(by_threshold(fractions, 0.5), BitMatrix::from_rows(2, &[[0, 0], [1, 1]]));
    let spins = b"-1,1\n1,-1\n";
    assert_eq!(by_threshold(spins, 0.0), BitMatrix::from_rows(2, &[[0, 1], [1, 0]]));
    // With negative values a threshold is a value and not a fraction.
    let numbers = b"-0.2,3.5\n0.7,120\n";
    assert_eq!(by_threshold(numbers, 0.5), BitMatrix::from_rows(2, &[[0, 1], [1, 1]]));
}

/// Held-out data whose largest value would say otherwise are read as the training data are.
#[test]
fn the_training_data_say_what_values_mean() {
    let place = Place::new();
    let load = |content: &[u8], rule, like| {
        isotherm_data::load_like(&place.source("data", content, None), rule, 1, like)
    };
    let half = Binarise::Threshold(0.5);
    let ones = |data: &Dataset| data.marginals().iter().sum::<f64>();
    let train = load(b"0,200\n130,9\n", half, None).unwrap();
    assert_eq!(train.scale(), Some(Scale::Bytes));
    assert!(train.measured_on().ends_with("(threshold:0.5, that is above 127.5)"));
    // Dark images: nothing is above 127.5, where they alone would be refused.
    let dark = load(b"0,100\n9,2\n", half, train.scale()).unwrap();
    assert_eq!((dark.scale(), ones(&dark)), (Some(Scale::Bytes), 0.0));
    let source = dark.name().to_owned();
    let expected =
        DataDiagnostic::RuleLeavesNothing { source, rule: half, above: Some(127.5), value: 0 };
    assert_eq!(DataDiagnostic::of_held_out(&dark), Some(expected));
    let words = DataDiagnostic::of_held_out(&dark).unwrap().words(&Plain);
    assert!(
        words.starts_with(&dark.measured_on()) && words.contains("every value is 0"),
        "{words}"
    );
    assert_eq!(DataDiagnostic::of_held_out(&train), None);
    for rule in [half, Binarise::Static(1), Binarise::Dynamic] {
        for (train, other, (largest, whole), parts) in [
            (
                &b"0,200\n"[..],
                &b"0,300\n"[..],
                (300.0, true),
                ["from 0 to 300", "whole numbers from 0 to 255"],
            ),
            (b"0,200\n", b"0.5,0\n", (0.5, false), ["from 0 to 0.5", "from 0 to 255"]),
            (b"0,200\n", b"0,1\n", (1.0, true), ["from 0 to 1", "from 0 to 255"]),
            (b"0,0.5\n", b"0,200\n", (200.0, true), ["from 0 to 200", "fractions from 0 to 1"]),
        ] {
            let scale = load(train, rule, None).unwrap().scale().unwrap();
            let refusal = Refusal::from(load(other, rule, Some(scale)));
            let range = [0.0, largest];
            let problem = DataProblem::OtherScale { range, whole, scale, rule };
            assert_eq!(refusal.problem, Problem::Data(problem));
            refusal.says(&parts);
        }
    }
    let spins = load(b"-1,1\n", half, None).unwrap();
    assert_eq!(spins.scale(), Some(Scale::Values));
    assert_eq!(ones(&load(b"0,200\n1,0\n", half, spins.scale()).unwrap()), 1.0);
}

#[test]
fn static_draws_do_not_depend_on_the_format_and_have_the_right_mean() {
    let (place, rows) = (Place::new(), grey(200, 50));
    let files =
        [npy(&rows), text(&rows, " ", true), matlab(&[("x", &rows)], Stored::Doubles, true)];
    let drawn = files.map(|file| match place.read("grey", &file, None, Binarise::Static(7)) {
        Ok(Values::Bits(bits)) => bits,
        other => panic!("{other:?}"),
    });
    assert!(drawn[0] == drawn[1] && drawn[1] == drawn[2], "rows or columns first");
    let ones: u64 = drawn[0].column_counts().iter().sum();
    let p: Vec<f64> = rows.iter().flatten().map(|&v| f64::from(v) / 255.0).collect();
    let (mean, variance) = (p.iter().sum::<f64>(), p.iter().map(|p| p * (1.0 - p)).sum::<f64>());
    assert!((ones as f64 - mean).abs() < 4.0 * variance.sqrt(), "{ones} for {mean}");
    let other = place.read("grey", &npy(&rows), None, Binarise::Static(8)).unwrap();
    assert_ne!(other, Values::Bits(drawn[0].clone()));
}

/// Held-out data must not repeat the draws of the training data: a model would know them already.
#[test]
fn static_draws_of_two_files_are_independent() {
    let place = Place::new();
    let drawn = |rows: &[Vec<u8>]| match place.read("x", &npy(rows), None, Binarise::Static(7)) {
        Ok(Values::Bits(bits)) => bits,
        other => panic!("{other:?}"),
    };
    let train = vec![vec![128; 100]; 100];
    let mut test = train.clone();
    test[99][99] = 129;
    let (a, b) = (drawn(&train), drawn(&test));
    assert_eq!(a, drawn(&train), "the same values are drawn alike");
    let fraction = format!("{}\n", vec![(128.0f32 / 255.0).to_string(); 100].join(","));
    // One pixel is white, or bytes would not be told from fractions.
    let (mut bytes, mut fractions) = (train.clone(), fraction.repeat(100));
    bytes[0][0] = 255;
    fractions.replace_range(..fraction.find(',').unwrap(), "1");
    let read = place.read("x", fractions.as_bytes(), None, Binarise::Static(7));
    assert_eq!(read.unwrap(), Values::Bits(drawn(&bytes)), "and so are the same intensities");
    let apart: u32 = a.words().iter().zip(b.words()).map(|(a, b)| (a ^ b).count_ones()).sum();
    // Half of 10 000 bits, four standard deviations.
    assert!(apart.abs_diff(5000) < 200, "{apart} of 10000 bits differ");
}

#[test]
fn dynamic_keeps_the_intensities_and_draws_them_in_every_epoch() {
    let (place, rows) = (Place::new(), grey(40, 70));
    let source = place.source("grey", &npy(&rows), None);
    let data = isotherm_data::load(&source, Binarise::Dynamic, 1).unwrap();
    let kept = data.grey().unwrap();
    assert!(rows.iter().enumerate().all(|(at, row)| kept.row(at) == &row[..]));
    let means: Vec<f64> = (0..70)
        .map(|col| rows.iter().map(|row| f64::from(row[col])).sum::<f64>() / (255.0 * 40.0))
        .collect();
    assert!(data.marginals().iter().zip(means).all(|(a, b)| (a - b).abs() < 1e-12));
    // An epoch is one batch here. The bits differ from epoch to epoch, and a batch depends on its
    // number alone.
    let batch = |update| Minibatches::new(40, 3).at(update, &data);
    let counts = |update| batch(update).column_counts();
    assert_eq!(batch(5), batch(5));
    assert_ne!(counts(0), counts(1));
    let epochs = 300;
    let ones: u64 = (0..epochs).map(|update| counts(update).iter().sum::<u64>()).sum();
    let p: Vec<f64> = rows.iter().flatten().map(|&v| f64::from(v) / 255.0).collect();
    let mean = epochs as f64 * p.iter().sum::<f64>();
    let variance = epochs as f64 * p.iter().map(|p| p * (1.0 - p)).sum::<f64>();
    assert!((ones as f64 - mean).abs() < 4.0 * variance.sqrt(), "{ones} for {mean}");
    assert!(data.measured_on().contains("one draw"), "{}", data.measured_on());
    let again = isotherm_data::load(&source, Binarise::Dynamic, 1).unwrap();
    assert_eq!(again.digest(), data.digest());
    assert_ne!(isotherm_data::load(&source, Binarise::Dynamic, 2).unwrap().digest(), data.digest());
}

#[test]
fn values_that_are_not_intensities_are_refused_with_their_place() {
    let place = Place::new();
    for (content, (row, column), value, fraction, range, subject) in [
        (&b"0,1\n2,-3\n"[..], (2, 2), -3.0, None, [-3.0, 2.0], "-3"),
        (b"0,1\n300,3\n", (2, 1), 300.0, None, [0.0, 300.0], "300"),
        (b"0.5,1\n7,3\n", (2, 1), 7.0, Some(0.5), [0.5, 7.0], "7 beside 0.5"),
        (b"0,1\n16,3\n", (2, 1), 16.0, None, [0.0, 16.0], "16 as the largest value"),
        (b"0,1\n0,2\n", (2, 2), 2.0, None, [0.0, 2.0], "2 as the largest value"),
    ] {
        for rule in [Binarise::Static(1), Binarise::Dynamic, Binarise::Threshold(0.5)] {
            // Beside negative values a threshold is a value.
            if value < 0.0 && rule == Binarise::Threshold(0.5) {
                continue;
            }
            let refusal = Refusal::from(place.read("grey", content, None, rule));
            let problem = DataProblem::NoIntensity { value, fraction, range, rule };
            assert_eq!(refusal.problem, Problem::Data(problem));
            assert_eq!(refusal.place, at_row(row, column));
            let start = format!("grey, row {row}, column {column}: {subject} is not an intensity");
            refusal.says(&[&start, "threshold:X"]);
        }
    }
    for rule in [Binarise::Threshold(0.5), Binarise::Static(1), Binarise::Dynamic] {
        let refusal = Refusal::from(place.read("grey", b"0,1\n0.5,nan\n", None, rule));
        assert_eq!(refusal.place, at_line(2, 2));
        let text = "nan".to_owned();
        let problem = DataProblem::Value { text, problem: ValueProblem::Missing };
        assert_eq!(refusal.problem, Problem::Data(problem));
        refusal.says(&["line 2, column 2: nan is not a value; fill in"]);
        let refusal = Refusal::from(place.read("grey", b"0,1\n0.5,\n", None, rule));
        assert_eq!(refusal.place, at_line(2, 2));
        assert_eq!(refusal.problem, TextProblem::EmptyField.into());
    }
}
