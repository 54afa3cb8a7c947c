//! What loading takes: at most twice the larger of the file and what is made of it, and 16 MiB.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use isotherm::Result;
use isotherm::data::Binarise;
use isotherm::data::values::Values;
use isotherm_data::formats::read;
use isotherm_data::inspect;
use parquet::basic::Compression;

use super::writers::*;
use super::{Place, random_bits};

/// What is allowed beyond twice the larger of file and result.
pub(super) const ALWAYS: usize = 16 << 20;

struct Counting;

thread_local! {
    static NOW: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

fn add(bytes: usize) {
    // Blocks of other threads may be freed here and the other way round; the sum stays above zero.
    let now = NOW.get().saturating_add(bytes);
    NOW.set(now);
    PEAK.set(PEAK.get().max(now));
}

// SAFETY: the system's allocator does all the work, with the caller's own arguments; the counters
// are thread-locals without a destructor or an initialiser, so that counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: what the caller promised about `layout`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        NOW.set(NOW.get().saturating_sub(layout.size()));
        // SAFETY: `block` came from `alloc` above, which got it from there.
        unsafe { System.dealloc(block, layout) }
    }

    // The default of `realloc` is these two, so growing counts both the old and the new block.
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The result of something, and the most bytes that it held at a time.
pub(super) fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.get();
    PEAK.set(before);
    let result = work();
    (result, PEAK.get() - before)
}

/// The bytes of what was read.
pub(super) fn size(result: &Result<Values>) -> usize {
    match result {
        Ok(Values::Bits(bits)) => size_of_val(bits.words()),
        Ok(Values::Grey(grey)) => grey.values().len(),
        Err(_) => 0,
    }
}

#[test]
fn the_counter_counts() {
    let (kept, most) = peak(|| {
        let large = vec![1u8; 5_000_000];
        let small = vec![large[7]; 1000];
        drop(large);
        small
    });
    assert!((5_001_000..5_100_000).contains(&most), "{most}");
    assert_eq!(kept.len(), 1000);
}

/// Nothing is allocated for what a header only promises.
#[test]
fn npy_headers_that_promise_too_much_take_no_memory() {
    let place = Place::new();
    let shapes =
        ["(1099511627776, 1)", "(1, 9223372036854775807)", "(4294967296, 4294967295)", "(2, 2)"];
    let mut files: Vec<Vec<u8>> = Vec::new();
    for (shape, descr) in shapes.iter().flat_map(|&shape| [(shape, "|u1"), (shape, "<f8")]) {
        for order in ["False", "True"] {
            let text =
                format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
            let len = (text.len() as u16).to_le_bytes();
            files.push([b"\x93NUMPY\x01\x00", &len[..], text.as_bytes(), &[0]].concat());
        }
    }
    // A header of four gigabytes.
    files.push(b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec());
    for content in files {
        let source = place.source("data.npy", &content, None);
        let (result, most) = peak(|| read(&source, Binarise::AsIs));
        assert!(result.is_err_and(|error| error.kind() == isotherm::Kind::Data));
        let shown = String::from_utf8_lossy(&content);
        assert!(most < 1 << 20, "{most} bytes for {shown}");
    }
}

/// Files of several MiB, so that holding one of them more than twice would show.
#[test]
fn large_files_are_never_held() {
    let place = Place::new();
    let rows = random_bits(1500, 2000, 9);
    let lines: Vec<Vec<u8>> = vec![rows.concat()];
    let huge = 24_000_000;
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("npy", npy(&rows)),
        ("one row", text(&lines, ",", false)),
        (
            "one column",
            text(&lines.concat().iter().map(|&v| vec![v]).collect::<Vec<_>>(), ",", true),
        ),
        ("spaces", text(&rows, " ", false)),
        ("idx", idx(&[1500, 2000], &rows.concat())),
        ("mat", matlab(&[("x", &rows)], Stored::Bytes, false)),
        ("mat of doubles", matlab(&[("x", &rows[..700])], Stored::Doubles, true)),
        ("npz", npz(&[("x", &rows)], true)),
        ("npz gzipped", gzip(&npz(&[("x", &rows)], false))),
        ("npy gzipped", gzip(&npy(&rows))),
        ("a long field", [b"0,1\n1,", &vec![b'x'; huge][..]].concat()),
        ("a long header", [b"a,", &vec![b'x'; huge][..], b"\n1,0\n"].concat()),
        ("an open quote", [b"0,1\n1,\"", &vec![b'\n'; huge][..]].concat()),
        ("parquet of lists", parquet(&rows, Columns::Lists, Compression::SNAPPY)),
        ("parquet", parquet(&rows[..700], Columns::Booleans, Compression::SNAPPY)),
    ];
    for (name, content) in files {
        let source = place.source("data", &content, None);
        let len = content.len();
        drop(content);
        for rule in [Binarise::AsIs, Binarise::Threshold(0.5), Binarise::Dynamic] {
            let (result, most) = peak(|| read(&source, rule));
            let allowed = 2 * len.max(size(&result)) + ALWAYS;
            assert!(most <= allowed, "{name}, {rule}: {most} bytes of {allowed}, file {len}");
            let long = name.starts_with("a long field") || name.starts_with("an open");
            assert_eq!(result.is_err(), long, "{name}: {:?}", result.err());
            if !name.contains("parquet") && !long {
                // Streamed: the result, and little beside it.
                let (result, most) = peak(|| read(&source, rule));
                assert!(most <= 3 * size(&result) + (1 << 21), "{name}, {rule}: {most} bytes");
            }
            if rule == Binarise::Threshold(0.5) {
                continue; // looked at as one that draws
            }
            // Looking at a file keeps 32 bytes of a row and of a column, and one bit of a value if a rule is
            // given.
            let (report, most) =
                peak(|| inspect(&source, (rule != Binarise::AsIs).then_some(rule), None));
            let of_margins =
                report.as_ref().map_or(0, |it| 32 * (it.arrays[0].rows + it.arrays[0].columns));
            let allowed = 2 * len.max(of_margins) + ALWAYS;
            assert!(
                most <= allowed,
                "{name}, look at {rule}: {most} bytes of {allowed}, file {len}"
            );
            if !name.contains("parquet") && !long {
                // No value is held in more than a bit, also under a rule that draws anew.
                let bits = size(&read(&source, Binarise::AsIs));
                let allowed = 2 * of_margins + 3 * bits + (1 << 21);
                assert!(most <= allowed, "{name}, look at {rule}: {most} bytes of {allowed}");
            }
        }
    }
}
