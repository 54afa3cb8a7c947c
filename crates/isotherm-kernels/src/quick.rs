//! Draws decided by sixteen random bits.
//!
//! A unit is one where U < σ(x). With U known to 16 bits and σ to a little less, all but a few in ten
//! thousand of the comparisons are decided; the rest are reported as ties, for which the caller draws more
//! bits and computes σ exactly. So this code affects how long a draw takes and never its result, and each
//! CPU level may compute it in its own way.
//!
//! For x ≥ 0, U < σ(x) ⟺ U + U·e^−x < 1, which needs no division. For x < 0 both sides are
//! mirrored: 1 − U takes the place of U and the answer is turned round. In fixed point,
//! |x| = a·ln 2 / 2^11 with a 16-bit number a whose upper 5 bits are a shift n and whose lower 11
//! bits a fraction f, and e^−|x| = 2^−f >> n with a cubic for 2^−f.
//!
//! The margin of a tie covers what x may be off by when it comes here in steps: 0.02 of one, which
//! two terms of up to 20 that cancel (a base and a field) stay below.

use crate::matrix::{LANES, Tile};

/// Units that are decided together: one AVX-512 register of 16-bit lanes.
pub(crate) const UNITS: usize = 32;

/// Steps of the fixed-point exponent: x is rounded to multiples of ln 2 / 2^11.
pub(crate) const STEPS: f32 = 2048.0 * std::f32::consts::LOG2_E;

/// The largest exponent in steps; beyond, σ is within 2^−16 of 0 or 1.
const LARGEST: i16 = 32_767;

/// 2^−f ≈ C0 − f (C1 − f (C2 − f·C3)) in units of 2^−16, to 5 units (see the tests).
const CUBIC: [u16; 4] = [65_532, 45_306, 15_133, 2_595];

/// How far from even, in units of 2^−16, a comparison must be to count as decided. The exhaustive test
/// finds smaller errors.
const MARGIN: u16 = 12;

/// Thirty-two yes-or-no answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decisions {
    /// The units that are one; of no meaning for ties.
    pub(crate) ones: u32,
    /// The units that sixteen bits do not decide.
    pub(crate) ties: u32,
}

/// Compares `random` with σ on any CPU, for exponents x·[`STEPS`] and the lanes of one
/// [`crate::LaneRng`] step, two units a lane, lower half first.
#[inline(always)]
pub(crate) fn decide_portable(
    exponents: &[Tile; UNITS / LANES],
    random: &[u32; UNITS / 2],
) -> Decisions {
    let (mut steps, mut u) = ([0; UNITS], [0; UNITS]);
    for lane in 0..UNITS / 2 {
        u[2 * lane] = random[lane] as u16;
        u[2 * lane + 1] = (random[lane] >> 16) as u16;
    }
    for unit in 0..UNITS {
        steps[unit] = in_steps(exponents[unit / LANES].0[unit % LANES]);
    }
    let (mut one, mut tie) = ([0; UNITS], [0; UNITS]);
    for unit in 0..UNITS {
        let (is_one, is_tie) = decide_one(steps[unit], u[unit]);
        one[unit] = u8::from(is_one);
        tie[unit] = u8::from(is_tie);
    }
    Decisions { ones: pack(&one), ties: pack(&tie) }
}

/// The nearest 16-bit integer; a NaN is the lowest.
#[inline(always)]
fn in_steps(exponent: f32) -> i16 {
    // Adding 1.5·2^23 leaves the rounded value in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let largest = f32::from(LARGEST);
    let x = if exponent > -largest { exponent } else { -largest };
    let x = if x < largest { x } else { largest };
    (x + ROUND).to_bits() as i16
}

#[inline(always)]
fn decide_one(exponent: i16, random: u16) -> (bool, bool) {
    let sign = (exponent >> 15) as u16;
    let u = random ^ sign;
    let product = high(u, exp2_minus(exponent.unsigned_abs()));
    // 1 − U − U·e^−|x|, where it is small; the difference wraps round elsewhere.
    let left = (!u).wrapping_sub(product);
    let tie = left.wrapping_add(MARGIN) <= 2 * MARGIN;
    ((product <= !u) ^ (sign != 0), tie)
}

/// 2^−a/2048 in units of 2^−16.
#[inline(always)]
fn exp2_minus(a: u16) -> u16 {
    let [c0, c1, c2, c3] = CUBIC;
    let f = a << 5;
    (c0 - high(f, c1 - high(f, c2 - high(f, c3)))) >> (a >> 11)
}

/// The upper half of the product.
#[inline(always)]
fn high(a: u16, b: u16) -> u16 {
    ((u32::from(a) * u32::from(b)) >> 16) as u16
}

/// Bytes of 0 or 1 as bits. The multiplication moves the lowest bit of byte `k` to bit `56 + k`;
/// no two of its terms meet, so nothing carries.
#[inline(always)]
fn pack(bytes: &[u8; UNITS]) -> u32 {
    let mut packed = 0;
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        packed |= (bits as u32) << (8 * i);
    }
    packed
}

