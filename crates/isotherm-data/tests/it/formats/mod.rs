//! Reading and writing data files: what is accepted, and what is refused for which reason.

mod npy;

use std::path::{Path, PathBuf};

use isotherm::data::Binarise;
use isotherm::data::values::Values;
use isotherm::{BitMatrix, Error, Result};
use isotherm_data::formats::{read, write_npy};
use isotherm_data::{FileProblem, NpyProblem, Separator, Source, TextProblem};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::refusal::{Problem, Refusal, at_line, at_row, not_binary};

/// The zeros and ones in a file.
fn load(path: &Path) -> Result<BitMatrix> {
    let source = Source { path: path.to_owned(), ..Source::default() };
    match read(&source, Binarise::AsIs)? {
        Values::Bits(bits) => Ok(bits),
        Values::Grey(_) => panic!("grey values as they are"),
    }
}

/// A folder of test files.
struct Files(TempDir);

impl Files {
    fn new() -> Files {
        Files(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Loads a file of the given name and content.
    fn load(&self, name: &str, content: impl AsRef<[u8]>) -> Result<BitMatrix> {
        std::fs::write(self.path(name), content).unwrap();
        load(&self.path(name))
    }

    /// Why a file is refused, under its name without the folder.
    fn refusal(&self, name: &str, content: impl AsRef<[u8]>) -> Refusal {
        let error = self.load(name, content).unwrap_err();
        assert_one_sentence(&error);
        let full = Refusal::of(&error);
        assert_eq!(full.source, self.path(name).display().to_string());
        let folder = format!("{}/", self.0.path().display());
        let words = full.words.strip_prefix(&folder).unwrap().to_owned();
        Refusal { source: name.to_owned(), words, ..full }
    }
}

fn assert_one_sentence(error: &Error) {
    let message = error.to_string();
    assert!(!message.chars().any(char::is_control), "control character in {message:?}");
    assert!(message.chars().count() < 400, "too long: {message}");
}

fn bits<const D: usize>(rows: &[[u8; D]]) -> BitMatrix {
    BitMatrix::from_rows(D, rows)
}

fn csv(content: impl AsRef<[u8]>) -> Result<BitMatrix> {
    Files::new().load("data.csv", content)
}

fn csv_refusal(content: impl AsRef<[u8]>) -> Refusal {
    Files::new().refusal("data.csv", content)
}

fn npy_refusal(content: impl AsRef<[u8]>) -> Refusal {
    Files::new().refusal("data.npy", content)
}

/// An npy file with this version and header text.
fn npy_text(version: u8, text: &str, data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    match version {
        1 => file.extend((text.len() as u16).to_le_bytes()),
        _ => file.extend((text.len() as u32).to_le_bytes()),
    }
    file.extend(text.as_bytes());
    file.extend(data);
    file
}

/// An npy file as NumPy writes it.
fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    npy_text(1, &header(descr, fortran, shape), data)
}

fn header(descr: &str, fortran: bool, shape: &str) -> String {
    let fortran = if fortran { "True" } else { "False" };
    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}      \n")
}

#[test]
fn csv_spellings() {
    let expected = bits(&[[0, 1], [1, 0]]);
    let same = [
        "0,1\n1,0\n",
        "0,1\n1,0",
        "0,1\r\n1,0\r\n",
        "\u{feff}0,1\n1,0\n",
        "a,b\n0,1\n1,0\n",
        "\u{feff}\"a, first\",b\r\n0,1\r\n1,0",
        "\n\n0,1\n\n  \n\r\n1,0\n\n",
        " 0 ,\t1\n1 , 0 \n",
        "0.0,1.0\n1e0,-0\n",
        "+0,1.\n10e-1,0e9\n",
        "\"0\",\"1\"\r\n\"1\",\"0\"\r\n",
    ];
    for text in same {
        for name in ["data.csv", "data.txt", "DATA.CSV"] {
            assert_eq!(Files::new().load(name, text).unwrap(), expected, "{text:?} in {name}");
        }
    }
    assert_eq!(csv("1").unwrap(), bits(&[[1]]));
    assert_eq!(csv("x\n1\n\n0\n").unwrap(), bits(&[[1], [0]]));
}

