//! Columns that are left out, of every format, whatever they hold.

use isotherm::BitMatrix;
use isotherm::data::Binarise;
use isotherm::data::values::Values;
use isotherm_data::formats::read;
use isotherm_data::{ColumnNames, FileProblem, Separator, TextProblem, inspect};
use proptest::prelude::*;

use super::Place;
use super::round_trips::{matrices, written};
use super::writers::*;
use crate::refusal::{Problem, Refusal, at_line};

impl Place {
    /// What is left of a file, or why nothing is.
    fn without(
        &self,
        content: &[u8],
        array: Option<&str>,
        drop: &str,
    ) -> Result<BitMatrix, Box<Refusal>> {
        let source = self.source("data", content, array).leaving_out(drop.parse().ok().as_ref());
        match read(&source, Binarise::AsIs).map_err(|error| Box::new(Refusal::of(&error)))? {
            Values::Bits(bits) => Ok(bits),
            Values::Grey(_) => panic!("grey values as they are"),
        }
    }
}

/// A column that is to be left out by a name which the file does not have.
fn unknown(name: &str, names: ColumnNames) -> Problem {
    FileProblem::DropUnknown { name: name.to_owned(), names }.into()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_left_is_what_it_would_be_without_the_others(
        rows in matrices().prop_filter("wide enough", |rows| rows[0].len() > 5),
    ) {
        let place = Place::new();
        let last = rows[0].len();
        let drop = format!("2,4-5,{last}");
        let is_left = |at: &usize| ![1, 3, 4, last - 1].contains(at);
        let left: Vec<Vec<u8>> =
            rows.iter().map(|row| (0..last).filter(is_left).map(|at| row[at]).collect()).collect();
        let expected = BitMatrix::from_rows(left[0].len(), &left);
        for (name, content, array) in written(&rows) {
            if name == "parquet list" {
                continue; // all variables are one column of the file
            }
            let loaded = place.without(&content, array, &drop);
            prop_assert_eq!(loaded.as_ref().ok(), Some(&expected), "{}: {:?}", name, loaded);
            let beyond = place.without(&content, array, &format!("{}", last + 1)).unwrap_err();
            let problem = FileProblem::DropBeyond { column: last + 1, columns: last };
            prop_assert_eq!(beyond.problem, Problem::from(problem), "{}", name);
            let words = format!("`drop = {}`: there are only", last + 1);
            prop_assert!(beyond.words.contains(&words), "{}: {}", name, beyond.words);
            let all = place.without(&content, array, &format!("1-{last}")).unwrap_err();
            prop_assert_eq!(all.problem, Problem::from(FileProblem::DropAll), "{}", name);
            prop_assert!(all.words.contains("`drop` leaves no column"), "{}: {}", name, all.words);
        }
    }
}

#[test]
fn what_is_left_out_of_a_text_need_not_be_numbers() {
    let place = Place::new();
    let expected = BitMatrix::from_rows(2, &[[1, 0], [0, 1]]);
    let named = b"id,party,a,b\n7,republican,1,0\n8,,0,1\n";
    for drop in ["id,party", "1,party", "1-2", "party,id,1"] {
        assert_eq!(place.without(named, None, drop).unwrap(), expected, "{drop}");
    }
    let nameless = b"republican;1;0\n\"a; democrat\";0;1\n";
    assert_eq!(place.without(nameless, None, "1").unwrap(), expected);
    // A first row of numbers is a header if it names a column that is left out.
    let years = b"id,1984,1985\nx,1,0\ny,0,1\n";
    assert_eq!(place.without(years, None, "id").unwrap(), expected);
    assert_eq!(
        place.without(b"# a remark\n\nid 0 1\n7 1 0\n8 0 1\n", None, "id").unwrap(),
        expected
    );
    let unknown = |name: &str| unknown(name, ColumnNames::FirstRow);
    let word = TextProblem::NotNumber { text: "republican".into(), separator: Separator::Comma };
    let uneven = TextProblem::RowLength { values: 3, expected: 2, first_line: 1 };
    for (content, drop, at, problem, why) in [
        (
            &named[..],
            "Party",
            vec![],
            unknown("Party"),
            "`drop = Party`: the first row names no such column",
        ),
        (
            &nameless[..],
            "class",
            vec![],
            unknown("class"),
            "`drop = class`: the first row names no such column",
        ),
        (&named[..], "1", at_line(2, 2), word.into(), "\"republican\" is not a number"),
        (b"a,b\n1,0\n1,0,1\n", "a", at_line(3, 3), uneven.into(), "the row has 3 value(s)"),
        (b"a,b\n", "a", vec![], TextProblem::HeaderOnly.into(), "a header but no row"),
    ] {
        let refusal = place.without(content, None, drop).unwrap_err();
        assert_eq!((&refusal.place, &refusal.problem), (&at, &problem), "{}", refusal.words);
        refusal.says(&[why]);
    }
}