/// The same for CPUs that have the instructions named.
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86 {
    use super::{CUBIC, Decisions, LANES, LARGEST, MARGIN, Tile, UNITS};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) fn decide_avx2(
        exponents: &[Tile; UNITS / LANES],
        random: &[u32; UNITS / 2],
    ) -> Decisions {
        let low = decide_16(steps_16(&exponents[0]), random_16(random, 0));
        let high = decide_16(steps_16(&exponents[1]), random_16(random, 8));
        Decisions { ones: movemask(low.0, high.0), ties: movemask(low.1, high.1) }
    }

    /// Sixteen exponents, rounded.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn steps_16(exponents: &Tile) -> __m256i {
        let at = exponents.0.as_ptr();
        // SAFETY: a tile is two aligned registers.
        let (a, b) = unsafe { (_mm256_load_ps(at), _mm256_load_ps(at.add(8))) };
        // Large ones would convert to a negative number; small ones and NaNs (the second
        // operand is what comes out of a minimum with a NaN) do, as they should.
        let most = _mm256_set1_ps(1e9);
        let a = _mm256_cvtps_epi32(_mm256_min_ps(most, a));
        let b = _mm256_cvtps_epi32(_mm256_min_ps(most, b));
        // Packing works on halves of the registers: quarters come out as 0, 2, 1, 3.
        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(a, b))
    }

    /// Sixteen random numbers from the eight words from `at` on.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn random_16(random: &[u32; UNITS / 2], at: usize) -> __m256i {
        let eight: &[u32; 8] = random[at..].first_chunk().expect("8 of 16 words");
        // SAFETY: 8 words are one register.
        unsafe { _mm256_loadu_si256(eight.as_ptr().cast()) }
    }

    /// Sixteen decisions and whether they are ties, all ones for yes.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn decide_16(steps: __m256i, random: __m256i) -> (__m256i, __m256i) {
        let all = |x: u16| _mm256_set1_epi16(x as i16);
        let steps = _mm256_max_epi16(steps, all(-LARGEST as u16));
        let (sign, a) = (_mm256_srai_epi16::<15>(steps), _mm256_abs_epi16(steps));
        let u = _mm256_xor_si256(random, sign);
        let f = _mm256_slli_epi16::<5>(a);
        let p = _mm256_sub_epi16(all(CUBIC[2]), _mm256_mulhi_epu16(f, all(CUBIC[3])));
        let p = _mm256_sub_epi16(all(CUBIC[1]), _mm256_mulhi_epu16(f, p));
        let p = _mm256_sub_epi16(all(CUBIC[0]), _mm256_mulhi_epu16(f, p));
        // There is no shift by lanes of 16 bits: multiply by 2^(16−n), looked up in two bytes; for
        // n = 0 by 1 − 2^−16.
        let n = _mm256_srli_epi16::<11>(a);
        let low = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            -1, 0, 0, 0, 0, 0, 0, 0, 0, -128, 64, 32, 16, 8, 4, 2,
        ));
        let high = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            -1, -128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0,
        ));
        let low = _mm256_shuffle_epi8(low, _mm256_or_si256(n, all(0x8000)));
        let high =
            _mm256_shuffle_epi8(high, _mm256_or_si256(_mm256_slli_epi16::<8>(n), all(0x0080)));
        let e = _mm256_mulhi_epu16(p, _mm256_or_si256(low, high));
        // U + U·e^−|x| is below 1 where adding does not wrap round, so that nothing saturates. A tie is
        // where the sum is within the margin of wrapping; −2^15, its own absolute value, is taken for one.
        let product = high_product(u, e);
        let sum = _mm256_add_epi16(u, product);
        let inside = _mm256_cmpeq_epi16(sum, _mm256_adds_epu16(u, product));
        let tie = _mm256_cmpgt_epi16(all(MARGIN + 1), _mm256_abs_epi16(sum));
        (_mm256_xor_si256(inside, sign), tie)
    }

    /// The upper halves of sixteen products. Where one product feeds another with nothing in between, the
    /// compiler turns the intrinsic into 32-bit numbers and back: nine instructions instead of one.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn high_product(a: __m256i, b: __m256i) -> __m256i {
        let product;
        // SAFETY: an instruction of AVX2 on registers alone.
        unsafe {
            std::arch::asm!(
                "vpmulhuw {product}, {a}, {b}",
                product = lateout(ymm_reg) product,
                a = in(ymm_reg) a,
                b = in(ymm_reg) b,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        product
    }

    /// The sign bits of 32 lanes.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn movemask(low: __m256i, high: __m256i) -> u32 {
        let packed = _mm256_packs_epi16(low, high);
        _mm256_movemask_epi8(_mm256_permute4x64_epi64::<0b11_01_10_00>(packed)) as u32
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    pub(crate) fn decide_avx512(
        exponents: &[Tile; UNITS / LANES],
        random: &[u32; UNITS / 2],
    ) -> Decisions {
        let all = |x: u16| _mm512_set1_epi16(x as i16);
        let steps = |tile: &Tile| {
            // SAFETY: a tile is one aligned register.
            let x = unsafe { _mm512_load_ps(tile.0.as_ptr()) };
            // Large ones would convert to a negative number; small ones and NaNs (the second
            // operand is what comes out of a minimum with a NaN) do, as they should.
            _mm512_cvtps_epi32(_mm512_min_ps(_mm512_set1_ps(1e9), x))
        };
        // Packing works on quarters of the registers: eighths come out as 0, 4, 1, 5, ….
        let packed = _mm512_packs_epi32(steps(&exponents[0]), steps(&exponents[1]));
        let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        let steps = _mm512_permutexvar_epi64(order, packed);
        let a = _mm512_abs_epi16(steps);
        let negative = _mm512_movepi16_mask(steps);
        // SAFETY: the array is 64 bytes long.
        let random = unsafe { _mm512_loadu_si512(random.as_ptr().cast()) };
        let u = _mm512_xor_si512(random, _mm512_srai_epi16::<15>(steps));
        let not_u = _mm512_xor_si512(u, all(u16::MAX));
        let f = _mm512_slli_epi16::<5>(a);
        let p = _mm512_sub_epi16(all(CUBIC[2]), _mm512_mulhi_epu16(f, all(CUBIC[3])));
        let p = _mm512_sub_epi16(all(CUBIC[1]), _mm512_mulhi_epu16(f, p));
        let p = _mm512_sub_epi16(all(CUBIC[0]), _mm512_mulhi_epu16(f, p));
        let e = _mm512_srlv_epi16(p, _mm512_srli_epi16::<11>(a));
        let product = _mm512_mulhi_epu16(u, e);
        let left = _mm512_add_epi16(_mm512_sub_epi16(not_u, product), all(MARGIN));
        Decisions {
            ones: _mm512_cmple_epu16_mask(product, not_u) ^ negative,
            ties: _mm512_cmple_epu16_mask(left, all(2 * MARGIN)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bernoulli::is_one;
    use crate::cpu::{Cpu, Portable};

    /// Every exponent in steps with every random number close to its threshold, and a few far from
    /// it: what counts as settled is settled rightly for every x that rounds to that exponent and
    /// whatever the further random bits are. Returns how many of the 2^16 random numbers are ties
    /// at most.
    fn settled_rightly<C: Cpu>() -> u32 {
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let mut most = 0;
        for exponent in -33_000..=33_000 {
            // The products that make an exponent are rounded too.
            let (low, high) = (f64::from(exponent) - 0.52, f64::from(exponent) + 0.52);
            let [low, high] = [low, high].map(|x| 65_536.0 * sigmoid(x / f64::from(STEPS)));
            let middle = (0.5 * (low + high)) as i32;
            let near = (middle - 96..middle + 96).filter(|r| (0..65_536).contains(r));
            let mut randoms: Vec<i32> = near.chain((0..=65_535).step_by(1365)).collect();
            randoms.sort_unstable();
            randoms.dedup();
            let mut ties = 0;
            for group in randoms.chunks(UNITS) {
                let mut random = [0; UNITS / 2];
                for (unit, &r) in group.iter().enumerate() {
                    random[unit / 2] |= (r as u32) << (16 * (unit % 2));
                }
                let decisions = C::decide(&[Tile::splat(exponent as f32); 2], &random);
                for (unit, &r) in group.iter().enumerate() {
                    if decisions.ties >> unit & 1 == 1 {
                        ties += 1;
                        continue;
                    }
                    let one = decisions.ones >> unit & 1 == 1;
                    let right = if one { f64::from(r + 1) <= low } else { f64::from(r) >= high };
                    assert!(right, "{r} at exponent {exponent}, which is {one}");
                }
            }
            most = most.max(ties);
        }
        most
    }

    #[test]
    fn what_is_settled_is_settled_rightly() {
        // What is left of 1 falls by at least one from one random number to the next, so that no
        // more than twice the margin and one are ties; and one at the far end, where it wraps round.
        assert!(settled_rightly::<Portable>() <= 2 * u32::from(MARGIN) + 2);
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                // And one in the middle: −2^15, which is its own absolute value.
                assert!(settled_rightly::<crate::cpu::Avx2>() <= 2 * u32::from(MARGIN) + 3);
            }
            if is_x86_feature_detected!("avx512bw") {
                assert!(settled_rightly::<crate::cpu::Avx512>() <= 2 * u32::from(MARGIN) + 2);
            }
        }
    }

    #[test]
    fn the_exact_comparison_at_its_ends() {
        // The largest uniform is below 1 and the smallest above 0.
        assert!(is_one(0xffff, (1 << 36) - 1, 40.0) && !is_one(0, 0, -40.0));
        assert!(is_one(0, 0, -36.0) && !is_one(0xffff, (1 << 36) - 1, 36.0));
        assert!(is_one(0x7fff, (1 << 36) - 1, 0.0) && !is_one(0x8000, 0, 0.0));
        assert!(is_one(0xffff, (1 << 36) - 1, f32::INFINITY) && !is_one(0, 0, f32::NEG_INFINITY));
    }
}