fn not_number(text: &str, separator: Separator) -> Problem {
    TextProblem::NotNumber { text: text.to_owned(), separator }.into()
}

#[test]
fn csv_values_that_are_not_binary_name_line_and_column() {
    use Separator::{Comma, Semicolon};
    let empty = || Problem::from(TextProblem::EmptyField);
    let cases = [
        ("0,1\n1,0\n0,0.5\n", (3, 2), not_binary("0.5", 0.5), "0.5 is not 0 or 1; binarise"),
        ("0,1\n-1,1\n", (2, 1), not_binary("-1", -1.0), "write spins of -1 and 1 as"),
        ("0,1\n0,2\n", (2, 2), not_binary("2", 2.0), "2 is not 0 or 1; recode the values"),
        (
            "0,1\nnan,1\n",
            (2, 1),
            not_binary("nan", f64::NAN),
            "nan is not 0 or 1; fill in or remove",
        ),
        (
            "a,b\n0;1,1\n",
            (2, 1),
            not_number("0;1", Comma),
            "\"0;1\" is not a number; separate the values by commas",
        ),
        ("0,1\r\n1,2\r\n", (2, 2), not_binary("2", 2.0), "2 is not 0 or 1"),
        ("a,b\r\n\r\n\r\n0,-1\r\n", (4, 2), not_binary("-1", -1.0), "-1 is not 0 or 1"),
        ("\n\nNaN,1", (3, 1), not_binary("NaN", f64::NAN), "NaN is not 0 or 1"),
        ("0\n1\n\n \ninf", (5, 1), not_binary("inf", f64::INFINITY), "inf is not 0 or 1"),
        ("0,1\n0,", (2, 2), empty(), "the field is empty"),
        ("0,1\n0, \t", (2, 2), empty(), "the field is empty"),
        (",\n0,1\n", (1, 1), empty(), "the field is empty"),
        ("0,one\n", (1, 2), not_number("one", Comma), "\"one\" is not a number"),
        ("a,b\n0,1\nc,d\n", (3, 1), not_number("c", Comma), "\"c\" is not a number"),
        ("a;b\n0;1,1\n", (2, 2), not_number("1,1", Semicolon), "\"1,1\" is not a number"),
        ("0,1\n1,\"0\n0,1\n", (2, 2), not_number("0\n0,1", Comma), "\"0\\n0,1\" is not a number"),
        ("0,1\r1,0\r", (1, 2), not_number("1\r1", Comma), "\"1\\r1\" is not a number"),
        (
            "0,\u{1b}[31m\n",
            (1, 2),
            not_number("\u{1b}[31m", Comma),
            "\"\\u{1b}[31m\" is not a number",
        ),
    ];
    for (text, (line, column), problem, words) in cases {
        let refusal = csv_refusal(text);
        assert_eq!((&refusal.place, &refusal.problem), (&at_line(line, column), &problem));
        let start = format!("data.csv, line {line}, column {column}: ");
        assert!(refusal.words.starts_with(&start), "{text:?}: {}", refusal.words);
        refusal.says(&[words]);
    }
}

#[test]
fn csv_rows_of_different_lengths() {
    let cases = [
        ("0,1\n1\n", (2, 2), (1, 2, 1)),
        ("\r\n0,1\r\n\r\n1,0,1", (4, 3), (3, 2, 2)),
        ("a,b,c\n0,1\n", (2, 3), (2, 3, 1)),
    ];
    for (text, (line, column), (values, expected, first_line)) in cases {
        let refusal = csv_refusal(text);
        let problem = TextProblem::RowLength { values, expected, first_line };
        assert_eq!((refusal.place, refusal.problem), (at_line(line, column), problem.into()));
        let has = format!("the row has {values} value(s), but line {first_line} has {expected}");
        assert!(refusal.words.contains(&has), "{text:?}: {}", refusal.words);
    }
}

