//! Reading and writing data files: what is accepted, what is refused and how that is said.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use isotherm::data::formats::{load, write_npy};
use isotherm::{Error, Result};
use isotherm_kernels::BitMatrix;
use proptest::prelude::*;
use tempfile::TempDir;

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

    /// The message with which a file's data are refused, without the folder's path.
    fn refusal(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let error = self.load(name, content).unwrap_err();
        assert!(error.is_data(), "{error}");
        assert_one_sentence(&error);
        let full = error.to_string();
        let folder = format!("{}/", self.0.path().display());
        full.strip_prefix(&folder).unwrap_or_else(|| panic!("no file name in: {full}")).to_owned()
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

fn csv_refusal(content: impl AsRef<[u8]>) -> String {
    Files::new().refusal("data.csv", content)
}

fn npy_refusal(content: impl AsRef<[u8]>) -> String {
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

/// Every supported dtype with the bytes of its 0, 1 and 2 (0, 1 and an odd byte for bool).
fn dtypes() -> Vec<(String, [Vec<u8>; 3])> {
    let mut all = vec![("|b1".to_owned(), [vec![0], vec![1], vec![2]])];
    for kind in ["u", "i"] {
        for size in [1, 2, 4, 8] {
            let little = |value: u64| value.to_le_bytes()[..size].to_vec();
            all.push((format!("<{kind}{size}"), [0, 1, 2].map(little)));
        }
    }
    all.push(("<f4".to_owned(), [0.0f32, 1.0, 2.0].map(|v| v.to_le_bytes().to_vec())));
    all.push(("<f8".to_owned(), [0.0f64, 1.0, 2.0].map(|v| v.to_le_bytes().to_vec())));
    let big: Vec<_> = all
        .iter()
        .filter(|(descr, _)| descr.starts_with('<'))
        .map(|(descr, values)| {
            let reversed = values.clone().map(|bytes| bytes.into_iter().rev().collect());
            (descr.replace('<', ">"), reversed)
        })
        .collect();
    all.extend(big);
    all.push(("|u1".to_owned(), [vec![0], vec![1], vec![2]]));
    all.push(("|i1".to_owned(), [vec![0], vec![1], vec![255]]));
    all
}

#[test]
fn npy_of_every_dtype_and_order() {
    let files = Files::new();
    let expected = bits(&[[1, 0, 0], [1, 1, 0]]);
    let dtypes = dtypes();
    assert_eq!(dtypes.len(), 23);
    for (descr, [zero, one, two]) in &dtypes {
        let data = |values: [u8; 6]| -> Vec<u8> {
            let byte_strings = values.map(|v| [zero, one, two][v as usize].clone());
            byte_strings.concat()
        };
        let c = npy(descr, false, "(2, 3)", &data([1, 0, 0, 1, 1, 0]));
        assert_eq!(files.load("c.npy", c).unwrap(), expected, "{descr}");
        let f = npy(descr, true, "(2, 3)", &data([1, 1, 0, 1, 0, 0]));
        assert_eq!(files.load("f.npy", f).unwrap(), expected, "{descr}");

        let bad = npy(descr, false, "(2, 3)", &data([1, 0, 0, 1, 2, 0]));
        let message = files.refusal("bad.npy", bad);
        assert!(message.starts_with("bad.npy, row 2, column 2: "), "{message}");
        let bad = npy(descr, true, "(2, 3)", &data([1, 1, 0, 1, 2, 0]));
        let message = files.refusal("bad.npy", bad);
        assert!(message.starts_with("bad.npy, row 1, column 3: "), "{message}");
    }
}

#[test]
fn npy_of_every_version() {
    for version in [1, 2, 3] {
        let file = npy_text(version, &header("|u1", false, "(1, 2)"), &[0, 1]);
        assert_eq!(Files::new().load("a.npy", file).unwrap(), bits(&[[0, 1]]), "{version}");
    }
    for version in [0, 4, 255] {
        let file = npy_text(version, &header("|u1", false, "(1, 2)"), &[0, 1]);
        assert!(npy_refusal(file).contains("version"), "{version}");
    }
}

#[test]
fn npy_header_length_that_looks_like_a_bracket() {
    let text = format!("{:<122}\n", header("|u1", false, "(1, 2)").trim());
    assert_eq!(text.len(), usize::from(b'{'));
    assert_eq!(Files::new().load("a.npy", npy_text(1, &text, &[0, 1])).unwrap(), bits(&[[0, 1]]));
}

#[test]
fn npy_is_recognised_by_content_whatever_its_name() {
    let file = npy("|u1", false, "(1, 2)", &[0, 1]);
    for name in ["a.csv", "a.dat", "a"] {
        assert_eq!(Files::new().load(name, &file).unwrap(), bits(&[[0, 1]]), "{name}");
    }
}

#[test]
fn npy_negative_zero_is_zero() {
    let file = npy("<f4", false, "(1, 1)", &(-0.0f32).to_le_bytes());
    assert_eq!(Files::new().load("a.npy", file).unwrap(), bits(&[[0]]));
}

#[test]
fn npy_of_higher_rank_is_flattened_in_c_order() {
    // Ones at [0, 0, 2], [1, 1, 0] and [1, 1, 2] of shape (2, 2, 3).
    let expected = bits(&[[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 1]]);
    let c = npy("|u1", false, "(2, 2, 3)", &[0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1]);
    assert_eq!(Files::new().load("c.npy", c).unwrap(), expected);
    // In Fortran order the first index moves fastest: position i + 2 j + 4 k.
    let f = npy("|u1", true, "(2, 2, 3)", &[0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1]);
    assert_eq!(Files::new().load("f.npy", f).unwrap(), expected);
}

#[test]
fn npy_values_that_are_not_binary() {
    let cases: [(&str, Vec<u8>, &str); 4] = [
        ("<f8", 0.5f64.to_le_bytes().to_vec(), "0.5 is not 0 or 1; binarise"),
        ("<f8", f64::NAN.to_le_bytes().to_vec(), "NaN is not 0 or 1"),
        (">f4", f32::MAX.to_be_bytes().to_vec(), "3.4028235e38 is not 0 or 1"),
        ("<i8", (1i64 << 32 | 1).to_le_bytes().to_vec(), "4294967297 is not 0 or 1"),
    ];
    for (descr, data, expected) in cases {
        let message = npy_refusal(npy(descr, false, "(1, 1)", &data));
        assert!(message.starts_with("data.npy, row 1, column 1: "), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn npy_dtypes_that_are_not_numbers() {
    for descr in ["|O", "<c8", ">c16", "<f2", "<f16", "|S3", "<U2", "|V4"] {
        let message = npy_refusal(npy(descr, false, "(1, 1)", &[0; 16]));
        assert!(message.contains(&format!("dtype '{descr}' is not supported")), "{message}");
    }
    for descr in ["[('a', '<i4'), ('b', '|u1')]", "'<M8[ns]'"] {
        let text = header("X", false, "(1, 1)").replace("'X'", descr);
        let message = npy_refusal(npy_text(1, &text, &[0; 8]));
        assert!(message.contains("does not hold plain numbers"), "{message}");
    }
}

#[test]
fn npy_shapes_that_are_not_matrices() {
    for (shape, rank) in [("()", "0 dimension"), ("(2,)", "1 dimension")] {
        let message = npy_refusal(npy("|u1", false, shape, &[0, 1]));
        assert!(message.contains(rank), "{message}");
        assert!(message.contains("reshape"), "{message}");
    }
    for shape in ["(0, 3)", "(3, 0)", "(2, 0, 2)"] {
        assert!(npy_refusal(npy("|u1", false, shape, &[])).contains("empty"), "{shape}");
    }
}

#[test]
fn npy_length_must_match_the_header() {
    for data in [&[0, 1, 1][..], &[0, 1, 1, 1, 1], &[]] {
        let message = npy_refusal(npy("|u1", false, "(2, 2)", data));
        let found = format!("2 x 2 values of 1 byte(s), but {} bytes follow", data.len());
        assert!(message.contains(&found), "{message}");
    }
}

#[test]
fn npy_headers_that_promise_too_much_are_refused_at_once() {
    let start = Instant::now();
    let shapes = [
        "(1099511627776, 1)",
        "(9223372036854775807, 1)",
        "(4294967296, 4294967296)",
        "(4294967296, 4294967296, 0)",
        "(0, 4294967296, 4294967296)",
        "(99999999999999999999999, 1)",
        "(1_0000000000, 1_0000000000)",
        "(0xffffffffff, 0xffffffffff)",
        "(18446744073709551615, 1+1)",
        "(18446744073709551615, 1--1)",
        "(-1, 2)",
        "(1.5, 2)",
        "(2L, 2L)",
    ];
    for shape in shapes {
        for descr in ["|u1", "<f8"] {
            npy_refusal(npy(descr, false, shape, &[0]));
            npy_refusal(npy(descr, true, shape, &[0]));
        }
    }
    for nested in ["[", "(", "{", "{'a':", "[('a',"] {
        let text = nested.repeat(10_000 / nested.len());
        npy_refusal(npy_text(1, &text, &[0]));
        npy_refusal(npy_text(1, &nested.repeat(40), &[0]));
        let text = header("X", false, "(1, 1)").replace("'X'", &nested.repeat(40));
        npy_refusal(npy_text(2, &text, &[0]));
    }
    // Twelve bytes that announce a header of four gigabytes.
    assert!(npy_refusal(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").contains("longer"));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn npy_headers_that_are_damaged() {
    let file = npy("|u1", false, "(1, 2)", &[0, 1]);
    for len in 1..file.len() {
        npy_refusal(&file[..len]);
    }
    assert!(npy_refusal(b"PK\x03\x04 something else").contains("zip file is damaged"));
    for text in ["", "{}", "5", "{'descr': '|u1'}", "{'shape': (1, 2)\n", "\u{1b}[31m\nred"] {
        let message = npy_refusal(npy_text(1, text, &[0, 1]));
        assert!(message.contains("numpy.save"), "{message}");
    }
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

#[test]
fn csv_values_that_are_not_binary_name_line_and_column() {
    let cases = [
        ("0,1\n1,0\n0,0.5\n", "data.csv, line 3, column 2: 0.5 is not 0 or 1; binarise the data"),
        ("0,1\n-1,1\n", "data.csv, line 2, column 1: -1 is not 0 or 1; write spins of -1 and 1 as"),
        ("0,1\n0,2\n", "data.csv, line 2, column 2: 2 is not 0 or 1; recode the values"),
        ("0,1\nnan,1\n", "data.csv, line 2, column 1: nan is not 0 or 1; fill in or remove"),
        (
            "a,b\n0;1,1\n",
            "data.csv, line 2, column 1: \"0;1\" is not a number; separate the values by commas",
        ),
        ("0,1\r\n1,2\r\n", "data.csv, line 2, column 2: 2 is not 0 or 1"),
        ("a,b\r\n\r\n\r\n0,-1\r\n", "data.csv, line 4, column 2: -1 is not 0 or 1"),
        ("\n\nNaN,1", "data.csv, line 3, column 1: NaN is not 0 or 1"),
        ("0\n1\n\n \ninf", "data.csv, line 5, column 1: inf is not 0 or 1"),
        ("0,1\n0,", "data.csv, line 2, column 2: the field is empty"),
        ("0,1\n0, \t", "data.csv, line 2, column 2: the field is empty"),
        (",\n0,1\n", "data.csv, line 1, column 1: the field is empty"),
        ("0,one\n", "data.csv, line 1, column 2: \"one\" is not a number"),
        ("a,b\n0,1\nc,d\n", "data.csv, line 3, column 1: \"c\" is not a number"),
        ("a;b\n0;1,1\n", "data.csv, line 2, column 2: \"1,1\" is not a number"),
        ("0,1\n1,\"0\n0,1\n", "data.csv, line 2, column 2: \"0\\n0,1\" is not a number"),
        ("0,1\r1,0\r", "data.csv, line 1, column 2: \"1\\r1\" is not a number"),
        ("0,\u{1b}[31m\n", "data.csv, line 1, column 2: \"\\u{1b}[31m\" is not a number"),
    ];
    for (text, expected) in cases {
        let message = csv_refusal(text);
        assert!(message.starts_with(expected), "{text:?}: {message}");
    }
}

#[test]
fn csv_rows_of_different_lengths() {
    let cases = [
        ("0,1\n1\n", "data.csv, line 2, column 2: the row has 1 value(s), but line 1 has 2"),
        (
            "\r\n0,1\r\n\r\n1,0,1",
            "data.csv, line 4, column 3: the row has 3 value(s), but line 2 has 2",
        ),
        ("a,b,c\n0,1\n", "data.csv, line 2, column 3: the row has 2 value(s), but line 1 has 3"),
    ];
    for (text, expected) in cases {
        let message = csv_refusal(text);
        assert!(message.starts_with(expected), "{text:?}: {message}");
    }
}

#[test]
fn csv_shows_only_the_start_of_long_text() {
    let message = csv_refusal(format!("0,{}", "x".repeat(1_000_000)));
    assert!(message.contains("xxxx…\" is not a number"), "{message}");
    assert!(message.len() < 200, "{message}");
}

#[test]
fn csv_without_values() {
    assert!(csv_refusal("").contains("empty"));
    for text in ["\n", "\r\n \n", "\u{feff}"] {
        assert!(csv_refusal(text).contains("no values"), "{text:?}");
    }
    assert!(csv_refusal("a,b\n\n").contains("header but no row"));
}

#[test]
fn csv_that_is_not_text() {
    let message = csv_refusal(b"0,1\n1,\xff\xfe\n");
    assert!(message.starts_with("data.csv, line 2, column 2: "), "{message}");
    assert!(message.contains("UTF-8"), "{message}");
    // UTF-16, as spreadsheets like to save.
    let message = csv_refusal(b"\xff\xfe0\0,\x001\0\n\0");
    assert!(message.starts_with("data.csv, line 1, column 1: "), "{message}");
    assert!(csv_refusal(b"name\0,\x01\xc0\n").contains("line 1, column 2"));
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
        let message = Files::new().refusal(name, b"\x89PNG\r\n\x1a\n0,1\n");
        assert!(message.starts_with(name), "{message}");
        for known in [".npy", ".npz", ".csv, .txt", "IDX", ".mat", "Parquet", "gzipped"] {
            assert!(message.contains(known), "{message}");
        }
    }
    let message = Files::new().refusal("data.mat", b"\x89HDF\r\n\x1a\n....");
    assert!(message.contains("7.3") && message.contains("-v7"), "{message}");
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
    let places = [
        ("0 1 1\n\n1  2 0\n", "line 3, column 2: 2 is not 0 or 1"),
        ("0\t1\n0\t\n", "line 2, column 2: the field is empty"),
        ("# remark\n0 1\n0 1 1\n", "line 3, column 3: the row has 3 value(s), but line 2 has 2"),
        ("0,1\nNA,1\n", "line 2, column 1: NA is not 0 or 1; fill in or remove"),
    ];
    for (text, expected) in places {
        let message = Files::new().refusal("data.txt", text);
        assert!(message.starts_with(&format!("data.txt, {expected}")), "{text:?}: {message}");
    }
}

#[test]
fn files_that_cannot_be_opened_are_io_errors() {
    let files = Files::new();
    std::fs::create_dir(files.path("folder.csv")).unwrap();
    for name in ["folder.csv", "missing.npy"] {
        let error = load(&files.path(name)).unwrap_err();
        assert!(error.is_io(), "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn devices_are_refused() {
    let error = load("/dev/null".as_ref()).unwrap_err();
    assert!(error.is_data() && error.to_string().contains("not a regular file"), "{error}");
}

#[cfg(unix)]
#[test]
fn control_characters_in_file_names_are_escaped() {
    let message = Files::new().refusal("a\n\u{7}.csv", "2\n");
    assert!(message.starts_with("a\\n\\u{7}.csv, line 1, column 1: "), "{message}");
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
            prop_assert!(error.is_data(), "{}", error);
            prop_assert!(error.to_string().contains(name), "{}", error);
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
    fn damaged_npy_headers_never_panic(dtype in prop::sample::select(dtypes()), fortran: bool, damage in damage()) {
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
