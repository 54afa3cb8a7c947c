//! Parquet files of a few hundred bytes that claim gigabytes, written by hand: no writer makes them.

use isotherm::data::Binarise;
use isotherm::data::values::Values;
use isotherm_data::formats::read;
use isotherm_data::{FileProblem, ParquetProblem, inspect};

use super::Place;
use super::memory::peak;
use super::writers::gzip_best;
use crate::refusal::{Problem, Refusal};

const INT32: i64 = 1;
const GZIP: i64 = 2;
const RLE: i64 = 3;
const RLE_DICTIONARY: i64 = 8;

/// A structure in Thrift's compact protocol.
#[derive(Default)]
struct Thrift {
    bytes: Vec<u8>,
    last: u8,
}

fn varint(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn zigzag(value: i64, bytes: &mut Vec<u8>) {
    varint((value << 1 ^ value >> 63) as u64, bytes);
}

impl Thrift {
    fn field(mut self, number: u8, kind: u8, content: &[u8]) -> Thrift {
        self.bytes.push((number - self.last) << 4 | kind);
        self.bytes.extend(content);
        self.last = number;
        self
    }

    fn int(self, number: u8, value: i64) -> Thrift {
        let mut content = Vec::new();
        zigzag(value, &mut content);
        self.field(number, 5, &content)
    }

    fn long(self, number: u8, value: i64) -> Thrift {
        let mut content = Vec::new();
        zigzag(value, &mut content);
        self.field(number, 6, &content)
    }

    fn text(self, number: u8, text: &str) -> Thrift {
        self.field(number, 8, &[&[text.len() as u8], text.as_bytes()].concat())
    }

    fn structure(self, number: u8, inner: Thrift) -> Thrift {
        self.field(number, 12, &inner.end())
    }

    fn list(self, number: u8, kind: u8, items: &[Vec<u8>]) -> Thrift {
        let head = vec![(items.len() as u8) << 4 | kind];
        self.field(number, 9, &[head, items.concat()].concat())
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

/// What a file of one column of integers claims and holds.
struct Claims {
    rows: i64,
    /// Values in the one page.
    values: i64,
    /// Values in the dictionary, which holds one.
    entries: i64,
    /// Whether all values are one list, or as many as there are rows.
    list: bool,
    /// What the data page holds instead, gzipped.
    packed: Option<Vec<u8>>,
}

/// So many times the same value, in the hybrid of runs and packed bits.
fn run(count: i64, value: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    varint((count as u64) << 1, &mut bytes);
    bytes.push(value);
    bytes
}

fn with_length(content: Vec<u8>) -> Vec<u8> {
    [(content.len() as u32).to_le_bytes().to_vec(), content].concat()
}

fn file(claims: &Claims) -> Vec<u8> {
    let Claims { rows, values, entries, list, packed } = claims;
    let mut data = Vec::new();
    if *list {
        // Every list but its first value repeats; all values are there.
        let repeated = match rows {
            1 => [run(1, 0), run(values - 1, 1)].concat(),
            _ => run(*values, 0),
        };
        data.extend(with_length(repeated));
        data.extend(with_length(run(*values, 1)));
    }
    // Numbers into the dictionary, of one bit.
    data.push(1);
    data.extend(run(*values, 0));
    let unpacked = data.len() as i64;
    let data = packed.clone().unwrap_or(data);

    let one = 1i32.to_le_bytes();
    let stored = if packed.is_some() { gzip_best(&one) } else { one.to_vec() };
    let dictionary = Thrift::default()
        .int(1, 2)
        .int(2, 4)
        .int(3, stored.len() as i64)
        .structure(7, Thrift::default().int(1, *entries).int(2, 0))
        .end();
    let page = Thrift::default()
        .int(1, 0)
        .int(2, unpacked)
        .int(3, data.len() as i64)
        .structure(
            5,
            Thrift::default().int(1, *values).int(2, RLE_DICTIONARY).int(3, RLE).int(4, RLE),
        )
        .end();
    let mut file = b"PAR1".to_vec();
    file.extend([&dictionary[..], &stored].concat());
    let data_at = file.len() as i64;
    file.extend([&page[..], &data].concat());
    let len = file.len() as i64 - 4;

    let item = |value: i64| {
        let mut bytes = Vec::new();
        zigzag(value, &mut bytes);
        bytes
    };
    let codec = if packed.is_some() { GZIP } else { 0 };
    let column = Thrift::default()
        .int(1, INT32)
        .list(2, 5, &[item(RLE_DICTIONARY)])
        .list(3, 8, &[b"\x01x".to_vec()])
        .int(4, codec)
        .long(5, *values)
        .long(6, len)
        .long(7, len)
        .long(9, data_at)
        .long(11, 4);
    let chunk = Thrift::default().long(2, 4).structure(3, column).end();
    let group = Thrift::default().list(1, 12, &[chunk]).long(2, len).long(3, *rows).end();
    let root = Thrift::default().text(4, "rows").int(5, 1).end();
    let repetition = if *list { 2 } else { 0 };
    let leaf = Thrift::default().int(1, INT32).int(3, repetition).text(4, "x").end();
    let footer = Thrift::default()
        .int(1, 1)
        .list(2, 12, &[root, leaf])
        .long(3, *rows)
        .list(4, 12, &[group])
        .end();
    file.extend(&footer);
    file.extend((footer.len() as u32).to_le_bytes());
    file.extend(b"PAR1");
    file
}

/// Without a lie they are files like others.
#[test]
fn honest_files_of_this_kind_are_read() {
    let place = Place::new();
    for (rows, values, list) in [(1000, 1000, false), (1, 1000, true), (1000, 1000, true)] {
        let content = file(&Claims { rows, values, entries: 1, list, packed: None });
        let bits = place.bits("data", &content, None).unwrap();
        assert_eq!((bits.rows(), bits.cols()), (rows as usize, (values / rows) as usize));
        assert_eq!(bits.column_counts().iter().sum::<u64>(), 1000);
    }
    let content = [&[1][..], &run(9, 0)].concat();
    let packed = Some(gzip_best(&content));
    let honest = file(&Claims { rows: 9, values: 9, entries: 1, list: false, packed });
    assert_eq!(place.bits("data", &honest, None).unwrap().rows(), 9);
}

#[test]
fn small_files_that_claim_gigabytes_are_refused_at_once() {
    let place = Place::new();
    let most = i64::from(i32::MAX);
    let claims = |rows, values, entries, list| Claims { rows, values, entries, list, packed: None };
    let zeros = Some(gzip_best(&vec![0; 64 << 20]));
    use ParquetProblem::*;
    let (million, values) = (1 << 20, most as u64);
    for (name, problem, part, claims) in [
        (
            "dictionary",
            DictionaryLength { values: 1 << 30, bytes: 4 },
            "a dictionary claims 1073741824",
            claims(9, 9, 1 << 30, false),
        ),
        ("rows", TooManyValues { values }, "500 times", claims(most, most, 1, false)),
        // Fewer values than bytes that may be unpacked, but eight bytes for each row.
        (
            "bits",
            TooManyRows { rows: 40 * million, columns: 1 },
            "500 times",
            claims(40 << 20, 40 << 20, 1, false),
        ),
        ("list", TooManyInLists { values, rows: 1 }, "lists of 1 rows", claims(1, most, 1, true)),
        ("lists", TooManyValues { values }, "500 times", claims(100_000, most, 1, true)),
        (
            "gzip",
            UnpacksTooFar { claimed: 3 },
            "unpacks to more",
            Claims { packed: zeros, ..claims(9, 9, 1, false) },
        ),
    ] {
        let content = file(&claims);
        assert!(content.len() < 100_000, "{name}: {} bytes", content.len());
        let source = place.source("data", &content, None);
        let (result, bytes) = peak(|| read(&source, Binarise::AsIs));
        let refusal = Refusal::from(result.map(|_: Values| ()));
        assert_eq!(refusal.problem, Problem::File(FileProblem::Parquet(problem)), "{name}");
        refusal.says(&[part]);
        assert!(bytes < 8 << 20, "{name}: {bytes} bytes");
        let (result, bytes) = peak(|| inspect(&source, None, None));
        assert!(result.is_err() && bytes < 8 << 20, "{name}: {bytes} bytes");
    }
}