#[test]
fn csv_shows_only_the_start_of_long_text() {
    let refusal = csv_refusal(format!("0,{}", "x".repeat(1_000_000)));
    refusal.says(&["xxxx…\" is not a number"]);
    assert!(refusal.words.len() < 200, "{}", refusal.words);
}

#[test]
fn csv_without_values() {
    assert_eq!(csv_refusal("").problem, FileProblem::Empty.into());
    for text in ["\n", "\r\n \n", "\u{feff}"] {
        assert_eq!(csv_refusal(text).problem, FileProblem::NoValues.into(), "{text:?}");
    }
    assert_eq!(csv_refusal("a,b\n\n").problem, TextProblem::HeaderOnly.into());
}

#[test]
fn csv_that_is_not_text() {
    let refusal = csv_refusal(b"0,1\n1,\xff\xfe\n");
    assert_eq!(refusal.place, at_line(2, 2));
    let text = "\u{fffd}\u{fffd}".to_owned();
    assert_eq!(refusal.problem, TextProblem::NotUtf8 { text }.into());
    refusal.says(&["data.csv, line 2, column 2: ", "UTF-8"]);
    // UTF-16, as spreadsheets like to save.
    let refusal = csv_refusal(b"\xff\xfe0\0,\x001\0\n\0");
    assert_eq!(refusal.place, at_line(1, 1));
    assert!(matches!(
        refusal.problem,
        Problem::File(FileProblem::Text(TextProblem::NotUtf8 { .. }))
    ));
    assert_eq!(csv_refusal(b"name\0,\x01\xc0\n").place, at_line(1, 2));
}

#[test]
fn csv_of_one_very_long_row() {
    let width = 1_000_003;
    let text: Vec<u8> = (0..width).flat_map(|col| [b'0' + u8::from(col % 3 == 0), b',']).collect();
    let loaded = csv(&text[..text.len() - 1]).unwrap();
    assert_eq!((loaded.rows(), loaded.cols()), (1, width));
    assert!(loaded.ones(0).eq((0..width).step_by(3)));
}

#[test]
fn unknown_formats_list_the_known_ones() {
    for name in ["data.png", "data", "csv", "data.csv.zip"] {
        let refusal = Files::new().refusal(name, b"\x89PNG\r\n\x1a\n0,1\n");
        assert_eq!(refusal.problem, FileProblem::Unrecognised.into());
        refusal.says(&[name, ".npy", ".npz", ".csv, .txt", "IDX", ".mat", "Parquet", "gzipped"]);
    }
    let refusal = Files::new().refusal("data.mat", b"\x89HDF\r\n\x1a\n....");
    assert_eq!(refusal.problem, FileProblem::Hdf5.into());
    refusal.says(&["7.3", "-v7"]);
}

#[test]
fn text_is_recognised_by_content_whatever_its_name() {
    for name in ["data.png", "data", "data.npy", "data.csv.gz"] {
        assert_eq!(Files::new().load(name, "0,1\n1,0\n").unwrap(), bits(&[[0, 1], [1, 0]]));
    }
}

