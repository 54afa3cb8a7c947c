//! What differs between CPU levels beyond compiler flags: sixteen lanes as a value, for loops that
//! the compiler must not rearrange, and the quick decisions of [`crate::quick`].

use crate::matrix::{LANES, Tile};
use crate::quick::{self, Decisions, UNITS};

/// A CPU level as a type, for bodies that are generic over it.
pub(crate) trait Cpu {
    /// Sixteen `f32` in registers.
    type Lanes: Copy;
    /// A tile's lanes.
    fn load(tile: &Tile) -> Self::Lanes;
    /// Puts lanes into a tile.
    fn store(lanes: Self::Lanes, tile: &mut Tile);
    /// Lane by lane.
    fn add(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// The same but for one lane.
    fn put(lanes: Self::Lanes, at: usize, value: f32) -> Self::Lanes;
    /// Writes a tile past the caches, for others to read; [`Cpu::published`] comes after the last.
    fn publish(from: &Tile, to: &mut Tile);
    /// Makes what was published visible to other threads before they are told of it.
    fn published();
    /// The lanes whose bit is set in `mask`; zero in the others.
    fn select(mask: u16, tile: &Tile) -> Self::Lanes;
    /// Exchanges rows and lanes of sixteen tiles.
    fn transpose(square: &mut [Tile; LANES]);
    /// Compares random numbers with probabilities: see [`crate::quick`].
    fn decide(exponents: &[Tile; UNITS / LANES], random: &[u32; UNITS / 2]) -> Decisions;
}

/// Any CPU.
pub(crate) struct Portable;

impl Cpu for Portable {
    type Lanes = Tile;

    #[inline(always)]
    fn load(tile: &Tile) -> Tile {
        *tile
    }

    #[inline(always)]
    fn store(lanes: Tile, tile: &mut Tile) {
        *tile = lanes;
    }

    #[inline(always)]
    fn add(mut a: Tile, b: Tile) -> Tile {
        for lane in 0..LANES {
            a.0[lane] += b.0[lane];
        }
        a
    }

    #[inline(always)]
    fn put(mut lanes: Tile, at: usize, value: f32) -> Tile {
        // A lane written by itself would hold up the load of all sixteen.
        for lane in 0..LANES {
            lanes.0[lane] = if lane == at { value } else { lanes.0[lane] };
        }
        lanes
    }

    #[inline(always)]
    fn publish(from: &Tile, to: &mut Tile) {
        *to = *from;
    }

    #[inline(always)]
    fn published() {}

    #[inline(always)]
    fn select(mask: u16, tile: &Tile) -> Tile {
        let mut selected = Tile::ZERO;
        for lane in 0..LANES {
            // All ones or all zeros.
            let keep = (u32::from(mask) >> lane & 1).wrapping_neg();
            selected.0[lane] = f32::from_bits(tile.0[lane].to_bits() & keep);
        }
        selected
    }

    #[inline(always)]
    fn transpose(square: &mut [Tile; LANES]) {
        for row in 0..LANES {
            for lane in 0..row {
                let (upper, lower) = (square[lane].0[row], square[row].0[lane]);
                (square[lane].0[row], square[row].0[lane]) = (lower, upper);
            }
        }
    }

