//! What is written in a format is what is read, gzipped or not.

use isotherm::BitMatrix;
use isotherm::data::values::Values;
use isotherm::data::{Assumption, Binarise, DataDiagnostic};
use isotherm_data::{
    ArrayNote, FileProblem, MatlabProblem, NoMatrix, OtherArray, ParquetProblem, TextProblem,
    inspect,
};
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use proptest::prelude::*;

use super::writers::*;
use super::{Place, random_bits};
use crate::refusal::{Problem, Refusal, at_line, at_row, not_binary};
use isotherm::data::Place as At;

pub(super) fn matrices() -> impl Strategy<Value = Vec<Vec<u8>>> {
    (1..12usize, 1..150usize).prop_flat_map(|(rows, cols)| {
        prop::collection::vec(prop::collection::vec(0..2u8, cols), rows)
    })
}

/// Every way of writing a matrix; the name of the array where one is needed.
pub(super) fn written(rows: &Rows) -> Vec<(&'static str, Vec<u8>, Option<&'static str>)> {
    let cols = rows[0].len();
    let other = random_bits(2, 3, 1);
    let mut files = vec![
        ("npy", npy(rows), None),
        ("npz", npz(&[("x", rows)], true), None),
        ("npz of two", npz(&[("other", &other), ("x", rows)], false), Some("x")),
        ("idx", idx(&[rows.len(), cols], &rows.concat()), None),
        ("csv", text(rows, ",", true), None),
        ("tsv", text(rows, "\t", false), None),
        ("spaces", text(rows, "  ", false), None),
        ("parquet", parquet(rows, Columns::Integers, Compression::UNCOMPRESSED), None),
        ("parquet bool", parquet(rows, Columns::Booleans, Compression::SNAPPY), None),
        (
            "parquet list",
            parquet(rows, Columns::Lists, Compression::ZSTD(ZstdLevel::default())),
            None,
        ),
    ];
    if rows.len() > 1 && cols > 1 {
        let two = [("other", &other[..]), ("x", rows)];
        files.extend([
            ("mat", matlab(&[("x", rows)], Stored::Bytes, false), None),
            ("packed mat", matlab(&[("x", rows)], Stored::Doubles, true), None),
            ("mat of two", matlab(&two, Stored::Bytes, true), Some("x")),
        ]);
    }
    files
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_format_gives_back_what_was_written(rows in matrices()) {
        let place = Place::new();
        let expected = BitMatrix::from_rows(rows[0].len(), &rows);
        for (name, content, array) in written(&rows) {
            for content in [gzip(&content), content] {
                let loaded = place.bits("file", &content, array);
                prop_assert_eq!(loaded.as_ref().ok(), Some(&expected), "{}: {:?}", name, loaded);
            }
        }
    }
}

#[test]
fn parquet_with_every_compression() {
    let (place, rows) = (Place::new(), random_bits(50, 9, 4));
    let expected = BitMatrix::from_rows(9, &rows);
    use Compression::*;
    for compression in
        [UNCOMPRESSED, SNAPPY, GZIP(GzipLevel::default()), LZ4_RAW, ZSTD(ZstdLevel::default())]
    {
        let file = parquet(&rows, Columns::Integers, compression);
        assert_eq!(place.bits("x", &file, None).unwrap(), expected, "{compression:?}");
    }
}