#[test]
fn text_between_tabs_semicolons_and_spaces() {
    let expected = bits(&[[0, 1, 1], [1, 0, 0]]);
    let same = [
        "0\t1\t1\n1\t0\t0\n",
        "a\tb c\td\r\n0\t1\t1\r\n1\t0\t0\r\n",
        "a;b;c\n0;1;1\n1;0;0\n",
        "0 1 1\n1 0 0\n",
        "  0   1 \t1  \n\n 1 0 0",
        "# saved by someone\n0 1 1\n1 0 0\n",
        "0.000000e+00 1.000000e+00 1.0\n1 0 0\n",
        "x y z\n0 1 1\n1 0 0\n",
    ];
    for text in same {
        assert_eq!(Files::new().load("data.amat", text).unwrap(), expected, "{text:?}");
    }
    let uneven = TextProblem::RowLength { values: 3, expected: 2, first_line: 2 };
    let places = [
        ("0 1 1\n\n1  2 0\n", at_line(3, 2), not_binary("2", 2.0)),
        ("0\t1\n0\t\n", at_line(2, 2), TextProblem::EmptyField.into()),
        ("# remark\n0 1\n0 1 1\n", at_line(3, 3), uneven.into()),
        ("0,1\nNA,1\n", at_line(2, 1), not_binary("NA", f64::NAN)),
    ];
    for (text, place, problem) in places {
        let refusal = Files::new().refusal("data.txt", text);
        assert_eq!((refusal.place, refusal.problem), (place, problem), "{text:?}");
    }
}

