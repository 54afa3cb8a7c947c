//! Named tensors and a JSON value: what a checkpoint or a model file holds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use safetensors::tensor::{Dtype, View};
use serde_json::Value;

use super::error::TensorError;
use crate::Result;

/// A type of numbers that a tensor can hold: `f32`, `f64`, `u64`, `i64`, `u16` or `u8`.
pub trait Element: Copy + sealed::Element {}

mod sealed {
    pub trait Element: Sized {
        const DTYPE: safetensors::Dtype;
        fn encode(values: &[Self]) -> Vec<u8>;
        fn decode(bytes: &[u8]) -> Vec<Self>;
    }
}

macro_rules! element {
    ($($type:ty: $dtype:ident),*) => {$(
        impl Element for $type {}

        impl sealed::Element for $type {
            const DTYPE: Dtype = Dtype::$dtype;

            fn encode(values: &[$type]) -> Vec<u8> {
                let mut bytes = Vec::with_capacity(size_of_val(values));
                values.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
                bytes
            }

            fn decode(bytes: &[u8]) -> Vec<$type> {
                bytes.as_chunks().0.iter().map(|chunk| <$type>::from_le_bytes(*chunk)).collect()
            }
        }
    )*};
}

element!(f32: F32, f64: F64, u64: U64, i64: I64, u8: U8, u16: U16);

/// Numbers with a shape, kept as the bytes of the file: two tensors are equal when every bit is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Vec<u8>,
}

impl Tensor {
    /// The length of each dimension; none for a single number.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Whether the numbers are of this type.
    pub fn holds<T: Element>(&self) -> bool {
        self.dtype == T::DTYPE
    }

    fn check_shape(&self, name: &str, wanted: &[usize]) -> Result<()> {
        if self.shape == wanted {
            return Ok(());
        }
        let (found, wanted) = (self.shape.clone(), wanted.to_vec());
        Err(TensorError::Shape { name: name.to_owned(), found, wanted }.into())
    }
}

impl View for &Tensor {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

/// Named tensors and a JSON value beside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bundle {
    /// The tensors by name.
    pub tensors: BTreeMap<String, Tensor>,
    /// Everything that is not a tensor. JSON has no infinities and no NaN, and the last bit of its
    /// decimal numbers may change: what must return exactly belongs in a tensor.
    pub meta: Value,
}

impl Bundle {
    /// A bundle without tensors.
    pub fn new(meta: Value) -> Bundle {
        Bundle { tensors: BTreeMap::new(), meta }
    }

    /// Adds a tensor, or replaces the one of that name. Fails if the shape needs another number of
    /// values.
    pub fn insert<T: Element>(&mut self, name: &str, shape: &[usize], values: &[T]) -> Result<()> {
        if shape.iter().try_fold(1, |all: usize, &n| all.checked_mul(n)) != Some(values.len()) {
            let (name, shape, values) = (name.to_owned(), shape.to_vec(), values.len());
            return Err(TensorError::Count { name, shape, values }.into());
        }
        let tensor = Tensor { dtype: T::DTYPE, shape: shape.to_vec(), bytes: T::encode(values) };
        self.tensors.insert(name.to_string(), tensor);
        Ok(())
    }

    /// The tensor of that name.
    pub fn tensor(&self, name: &str) -> Result<&Tensor> {
        let missing = || TensorError::Missing { name: name.to_owned() };
        Ok(self.tensors.get(name).ok_or_else(missing)?)
    }

    /// The values of a tensor, which must be of this type and of exactly this shape.
    pub fn get<T: Element>(&self, name: &str, shape: &[usize]) -> Result<Vec<T>> {
        let tensor = self.tensor(name)?;
        if !tensor.holds::<T>() {
            let (found, wanted) = (tensor.dtype.to_string(), T::DTYPE.to_string());
            return Err(TensorError::Dtype { name: name.to_owned(), found, wanted }.into());
        }
        tensor.check_shape(name, shape)?;
        Ok(T::decode(&tensor.bytes))
    }

    /// The values of a tensor of exactly this shape as `f32`. Other programs may have saved them in
    /// another floating-point type.
    pub fn get_as_f32(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let tensor = self.tensor(name)?;
        let halves = || <u16 as sealed::Element>::decode(&tensor.bytes).into_iter();
        let values = match tensor.dtype {
            Dtype::F64 => <f64 as sealed::Element>::decode(&tensor.bytes)
                .into_iter()
                .map(|value| value as f32)
                .collect(),
            Dtype::F16 => halves().map(from_half).collect(),
            // The upper half of an f32.
            Dtype::BF16 => halves().map(|bits| f32::from_bits(u32::from(bits) << 16)).collect(),
            _ => return self.get(name, shape),
        };
        tensor.check_shape(name, shape)?;
        Ok(values)
    }
}

/// A half-precision float from its bits: the sign, 5 bits of exponent, 10 of fraction.
fn from_half(bits: u16) -> f32 {
    let (sign, exponent) = (if bits >> 15 == 1 { -1.0 } else { 1.0 }, i32::from(bits >> 10 & 31));
    let fraction = f32::from(bits & 1023) / 1024.0;
    sign * match exponent {
        0 => fraction * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::from_half;

    #[test]
    fn halves_are_read() {
        let known = [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x7bff, 65504.0)];
        for (bits, value) in known {
            assert_eq!(from_half(bits), value);
        }
        assert_eq!(from_half(1), 2f32.powi(-24), "the smallest one");
        assert_eq!(from_half(0x8000).to_bits(), (-0.0f32).to_bits());
        assert!(from_half(0x7c00).is_infinite() && from_half(0x7e00).is_nan());
    }
}