    #[inline(always)]
    fn decide(exponents: &[Tile; UNITS / LANES], random: &[u32; UNITS / 2]) -> Decisions {
        quick::decide_portable(exponents, random)
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

/// The methods of these types may run only where the CPU is known to have what they are named
/// after: they are handed out by `per_cpu!` alone, in functions compiled for that level.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use std::arch::x86_64::*;

    /// AVX2.
    pub(crate) struct Avx2;

    impl Cpu for Avx2 {
        type Lanes = (__m256, __m256);

        #[inline(always)]
        fn load(tile: &Tile) -> Self::Lanes {
            let at = tile.0.as_ptr();
            // SAFETY: AVX2 as said above; a tile is two aligned registers.
            unsafe { (_mm256_load_ps(at), _mm256_load_ps(at.add(8))) }
        }

        #[inline(always)]
        fn store(lanes: Self::Lanes, tile: &mut Tile) {
            let at = tile.0.as_mut_ptr();
            // SAFETY: as in `load`.
            unsafe {
                _mm256_store_ps(at, lanes.0);
                _mm256_store_ps(at.add(8), lanes.1);
            }
        }

        #[inline(always)]
        fn add(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
            // SAFETY: AVX2 as said above.
            unsafe { (_mm256_add_ps(a.0, b.0), _mm256_add_ps(a.1, b.1)) }
        }

        #[inline(always)]
        fn put(lanes: Self::Lanes, at: usize, value: f32) -> Self::Lanes {
            // SAFETY: AVX2 as said above.
            unsafe { put_avx2(lanes, at, value) }
        }

        #[inline(always)]
        fn publish(from: &Tile, to: &mut Tile) {
            let (low, high) = Avx2::load(from);
            let to = to.0.as_mut_ptr();
            // SAFETY: AVX2 as said above; a tile is two aligned registers. Other threads are told
            // of these stores only after `published`.
            unsafe {
                _mm256_stream_ps(to, low);
                _mm256_stream_ps(to.add(8), high);
            }
        }

        #[inline(always)]
        fn published() {
            // SAFETY: every x86-64 CPU has it.
            unsafe { _mm_sfence() };
        }

        #[inline(always)]
        fn select(mask: u16, tile: &Tile) -> Self::Lanes {
            // SAFETY: AVX2 as said above.
            unsafe { select_avx2(mask, Avx2::load(tile)) }
        }

        #[inline(always)]
        fn transpose(square: &mut [Tile; LANES]) {
            // SAFETY: AVX2 as said above.
            unsafe { transpose_avx2(square) }
        }

        #[inline(always)]
        fn decide(exponents: &[Tile; UNITS / LANES], random: &[u32; UNITS / 2]) -> Decisions {
            // SAFETY: AVX2 as said above.
            unsafe { quick::x86::decide_avx2(exponents, random) }
        }
    }

    /// AVX-512 F and BW.
    pub(crate) struct Avx512;

    impl Cpu for Avx512 {
        type Lanes = __m512;

        #[inline(always)]
        fn load(tile: &Tile) -> Self::Lanes {
            // SAFETY: AVX-512 as said above; a tile is one aligned register.
            unsafe { _mm512_load_ps(tile.0.as_ptr()) }
        }

        #[inline(always)]
        fn store(lanes: Self::Lanes, tile: &mut Tile) {
            // SAFETY: as in `load`.
            unsafe { _mm512_store_ps(tile.0.as_mut_ptr(), lanes) }
        }

        #[inline(always)]
        fn add(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
            // SAFETY: AVX-512 as said above.
            unsafe { _mm512_add_ps(a, b) }
        }

        #[inline(always)]
        fn put(lanes: Self::Lanes, at: usize, value: f32) -> Self::Lanes {
            // SAFETY: AVX-512 as said above.
            unsafe { _mm512_mask_broadcastss_ps(lanes, 1 << at, _mm_set_ss(value)) }
        }

        #[inline(always)]
        fn publish(from: &Tile, to: &mut Tile) {
            Avx2::publish(from, to);
        }

        #[inline(always)]
        fn published() {
            Avx2::published();
        }

        #[inline(always)]
        fn select(mask: u16, tile: &Tile) -> Self::Lanes {
            // SAFETY: as in `load`.
            unsafe { _mm512_maskz_load_ps(mask, tile.0.as_ptr()) }
        }

        #[inline(always)]
        fn transpose(square: &mut [Tile; LANES]) {
            Avx2::transpose(square);
        }

        #[inline(always)]
        fn decide(exponents: &[Tile; UNITS / LANES], random: &[u32; UNITS / 2]) -> Decisions {
            // SAFETY: AVX-512 as said above.
            unsafe { quick::x86::decide_avx512(exponents, random) }
        }
    }

    /// Each lane compares its own bit of the mask.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn select_avx2(mask: u16, (low, high): (__m256, __m256)) -> (__m256, __m256) {
        let mask = _mm256_set1_epi32(i32::from(mask));
        let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let keep_low = _mm256_cmpeq_epi32(_mm256_and_si256(mask, bits), bits);
        let bits = _mm256_slli_epi32::<8>(bits);
        let keep_high = _mm256_cmpeq_epi32(_mm256_and_si256(mask, bits), bits);
        let (keep_low, keep_high) = (_mm256_castsi256_ps(keep_low), _mm256_castsi256_ps(keep_high));
        (_mm256_and_ps(low, keep_low), _mm256_and_ps(high, keep_high))
    }

    /// Each lane compares its own number.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn put_avx2((low, high): (__m256, __m256), at: usize, value: f32) -> (__m256, __m256) {
        let (at, value) = (_mm256_set1_epi32(at as i32), _mm256_set1_ps(value));
        let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        let here = _mm256_castsi256_ps(_mm256_cmpeq_epi32(at, lanes));
        let lanes = _mm256_add_epi32(lanes, _mm256_set1_epi32(8));
        let there = _mm256_castsi256_ps(_mm256_cmpeq_epi32(at, lanes));
        (_mm256_blendv_ps(low, value, here), _mm256_blendv_ps(high, value, there))
    }

    /// The four quarters of the square, each transposed into the place of its mirror image.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn transpose_avx2(square: &mut [Tile; LANES]) {
        let source = *square;
        for (row, lane) in [(0, 0), (0, 8), (8, 0), (8, 8)] {
            let mut x = [_mm256_setzero_ps(); 8];
            for (i, x) in x.iter_mut().enumerate() {
                // SAFETY: lanes `lane` to `lane + 8` of a tile.
                *x = unsafe { _mm256_load_ps(source[row + i].0.as_ptr().add(lane)) };
            }
            let x = transpose_8(x);
            for (i, x) in x.into_iter().enumerate() {
                // SAFETY: likewise.
                unsafe { _mm256_store_ps(square[lane + i].0.as_mut_ptr().add(row), x) };
            }
        }
    }

    /// Eight registers of eight lanes: pairs of rows interleaved, then pairs of pairs, then halves
    /// exchanged.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn transpose_8(x: [__m256; 8]) -> [__m256; 8] {
        let mut y = [_mm256_setzero_ps(); 8];
        for i in [0, 2, 4, 6] {
            y[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
            y[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
        }
        let mut z = [_mm256_setzero_ps(); 8];
        for i in [0, 4] {
            z[i] = _mm256_shuffle_ps::<0b01_00_01_00>(y[i], y[i + 2]);
            z[i + 1] = _mm256_shuffle_ps::<0b11_10_11_10>(y[i], y[i + 2]);
            z[i + 2] = _mm256_shuffle_ps::<0b01_00_01_00>(y[i + 1], y[i + 3]);
            z[i + 3] = _mm256_shuffle_ps::<0b11_10_11_10>(y[i + 1], y[i + 3]);
        }
        let mut out = [_mm256_setzero_ps(); 8];
        for i in 0..4 {
            out[i] = _mm256_permute2f128_ps::<0x20>(z[i], z[i + 4]);
            out[i + 4] = _mm256_permute2f128_ps::<0x31>(z[i], z[i + 4]);
        }
        out
    }
}
