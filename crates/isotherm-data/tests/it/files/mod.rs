//! Data in every format that people have it in: written and read back, damaged, and measured.

mod binarising;
mod bombs;
mod fuzz;
mod leaving_out;
mod memory;
mod round_trips;
mod writers;

use std::path::PathBuf;

use isotherm::Result;
use isotherm::data::Binarise;
use isotherm::data::values::Values;
use isotherm_data::Source;
use isotherm_data::formats::read;
use isotherm_kernels::BitMatrix;
use tempfile::TempDir;

/// A folder with one file, which is replaced again and again.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        Place { folder: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn source(&self, name: &str, content: &[u8], array: Option<&str>) -> Source {
        std::fs::write(self.path(name), content).unwrap();
        Source { path: self.path(name), array: array.map(str::to_owned), ..Source::default() }
    }

    fn read(
        &self,
        name: &str,
        content: &[u8],
        array: Option<&str>,
        rule: Binarise,
    ) -> Result<Values> {
        read(&self.source(name, content, array), rule)
    }

    fn bits(&self, name: &str, content: &[u8], array: Option<&str>) -> Result<BitMatrix> {
        match self.read(name, content, array, Binarise::AsIs)? {
            Values::Bits(bits) => Ok(bits),
            Values::Grey(_) => panic!("grey values as they are"),
        }
    }
}

/// Numbers that look random and are the same every time (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// A matrix of random bytes 0 and 1, row by row.
fn random_bits(rows: usize, cols: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random(seed);
    (0..rows).map(|_| (0..cols).map(|_| (random.next() >> 63) as u8).collect()).collect()
}
