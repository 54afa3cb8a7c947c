//! What an option's value may be, by its type.

use std::fmt;
use std::ops::RangeInclusive;

use serde::de::value::Error as Mismatch;
use serde::de::{IntoDeserializer, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

use super::{Algorithm, FinalLikelihood, GradientKind, LrDecay, ObjectiveKind, PathKind};
use crate::data::{Binarise, ConstantColumns, ImageShape, LeftOut, Split};
use crate::error::Error;
use crate::likelihood::LogZMethod;
use crate::paths::SwapOn;
use crate::references::ReferenceKind;
use isotherm_tempering::{Respace, Spacing};

/// What values an option takes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ValueKind {
    /// A whole number from `least` to `most`.
    Count {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A number from `least` to `most`.
    Number {
        /// The smallest.
        least: f64,
        /// The largest.
        most: f64,
    },
    /// One of these words.
    Words(&'static [&'static str]),
    /// Yes or no.
    Switch,
    /// A text with a form of its own.
    Text,
}

/// The largest whole number that a configuration file can hold: TOML's integers end there.
const LARGEST: u64 = i64::MAX as u64;

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueKind::Count { least, most: LARGEST } => {
                write!(f, "a whole number, at least {least} and below 2^63")
            }
            ValueKind::Count { least, most } => {
                write!(f, "a whole number, at least {least} and at most {most}")
            }
            ValueKind::Number { least, most } => write!(f, "a number from {least:?} to {most:?}"),
            ValueKind::Words(words) => write!(f, "one of {}", words.join(", ")),
            ValueKind::Switch => f.write_str("true or false"),
            ValueKind::Text => f.write_str("text"),
        }
    }
}

/// The number that an option is set to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Of something that is counted.
    Count(u64),
    /// Of something that is measured.
    Real(f64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Count(count) => count.fmt(f),
            Number::Real(real) => fmt::Debug::fmt(real, f),
        }
    }
}

impl ValueKind {
    /// Whether a number lies in the range.
    pub fn allows(&self, number: Number) -> bool {
        match (self, number) {
            (ValueKind::Count { least, most }, Number::Count(it)) => (least..=most).contains(&&it),
            (ValueKind::Number { least, most }, Number::Real(it)) => (least..=most).contains(&&it),
            _ => false,
        }
    }
}

/// Why a value cannot be read.
#[doc(hidden)]
#[derive(Debug)]
pub enum Unreadable {
    /// It is not of the option's kind.
    Kind,
    /// It is a text that cannot be parsed.
    Text(Error),
}

/// A type that options have.
#[doc(hidden)]
pub trait OptionValue: Sized {
    /// The type of the ends of its range.
    type Bound;

    /// The type of the value itself: `T` of an `Option<T>`.
    type Plain: OptionValue;

    fn kind(range: Option<RangeInclusive<Self::Bound>>) -> ValueKind;

    fn read<'de, D: Deserializer<'de>>(value: D) -> Result<Self, Unreadable>;

    fn number(&self) -> Option<Number> {
        None
    }

    /// The value as people write it; `None` if the option is absent.
    fn in_words(&self) -> Option<String>;
}

/// Reads a value and checks that it lies in its range.
#[doc(hidden)]
pub fn read_in_range<'de, T: OptionValue, D: Deserializer<'de>>(
    value: D,
    range: Option<RangeInclusive<T::Bound>>,
) -> Result<T, Unreadable> {
    let value = T::read(value)?;
    match value.number().is_none_or(|number| T::kind(range).allows(number)) {
        true => Ok(value),
        false => Err(Unreadable::Kind),
    }
}

macro_rules! counts {
    ($($type:ty),+) => {$(
        impl OptionValue for $type {
            type Bound = u64;
            type Plain = $type;

            fn kind(range: Option<RangeInclusive<u64>>) -> ValueKind {
                let (least, most) = range.map_or((0, LARGEST), RangeInclusive::into_inner);
                ValueKind::Count { least, most: most.min(LARGEST) }
            }

            fn read<'de, D: Deserializer<'de>>(value: D) -> Result<Self, Unreadable> {
                let count = value.deserialize_any(WholeNumber).map_err(|_| Unreadable::Kind)?;
                <$type>::try_from(count).map_err(|_| Unreadable::Kind)
            }

            fn number(&self) -> Option<Number> {
                Some(Number::Count(*self as u64))
            }

            fn in_words(&self) -> Option<String> {
                Some(self.to_string())
            }
        }
    )+};
}

counts!(u64, usize);

/// Reads a whole number, also one that is written as 1e5.
struct WholeNumber;

impl Visitor<'_> for WholeNumber {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<u64, E> {
        Ok(value)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<u64, E> {
        u64::try_from(value).map_err(|_| E::custom("below 0"))
    }

    /// Beyond 2^53 a float does not tell which whole number was meant.
    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<u64, E> {
        let is_whole = value.fract() == 0.0 && (0.0..=2f64.powi(53)).contains(&value);
        if is_whole { Ok(value as u64) } else { Err(E::custom("not a whole number")) }
    }
}

