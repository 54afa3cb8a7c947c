//! NumPy arrays.

use super::*;

/// Every supported dtype with the bytes of its 0, 1 and 2 (0, 1 and an odd byte for bool).
pub(crate) fn dtypes() -> Vec<(String, [Vec<u8>; 3])> {
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
        let refusal = files.refusal("bad.npy", bad);
        assert_eq!(refusal.place, at_row(2, 2));
        let problem = match (descr.as_str(), two[0]) {
            ("|b1", value) => FileProblem::NotBoolean { value }.into(),
            ("|i1", _) => not_binary("-1", -1.0),
            _ => not_binary("2", 2.0),
        };
        assert_eq!(refusal.problem, problem, "{descr}");
        refusal.says(&["bad.npy, row 2, column 2: "]);
        let bad = npy(descr, true, "(2, 3)", &data([1, 1, 0, 1, 2, 0]));
        assert_eq!(files.refusal("bad.npy", bad).place, at_row(1, 3));
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
        assert_eq!(npy_refusal(file).problem, NpyProblem::Version.into(), "{version}");
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
    let cases: [(&str, Vec<u8>, &str, f64); 4] = [
        ("<f8", 0.5f64.to_le_bytes().to_vec(), "0.5", 0.5),
        ("<f8", f64::NAN.to_le_bytes().to_vec(), "NaN", f64::NAN),
        (">f4", f32::MAX.to_be_bytes().to_vec(), "3.4028235e38", f32::MAX.into()),
        ("<i8", (1i64 << 32 | 1).to_le_bytes().to_vec(), "4294967297", 4294967297.0),
    ];
    for (descr, data, text, value) in cases {
        let refusal = npy_refusal(npy(descr, false, "(1, 1)", &data));
        assert_eq!(refusal.problem, not_binary(text, value));
        assert_eq!(refusal.place, at_row(1, 1));
        refusal.says(&["data.npy, row 1, column 1: ", &format!("{text} is not 0 or 1")]);
    }
}

#[test]
fn npy_dtypes_that_are_not_numbers() {
    for descr in ["|O", "<c8", ">c16", "<f2", "<f16", "|S3", "<U2", "|V4"] {
        let refusal = npy_refusal(npy(descr, false, "(1, 1)", &[0; 16]));
        let dtype = format!("'{descr}'");
        refusal.says(&[&format!("dtype {dtype} is not supported")]);
        assert_eq!(refusal.problem, NpyProblem::Dtype { dtype }.into());
    }
    for descr in ["[('a', '<i4'), ('b', '|u1')]", "'<M8[ns]'"] {
        let text = header("X", false, "(1, 1)").replace("'X'", descr);
        let refusal = npy_refusal(npy_text(1, &text, &[0; 8]));
        assert_eq!(refusal.problem, NpyProblem::NotNumbers.into());
    }
}

#[test]
fn npy_shapes_that_are_not_matrices() {
    for (shape, dimensions) in [("()", 0), ("(2,)", 1)] {
        let refusal = npy_refusal(npy("|u1", false, shape, &[0, 1]));
        assert_eq!(refusal.problem, FileProblem::TooFewDimensions { dimensions }.into());
        refusal.says(&[&format!("{dimensions} dimension"), "reshape"]);
    }
    for (text, shape) in
        [("(0, 3)", vec![0, 3]), ("(3, 0)", vec![3, 0]), ("(2, 0, 2)", vec![2, 0, 2])]
    {
        let refusal = npy_refusal(npy("|u1", false, text, &[]));
        assert_eq!(refusal.problem, FileProblem::EmptyArray { shape }.into());
    }
}

#[test]
fn npy_length_must_match_the_header() {
    for data in [&[0, 1, 1][..], &[0, 1, 1, 1, 1], &[]] {
        let refusal = npy_refusal(npy("|u1", false, "(2, 2)", data));
        let (shape, present) = (vec![2, 2], data.len() as u64);
        assert_eq!(refusal.problem, FileProblem::WrongLength { shape, size: 1, present }.into());
        refusal.says(&[&format!("2 x 2 values of 1 byte(s), but {present} bytes follow")]);
    }
}

#[test]
fn npy_headers_that_claim_too_much_are_refused() {
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
    // Twelve bytes that announce a header of four gigabytes.
    let refusal = npy_refusal(b"\x93NUMPY\x02\x00\xff\xff\xff\xff");
    assert_eq!(refusal.problem, NpyProblem::HeaderTooLong { most: 10_000 }.into());
}

/// The parser of `npyz` takes time exponential in the nesting of brackets, so it must not see such
/// headers: more than two brackets are refused before it is called, with a problem of its own.
#[test]
fn npy_headers_with_nested_brackets_never_reach_the_parser() {
    for nested in ["[", "(", "{", "{'a':", "[('a',"] {
        for depth in [3, 40, 10_000 / nested.len()] {
            let problem = npy_refusal(npy_text(1, &nested.repeat(depth), &[0])).problem;
            assert_eq!(problem, NpyProblem::NotNumbers.into(), "{depth} of {nested}");
        }
        for depth in [1, 40] {
            let text = header("X", false, "(1, 1)").replace("'X'", &nested.repeat(depth));
            let problem = npy_refusal(npy_text(2, &text, &[0])).problem;
            assert_eq!(problem, NpyProblem::NotNumbers.into(), "{depth} of {nested}");
        }
    }
}

#[test]
fn npy_headers_that_are_damaged() {
    let file = npy("|u1", false, "(1, 2)", &[0, 1]);
    for len in 1..file.len() {
        npy_refusal(&file[..len]);
    }
    #[cfg(feature = "npz")]
    {
        let refusal = npy_refusal(b"PK\x03\x04 something else");
        assert!(matches!(
            refusal.problem,
            Problem::File(FileProblem::Archive(isotherm_data::ArchiveProblem::Damaged { .. }))
        ));
        refusal.says(&["zip file is damaged"]);
    }
    for text in ["", "{}", "5", "{'descr': '|u1'}", "{'shape': (1, 2)\n", "\u{1b}[31m\nred"] {
        let refusal = npy_refusal(npy_text(1, text, &[0, 1]));
        assert_eq!(refusal.problem, NpyProblem::Header { text: text.to_owned() }.into());
        refusal.says(&["numpy.save"]);
    }
}
