//! log Π_j (1 + x_j · y_j), in `f64`: a sum of softplus(log x_j + log y_j) without an exponential a term.

use crate::level::per_level;

/// Lanes of [`log_product_f64`]: two registers, so that one multiplication need not wait for the
/// one before.
const LANES_F64: usize = 16;

per_level! {
    /// log Π_j (1 + x_j · y_j) in `f64`. No x_j · y_j may exceed e^`most`, and `most` may not
    /// exceed 700; none may be negative.
    pub fn log_product_f64(x: &[f64], y: &[f64], most: f64) -> f64 = log_product_f64_body;
}

#[inline(always)]
fn log_product_f64_body(x: &[f64], y: &[f64], most: f64) -> f64 {
    assert_eq!(x.len(), y.len(), "lengths of x and y");
    assert!(most <= 700.0, "factors up to e^{most}");
    // log2(1 + e^x) is at most 1 + x·log2(e), and one factor beside a mantissa fits into the 1023 bits.
    let run = (1015.0 / (1.0 + most.max(0.0) * std::f64::consts::LOG2_E)) as usize;
    let mut product = Scaled { mantissa: [1.0; LANES_F64], exponents: [0; LANES_F64], taken: 0 };
    for (x, y) in x.chunks(run * LANES_F64).zip(y.chunks(run * LANES_F64)) {
        let (xs, ys) = (x.chunks_exact(LANES_F64), y.chunks_exact(LANES_F64));
        let (rest_x, rest_y) = (xs.remainder(), ys.remainder());
        let mut here = product.mantissa;
        for (x, y) in xs.zip(ys) {
            for lane in 0..LANES_F64 {
                here[lane] *= 1.0 + x[lane] * y[lane];
            }
        }
        for (lane, (x, y)) in rest_x.iter().zip(rest_y).enumerate() {
            here[lane] *= 1.0 + x * y;
        }
        product.take(here);
    }
    product.log()
}

/// Sixteen products, each at least 1, as mantissas in [1, 2) and exponents.
struct Scaled {
    mantissa: [f64; LANES_F64],
    exponents: [u64; LANES_F64],
    taken: u64,
}

impl Scaled {
    #[inline(always)]
    fn take(&mut self, product: [f64; LANES_F64]) {
        for lane in 0..LANES_F64 {
            let bits = product[lane].to_bits();
            self.exponents[lane] += bits >> 52;
            self.mantissa[lane] = f64::from_bits(bits & (u64::MAX >> 12) | 1023 << 52);
        }
        self.taken += 1;
    }

    /// Stays apart from the loop that multiplies up: beside it, the one here that narrows down makes the
    /// compiler cut its lanes into pairs.
    #[inline(never)]
    fn log(mut self) -> f64 {
        let mut exponent = 0;
        for lane in 0..LANES_F64 {
            exponent += self.exponents[lane];
        }
        let mut width = LANES_F64 / 2;
        while width > 0 {
            for lane in 0..width {
                self.mantissa[lane] *= self.mantissa[lane + width];
            }
            width /= 2;
        }
        let exponent = exponent - 1023 * LANES_F64 as u64 * self.taken;
        libm::log(self.mantissa[0]) + exponent as f64 * std::f64::consts::LN_2
    }
}