#[test]
fn files_that_cannot_be_opened_are_io_errors() {
    let files = Files::new();
    std::fs::create_dir(files.path("folder.csv")).unwrap();
    for name in ["folder.csv", "missing.npy"] {
        let error = load(&files.path(name)).unwrap_err();
        assert!(error.kind() == isotherm::Kind::Io, "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn devices_are_refused() {
    let refusal = Refusal::from(load("/dev/null".as_ref()));
    assert_eq!(refusal.problem, FileProblem::NotRegular.into());
}

#[cfg(unix)]
#[test]
fn control_characters_in_file_names_are_escaped() {
    let refusal = Files::new().refusal("a\n\u{7}.csv", "2\n");
    assert_eq!((refusal.source.as_str(), refusal.place), ("a\n\u{7}.csv", at_line(1, 1)));
    assert!(refusal.words.starts_with("a\\n\\u{7}.csv, line 1, column 1: "), "{}", refusal.words);
}

#[test]
fn written_arrays_are_as_numpy_wants_them() {
    let mut file = Vec::new();
    write_npy(&mut file, &bits(&[[0, 1, 1], [1, 0, 0]])).unwrap();
    assert!(file.starts_with(b"\x93NUMPY\x01\x00"));
    assert!(file.ends_with(b"\n\x00\x01\x01\x01\x00\x00"));
    assert_eq!((file.len() - 6) % 16, 0, "the values are aligned");
    let text = String::from_utf8_lossy(&file[10..file.len() - 7]);
    let start = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3";
    assert!(text.starts_with(start), "{text}");
}

/// Matrices of up to 20 rows and 150 columns.
fn matrices() -> impl Strategy<Value = BitMatrix> {
    (1..20usize, 1..150usize).prop_flat_map(|(rows, cols)| {
        let row = prop::collection::vec(0..2u8, cols);
        prop::collection::vec(row, rows).prop_map(move |rows| BitMatrix::from_rows(cols, &rows))
    })
}

/// Changes to a file: bytes overwritten, a piece cut out, and a new length.
type Damage = (Vec<(prop::sample::Index, u8)>, prop::sample::Index, usize, prop::sample::Index);

fn damage() -> impl Strategy<Value = Damage> {
    let index = any::<prop::sample::Index>;
    let byte =
        prop_oneof![any::<u8>(), prop::sample::select(b"0123456789,.'\"{[()]}:-\r\n ".to_vec())];
    (prop::collection::vec((index(), byte), 0..6), index(), 0..4usize, index())
}

fn damaged(file: &[u8], (bytes, cut, cut_len, len): &Damage) -> Vec<u8> {
    let mut file = file.to_vec();
    for (at, byte) in bytes {
        *at.get_mut(&mut file) = *byte;
    }
    let from = cut.index(file.len());
    file.drain(from..(from + cut_len).min(file.len() - 1).max(from));
    // Half of the files keep their length.
    file.truncate(file.len().min(len.index(2 * file.len()) + 1));
    file
}

/// Loading may succeed or fail, but has to do so in good order.
fn check_outcome(name: &str, content: &[u8]) -> std::result::Result<(), TestCaseError> {
    match Files::new().load(name, content) {
        Ok(bits) => {
            prop_assert!(bits.rows() > 0 && bits.cols() > 0);
            prop_assert!(bits.rows() * bits.cols() <= content.len());
            let words = bits.words().to_vec();
            let checked = BitMatrix::from_words(bits.rows(), bits.cols(), words);
            prop_assert!(checked.is_some(), "padding");
        }
        Err(error) => {
            let refusal = Refusal::of(&error);
            prop_assert!(refusal.source.ends_with(name), "{}", error);
            assert_one_sentence(&error);
        }
    }
    Ok(())
}

/// Header texts made of pieces that mean something.
fn header_texts() -> impl Strategy<Value = String> {
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        ":",
        " ",
        "'descr'",
        "'shape'",
        "'fortran_order'",
        "True",
        "'|u1'",
        "'<f8'",
        "'|O'",
        "0",
        "1",
        "2",
        "9999999999",
        "18446744073709551615",
        "0x",
        "_",
        "+",
        "-",
        ".",
        "e",
        "j",
        "\"",
        "\\",
        "\n",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (",
        "), }",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..24).prop_map(|all| all.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn npy_round_trip(bits in matrices()) {
        let mut file = Vec::new();
        write_npy(&mut file, &bits).unwrap();
        prop_assert_eq!(Files::new().load("a.npy", file).unwrap(), bits);
    }

    #[test]
    fn csv_round_trip(bits in matrices(), crlf: bool, header: bool, spellings in prop::collection::vec(0..4usize, 7)) {
        let end = if crlf { "\r\n" } else { "\n" };
        let mut text = String::new();
        if header {
            text += &(0..bits.cols()).map(|col| format!("x{col}")).collect::<Vec<_>>().join(",");
            text += end;
        }
        for row in 0..bits.rows() {
            let spell = |col: usize| match spellings[(row + col) % spellings.len()] {
                0 => format!(" {}", u8::from(bits.get(row, col))),
                1 => format!("{:.3}", f64::from(u8::from(bits.get(row, col)))),
                _ => u8::from(bits.get(row, col)).to_string(),
            };
            text += &(0..bits.cols()).map(spell).collect::<Vec<_>>().join(",");
            text += end;
        }
        prop_assert_eq!(csv(text).unwrap(), bits);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check_outcome("a.csv", &bytes)?;
        check_outcome("a.npy", &bytes)?;
        let mut npy = b"\x93NUMPY\x01\x00".to_vec();
        npy.extend(bytes);
        check_outcome("a.npy", &npy)?;
    }

    #[test]
    fn random_headers_never_panic(version in 1..4u8, text in header_texts(), zeros in 0..9usize) {
        check_outcome("a.npy", &npy_text(version, &text, &vec![0; zeros]))?;
    }

    #[test]
    fn damaged_npy_never_panics(bits in matrices(), damage in damage()) {
        let mut file = Vec::new();
        write_npy(&mut file, &bits).unwrap();
        check_outcome("a.npy", &damaged(&file, &damage))?;
    }

    #[test]
    fn damaged_npy_headers_never_panic(dtype in prop::sample::select(npy::dtypes()), fortran: bool, damage in damage()) {
        let (descr, [zero, one, _]) = dtype;
        let file = npy(&descr, fortran, "(1, 2)", &[zero, one].concat());
        check_outcome("a.npy", &damaged(&file, &damage))?;
    }

    #[test]
    fn damaged_csv_never_panics(bits in matrices(), damage in damage()) {
        let mut text = String::from("a,b\r\n\n");
        for row in 0..bits.rows() {
            let fields: Vec<_> = (0..bits.cols()).map(|col| bits.get(row, col).to_string()).collect();
            text += &fields.join(",").replace("true", "1").replace("false", "0.0");
            text += "\r\n";
        }
        check_outcome("a.csv", &damaged(&text.as_bytes()[6..], &damage))?;
        check_outcome("a.csv", &damaged(text.as_bytes(), &damage))?;
    }
}