/// A first row that counts the columns is a header, whether or not it counts those that are left out.
#[test]
fn a_header_of_numbers_stays_one() {
    let place = Place::new();
    let expected = BitMatrix::from_rows(3, &[[1, 0, 1], [0, 1, 1]]);
    for head in [",0,1,2", "label,0,1,2", "label,1,2,3", "0,1,2,3", "1,2,3,4", "a,b,c,d"] {
        let content = format!("{head}\n7,1,0,1\n8,0,1,1\n");
        assert_eq!(place.without(content.as_bytes(), None, "1").unwrap(), expected, "{head}");
    }
    let two = BitMatrix::from_rows(2, &[[1, 1], [0, 1]]);
    assert_eq!(place.without(b",0,1\n7,1,1\n8,0,1\n", None, "1").unwrap(), two);
    // A label before 0 and 1 is a row.
    let three = BitMatrix::from_rows(2, &[[0, 1], [1, 1], [0, 1]]);
    assert_eq!(place.without(b"x,0,1\ny,1,1\nz,0,1\n", None, "1").unwrap(), three);
    let refusal = place.without(b"5,0,1,2\n7,1,0,1\n", None, "1").unwrap_err();
    assert_eq!(refusal.place, at_line(1, 4));
}

#[test]
fn arrays_have_no_names_and_parquet_has_some() {
    let place = Place::new();
    let refusal = place.without(&npy(&[vec![0, 1]]), None, "id").unwrap_err();
    assert_eq!(refusal.problem, unknown("id", ColumnNames::None));
    refusal.says(&["`drop = id`: the columns of this file have no names"]);
    let labels = parquet_with_holes(&[Some(0.0), Some(1.0)], true);
    let expected = BitMatrix::from_rows(1, &[[0], [1]]);
    for drop in ["label", "2"] {
        assert_eq!(place.without(&labels, None, drop).unwrap(), expected, "{drop}");
    }
    let refusal = place.without(&labels, None, "class").unwrap_err();
    assert_eq!(refusal.problem, unknown("class", ColumnNames::All));
    refusal.says(&["`drop = class`: there is no column of that name"]);
    let lists = parquet(
        &[vec![0, 1, 1], vec![1, 0, 0]],
        Columns::Lists,
        parquet::basic::Compression::UNCOMPRESSED,
    );
    let refusal = place.without(&lists, None, "1").unwrap_err();
    assert_eq!(refusal.problem, FileProblem::DropAll.into());
}

/// Grey columns are measured without those that are left out.
#[test]
fn a_label_does_not_count_for_a_rule() {
    let place = Place::new();
    let content = b"label,a,b\n900,0.2,0.9\n901,0.7,0.1\n";
    let source = place.source("data", content, None);
    let source = source.leaving_out("label".parse().ok().as_ref());
    let array = &inspect(&source, None, None).unwrap().arrays[0];
    assert_eq!((array.columns, array.largest), (2, 0.9));
    match read(&source, Binarise::Threshold(0.5)).unwrap() {
        Values::Bits(bits) => assert_eq!(bits, BitMatrix::from_rows(2, &[[0, 1], [1, 0]])),
        Values::Grey(_) => panic!("bits"),
    }
}