impl OptionValue for bool {
    type Bound = ();
    type Plain = bool;

    fn kind(_: Option<RangeInclusive<()>>) -> ValueKind {
        ValueKind::Switch
    }

    fn read<'de, D: Deserializer<'de>>(value: D) -> Result<bool, Unreadable> {
        bool::deserialize(value).map_err(|_| Unreadable::Kind)
    }

    fn in_words(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl OptionValue for f64 {
    type Bound = f64;
    type Plain = f64;

    fn kind(range: Option<RangeInclusive<f64>>) -> ValueKind {
        let (least, most) = range.map_or((f64::MIN, f64::MAX), RangeInclusive::into_inner);
        ValueKind::Number { least, most }
    }

    fn read<'de, D: Deserializer<'de>>(value: D) -> Result<f64, Unreadable> {
        f64::deserialize(value).map_err(|_| Unreadable::Kind)
    }

    fn number(&self) -> Option<Number> {
        Some(Number::Real(*self))
    }

    fn in_words(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// An option that need not be given.
impl<T: OptionValue> OptionValue for Option<T> {
    type Bound = T::Bound;
    type Plain = T::Plain;

    fn kind(range: Option<RangeInclusive<T::Bound>>) -> ValueKind {
        T::kind(range)
    }

    fn read<'de, D: Deserializer<'de>>(value: D) -> Result<Option<T>, Unreadable> {
        T::read(value).map(Some)
    }

    fn number(&self) -> Option<Number> {
        self.as_ref().and_then(T::number)
    }

    fn in_words(&self) -> Option<String> {
        self.as_ref().and_then(T::in_words)
    }
}

macro_rules! words {
    ($($type:ty),+) => {$(
        impl OptionValue for $type {
            type Bound = ();
            type Plain = $type;

            fn kind(_: Option<RangeInclusive<()>>) -> ValueKind {
                ValueKind::Words(words_of::<$type>())
            }

            fn read<'de, D: Deserializer<'de>>(value: D) -> Result<Self, Unreadable> {
                <$type>::deserialize(value).map_err(|_| Unreadable::Kind)
            }

            fn in_words(&self) -> Option<String> {
                Some(word(self).to_owned())
            }
        }
    )+};
}

words!(Algorithm, PathKind, SwapOn, Spacing, Respace, LrDecay, GradientKind, FinalLikelihood);
words!(ConstantColumns, ObjectiveKind, ReferenceKind, LogZMethod);

macro_rules! texts {
    ($($type:ty),+) => {$(
        impl OptionValue for $type {
            type Bound = ();
            type Plain = $type;

            fn kind(_: Option<RangeInclusive<()>>) -> ValueKind {
                ValueKind::Text
            }

            fn read<'de, D: Deserializer<'de>>(value: D) -> Result<Self, Unreadable> {
                let text = String::deserialize(value).map_err(|_| Unreadable::Kind)?;
                Self::try_from(text).map_err(|error| Unreadable::Text(error.into()))
            }

            fn in_words(&self) -> Option<String> {
                Some(self.to_string())
            }
        }
    )+};
}

texts!(Binarise, ImageShape, LeftOut, Split);

impl OptionValue for String {
    type Bound = ();
    type Plain = String;

    fn kind(_: Option<RangeInclusive<()>>) -> ValueKind {
        ValueKind::Text
    }

    fn read<'de, D: Deserializer<'de>>(value: D) -> Result<String, Unreadable> {
        String::deserialize(value).map_err(|_| Unreadable::Kind)
    }

    fn in_words(&self) -> Option<String> {
        Some(self.clone())
    }
}

/// The word that a value of an enumeration is written as.
pub fn word<T: Deserialize<'static> + PartialEq>(value: &T) -> &'static str {
    let is_it = |word: &&'static str| {
        let word = IntoDeserializer::<Mismatch>::into_deserializer(*word);
        T::deserialize(word).is_ok_and(|it| it == *value)
    };
    words_of::<T>().iter().copied().find(is_it).unwrap_or_default()
}

/// The words of an enumeration, as its implementation of `Deserialize` knows them.
fn words_of<T: Deserialize<'static>>() -> &'static [&'static str] {
    let mut words: &'static [&'static str] = &[];
    // Deserializing asks for one of the variants and fails, which reveals their names.
    let _ = T::deserialize(Ask(&mut words));
    words
}

struct Ask<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Ask<'_> {
    type Error = Mismatch;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Mismatch> {
        *self.0 = variants;
        Err(serde::de::Error::custom("there is nothing to read"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Mismatch> {
        Err(serde::de::Error::custom("not an enumeration"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