#[test]
fn an_independent_reader_agrees_about_matlab_files() {
    let rows = random_bits(7, 5, 2);
    for (stored, packed) in [(Stored::Bytes, false), (Stored::Doubles, true)] {
        let file = matlab(&[("some_name", &rows)], stored, packed);
        let parsed = matfile::MatFile::parse(&file[..]).unwrap();
        let array = parsed.find_by_name("some_name").unwrap();
        assert_eq!(array.size(), &vec![7, 5]);
        let expected: Vec<u8> =
            (0..5).flat_map(|col| rows.iter().map(move |row| row[col])).collect();
        match array.data() {
            matfile::NumericData::UInt8 { real, .. } => assert_eq!(*real, expected),
            matfile::NumericData::Double { real, .. } => {
                assert!(real.iter().zip(&expected).all(|(a, &b)| *a == f64::from(b)));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn images_are_flattened_and_labels_are_refused() {
    let place = Place::new();
    let values = [0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1];
    let loaded = place.bits("images", &idx(&[2, 2, 3], &values), None).unwrap();
    assert_eq!(loaded, BitMatrix::from_rows(6, &[&values[..6], &values[6..]]));
    let refusal = Refusal::from(place.bits("labels", &idx(&[12], &values), None));
    assert_eq!(refusal.problem, FileProblem::Labels { count: 12 }.into());
    refusal.says(&["labels: ", "file of images"]);
    let refusal = Refusal::from(place.bits("images", &idx(&[3, 2, 3], &values), None));
    let shape = vec![3, 2, 3];
    assert_eq!(refusal.problem, FileProblem::WrongLength { shape, size: 1, present: 12 }.into());
    refusal.says(&["3 x 2 x 3", "12 bytes"]);
}

#[test]
fn several_arrays_are_listed_and_one_is_chosen() {
    let (place, rows) = (Place::new(), random_bits(4, 3, 3));
    let arrays = [("train", &rows[..]), ("test", &rows[..2])];
    for file in [npz(&arrays, true), matlab(&arrays, Stored::Bytes, true)] {
        let names = || vec!["train".to_owned(), "test".to_owned()];
        let refusal = Refusal::from(place.bits("data", &file, None));
        let file_name = "data".to_owned();
        let problem = FileProblem::SeveralArrays { file_name, names: names() };
        assert_eq!(refusal.problem, problem.into());
        refusal.says(&["data: ", "2 arrays", ":train, :test", "such as data:train"]);
        let refusal = Refusal::from(place.bits("data", &file, Some("valid")));
        let problem = FileProblem::NoSuchArray { wanted: "valid".to_owned(), names: names() };
        assert_eq!(refusal.problem, problem.into());
        refusal.says(&["\"valid\"", ":train, :test"]);
        assert_eq!(place.bits("data", &file, Some("test")).unwrap().rows(), 2);
    }
    let refusal = Refusal::from(place.bits("data", &npy(&rows), Some("x")));
    assert_eq!(refusal.problem, FileProblem::NamelessArray { wanted: "x".to_owned() }.into());
    refusal.says(&["omit :x"]);
}

#[test]
fn places_are_named_in_every_format() {
    let place = Place::new();
    let mut rows = random_bits(4, 3, 3);
    rows[2][1] = 7;
    let within = |part| [vec![part], at_row(3, 2)].concat();
    let cases: [(Vec<u8>, Vec<At>, &str); 6] = [
        (npy(&rows), at_row(3, 2), "data, row 3, column 2: "),
        (
            npz(&[("x", &rows)], true),
            within(At::Array("x".to_owned())),
            "data, array x, row 3, column 2: ",
        ),
        (idx(&[4, 3], &rows.concat()), at_row(3, 2), "data, row 3, column 2: "),
        (
            matlab(&[("x", &rows)], Stored::Doubles, true),
            within(At::Element(1)),
            "data, element 1, row 3, column 2: ",
        ),
        (text(&rows, " ", true), at_line(4, 2), "data, line 4, column 2: "),
        (
            parquet(&rows, Columns::Integers, Compression::SNAPPY),
            vec![At::Row(3), At::NamedColumn("x1".to_owned())],
            "data, row 3, column \"x1\": ",
        ),
    ];
    for (file, expected, words) in cases {
        for file in [gzip(&file), file] {
            let refusal = Refusal::from(place.bits("data", &file, None));
            assert_eq!(refusal.place, expected);
            assert_eq!(refusal.problem, not_binary("7", 7.0));
            refusal.says(&[words, "7 is not 0 or 1", "threshold:0.5"]);
        }
    }
}

#[test]
fn files_that_are_packed_in_vain_are_refused() {
    let (place, rows) = (Place::new(), random_bits(4, 3, 3));
    let twice = gzip(&gzip(&npy(&rows)));
    let problem = |content: &[u8]| Refusal::from(place.bits("data", content, None)).problem;
    assert_eq!(problem(&twice), FileProblem::GzippedTwice.into());
    assert_eq!(problem(&gzip(b"")), FileProblem::EmptyContent.into());
    let cut = gzip(&npy(&rows));
    assert_eq!(problem(&cut[..cut.len() - 9]), FileProblem::EndsEarly.into());
    // 272 MiB of zeros in 280 KB: more than 256 MiB, and a thousand times the file.
    let mut bomb = Vec::new();
    let block = gzip_best(&vec![b'0'; 1 << 24]);
    (0..17).for_each(|_| bomb.extend(&block));
    let refusal = Refusal::from(place.bits("data", &bomb, None));
    assert_eq!(refusal.problem, FileProblem::UnpacksTooFar { times: 500 }.into());
    refusal.says(&["more than 500 times its size"]);
}

#[test]
fn parquet_columns_that_cannot_be_used_are_named() {
    let place = Place::new();
    let whole = parquet_with_holes(&[Some(0.0), Some(1.0), Some(1.0)], false);
    let expected = BitMatrix::from_rows(1, &[[0], [1], [1]]);
    assert_eq!(place.bits("data", &whole, None).unwrap(), expected);
    let holes = parquet_with_holes(&[Some(0.0), None, Some(1.0)], false);
    let column = |name: &str| At::NamedColumn(name.to_owned());
    let refusal = Refusal::from(place.bits("data", &holes, None));
    assert_eq!(refusal.place, [At::Row(2), column("x")]);
    assert_eq!(refusal.problem, not_binary("a missing value", f64::NAN));
    refusal.says(&["data, row 2, column \"x\": a missing value is not"]);
    let labels = parquet_with_holes(&[Some(0.0), Some(1.0)], true);
    let refusal = Refusal::from(place.bits("data", &labels, None));
    assert_eq!(refusal.place, [column("label")]);
    assert_eq!(refusal.problem, ParquetProblem::NotNumbers.into());
    refusal.says(&["data, column \"label\": the column does not hold numbers"]);
    let report = inspect(&place.source("data", &holes, None), None, None).unwrap();
    let missing = report.arrays[0].missing.unwrap();
    assert_eq!((missing.count, missing.row, missing.column), (1, 2, 1));
}

#[test]
fn a_first_row_that_numbers_the_columns_is_a_header() {
    let place = Place::new();
    let expected = BitMatrix::from_rows(3, &[[0, 1, 1], [1, 0, 0]]);
    for head in ["0,1,2", "1,2,3", "a,b,c", "\"0\",\"1\",\"2\""] {
        let content = format!("{head}\n0,1,1\n1,0,0\n");
        assert_eq!(place.bits("data", content.as_bytes(), None).unwrap(), expected, "{head}");
        let source = place.source("data", content.as_bytes(), None);
        let data = isotherm_data::load(&source, Binarise::AsIs, 1).unwrap();
        let assumption = (head != "a,b,c").then_some(Assumption::NumberedHeader);
        let diagnostic = assumption
            .map(|assumption| DataDiagnostic::Assumed { source: source.name(), assumption });
        assert_eq!(DataDiagnostic::of_reading(&data), diagnostic, "{head}");
        let report = inspect(&source, None, None).unwrap();
        assert_eq!(report.arrays[0].note, assumption.map(ArrayNote::Assumed));
    }
    // Two columns may well begin like this.
    let two = BitMatrix::from_rows(2, &[[0, 1], [1, 1]]);
    assert_eq!(place.bits("data", b"0,1\n1,1\n", None).unwrap(), two);
    assert!(place.bits("data", b"0,1,3\n1,1,0\n", None).is_err());
}

#[test]
fn truth_values_are_values_unless_they_are_names() {
    let place = Place::new();
    let expected = BitMatrix::from_rows(2, &[[1, 0], [0, 1]]);
    for content in [
        "TRUE,FALSE\nFALSE,TRUE\n",
        "True,0\nFalse,1\n",
        "a,b\ntrue,false\n0,TRUE\n",
        "true,predicted\n1,0\n0,1\n",
    ] {
        let bits = place.bits("data", content.as_bytes(), None).unwrap();
        assert_eq!(bits, expected, "{content}");
    }
}

/// As a number such a row would be one variable with values up to 10^12.
#[test]
fn zeros_and_ones_without_separators_are_refused() {
    let place = Place::new();
    for content in
        ["101101101101\n001000101010\n", "0110\n1010\n", "001\n000\n", "10110110110110110110\n"]
    {
        let refusal = Refusal::from(place.bits("data", content.as_bytes(), None));
        let text = content.lines().next().unwrap().to_owned();
        assert_eq!(refusal.place, at_line(1, 1));
        assert_eq!(refusal.problem, TextProblem::NoSeparators { text }.into());
        assert!(inspect(&place.source("data", content.as_bytes(), None), None, None).is_err());
    }
    // Between separators they are numbers.
    let expected = BitMatrix::from_rows(2, &[[0, 1], [1, 0]]);
    assert_eq!(place.bits("data", b"000,001\n01,00\n", None).unwrap(), expected);
}

#[test]
fn missing_values_in_the_first_row_are_values() {
    let place = Place::new();
    for (content, count, column) in
        [("0,?,1\n1,0,0\n", 1, 2), ("?,NA,\n1,0,0\n", 3, 1), ("0,inf,1\n1,0,1\n", 1, 2)]
    {
        let source = place.source("data", content.as_bytes(), None);
        let report = inspect(&source, None, None).unwrap();
        let missing = report.arrays[0].missing.unwrap();
        assert_eq!((report.arrays[0].rows, missing.count), (2, count), "{content}");
        assert_eq!((missing.row, missing.column), (1, column), "{content}");
        let refusal = Refusal::from(place.bits("data", content.as_bytes(), None));
        assert_eq!(refusal.place, at_line(1, column));
    }
}

#[test]
fn parquet_types_mean_what_they_say() {
    let place = Place::new();
    let threshold = |level| Binarise::Threshold(level);
    let above = |file: &[u8], level| match place.read("data", file, None, threshold(level)) {
        Ok(Values::Bits(bits)) => bits.column_counts().iter().sum::<u64>(),
        other => panic!("{other:?}"),
    };
    // Above the sign bit: 2^32 - 1 and not -1.
    assert_eq!(above(&parquet_integers("int32 x (UINT_32)", &[-1, 5]), 1e9), 1);
    assert_eq!(above(&parquet_integers("int32 x (INTEGER(32,false))", &[-1, 5]), 1e9), 1);
    assert_eq!(above(&parquet_integers("int32 x (INTEGER(32,true))", &[-1, 5]), 1.0), 1);
    assert_eq!(above(&parquet_integers("int32 x (INT_8)", &[-1, 5]), 1.0), 1);
    for kind in ["DATE", "DECIMAL(9,2)", "TIME_MILLIS", "TIME(MILLIS,true)"] {
        let file = parquet_integers(&format!("int32 x ({kind})"), &[0, 1]);
        let refusal = Refusal::from(place.bits("data", &file, None));
        assert_eq!(refusal.place, [At::NamedColumn("x".to_owned())]);
        assert_eq!(refusal.problem, ParquetProblem::NotPlainNumbers.into());
    }
    let index = parquet_integers("int32 x; required int32 __index_level_0__", &[0, 1]);
    assert_eq!(place.bits("data", &index, None).unwrap().cols(), 1);
    let source = place.source("data", &index, None);
    let note = inspect(&source, None, None).unwrap().arrays[0].note;
    assert_eq!(note, Some(ArrayNote::Assumed(Assumption::PandasIndex)));
}

#[test]
fn a_matlab_file_without_a_matrix_says_what_it_holds_instead() {
    let (place, column) = (Place::new(), vec![vec![1], vec![0]]);
    let mut file = matlab(&[("labels", &column)], Stored::Bytes, false);
    // The same once more as a complex array: the flags are the first part of the element.
    let mut complex = file[128..].to_vec();
    complex[8 + 8 + 1] |= 0x08;
    file.extend(&complex);
    let mut sparse = complex;
    sparse[8 + 8..8 + 8 + 2].copy_from_slice(&[5, 0]);
    file.extend(&sparse);
    let refusals = [
        Refusal::from(place.bits("data", &file, None)),
        Refusal::from(inspect(&place.source("data", &file, None), None, None)),
    ];
    for refusal in refusals {
        let Problem::File(FileProblem::Matlab(MatlabProblem::NoMatrix { others })) =
            &refusal.problem
        else {
            panic!("{}", refusal.words)
        };
        let found: Vec<NoMatrix> = others.iter().map(|OtherArray { what, .. }| *what).collect();
        assert_eq!(found, [NoMatrix::Vector, NoMatrix::Complex, NoMatrix::Sparse]);
        refusal.says(&[
            "labels is a single row or column",
            "labels is complex",
            "labels is sparse",
        ]);
    }
}
