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
    /// Compares random numbers with probabilities: see [`crate::quick`].
    fn decide(exponents: &[f32; UNITS], random: &[u32; UNITS / 2]) -> Decisions;
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
    fn decide(exponents: &[f32; UNITS], random: &[u32; UNITS / 2]) -> Decisions {
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
        fn decide(exponents: &[f32; UNITS], random: &[u32; UNITS / 2]) -> Decisions {
            // SAFETY: AVX2 as said above.
            unsafe { quick::x86::decide_avx2(exponents, random) }
        }
    }

    /// AVX-512 F and BW.
    pub(crate) struct Avx512;

    impl Cpu for Avx512 {
        type Lanes = (__m256, __m256);

        #[inline(always)]
        fn load(tile: &Tile) -> Self::Lanes {
            Avx2::load(tile)
        }

        #[inline(always)]
        fn store(lanes: Self::Lanes, tile: &mut Tile) {
            Avx2::store(lanes, tile)
        }

        #[inline(always)]
        fn add(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
            Avx2::add(a, b)
        }

        #[inline(always)]
        fn decide(exponents: &[f32; UNITS], random: &[u32; UNITS / 2]) -> Decisions {
            // SAFETY: AVX-512 as said above.
            unsafe { quick::x86::decide_avx512(exponents, random) }
        }
    }
}
