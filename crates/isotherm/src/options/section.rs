//! The one declaration of each option.
//!
//! `section!` declares a struct of options together with all that the front ends need to know of them. From it
//! follow the fields and their documentation, the defaults, the reading of a value by its name, the ranges, and
//! the [table](super::OptionSpec) that command line, configuration file and Python are built from.

/// Declares a section of options.
///
/// ```text
/// section! {
///     /// How the parameters are learned.
///     pub struct OptimiserOptions in "optimiser" titled "Optimiser", set by Options.optimiser {
///         /// Examples in a minibatch.
///         batch: usize = 5, in 1..=1 << 40, value "N", default "100", mixture "5";
///     }
/// }
/// ```
///
/// The documentation of a field is its help text; it names other options in backticks. `in` is the range of a
/// number, `value` what the command line calls the value, `default` tells how a default is found that
/// depends on the data or on other options, and `mixture` what it is for the paper's mixture. `and Builder`
/// after the owner gives a builder with the fields `options` and `chosen` the same setters.
#[doc(hidden)]
#[macro_export]
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        pub struct $Section:ident in $name:literal titled $title:literal,
            set by $Owner:ident $(. $part:ident)? $(and $Builder:ident)? {
            $(
                $(#[doc = $help:literal])+
                $field:ident: $type:ty = $value:expr
                    $(, in $range:expr)? $(, value $value_name:literal)? $(, default $default:literal)?
                    $(, mixture $mixture:literal)?;
            )+
        }
        $(sections { $( $(#[doc = $of:literal])+ $inner:ident: $Inner:ty; )+ })?
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
        pub struct $Section {
            $(
                $(#[doc = $help])+
                $(#[doc = concat!("\n\nDefault: ", $default, ".")])?
                $(#[doc = concat!("For the paper's mixture: ", $mixture, ".")])?
                pub $field: $type,
            )+
            $($( $(#[doc = $of])+ pub $inner: $Inner, )+)?
        }

        impl Default for $Section {
            fn default() -> $Section {
                $Section {
                    $( $field: $value, )+
                    $($( $inner: <$Inner>::default(), )+)?
                }
            }
        }

        impl $crate::options::Section for $Section {
            fn specs() -> Vec<$crate::options::OptionSpec> {
                use $crate::options::OptionValue;
                let default = $Section::default();
                #[allow(unused_mut)]
                let mut specs = vec![$({
                    let range = $crate::section!(@optional $($range)?);
                    $crate::options::OptionSpec {
                        name: $crate::section!(@kebab $field),
                        section: $name,
                        title: $title,
                        kind: <$type as OptionValue>::kind(range),
                        help: concat!($($help),+).trim(),
                        default: default.$field.in_words(),
                        found_by: $crate::section!(@optional $($default)?),
                        for_mixture: $crate::section!(@optional $($mixture)?),
                        value_name: $crate::section!(@optional $($value_name)?),
                    }
                }),+];
                $($( specs.extend(<$Inner as $crate::options::Section>::specs()); )+)?
                specs
            }

            fn numbers(&self) -> Vec<Option<$crate::options::Number>> {
                #[allow(unused_mut)]
                let mut numbers = vec![$( $crate::options::OptionValue::number(&self.$field) ),+];
                $($( numbers.extend($crate::options::Section::numbers(&self.$inner)); )+)?
                numbers
            }

            fn has(name: &str) -> bool {
                [$( $crate::section!(@kebab $field) ),+].contains(&name)
                    $($( || <$Inner as $crate::options::Section>::has(name) )+)?
            }

            fn read<'de, D: ::serde::Deserializer<'de>>(
                &mut self,
                name: &str,
                value: D,
            ) -> Option<::std::result::Result<(), $crate::options::Unreadable>> {
                $(
                    if name == $crate::section!(@kebab $field) {
                        let read = $crate::options::OptionValue::read(value);
                        return Some(read.map(|value| self.$field = value));
                    }
                )+
                $($(
                    if <$Inner as $crate::options::Section>::has(name) {
                        return $crate::options::Section::read(&mut self.$inner, name, value);
                    }
                )+)?
                None
            }
        }

        $crate::section! { @setters $Owner $(. $part)?; $( $(#[doc = $help])+ $field: $type; )+ }
        $crate::section! { @builder $($Builder)?; $( $(#[doc = $help])+ $field: $type; )+ }
    };

    (@builder; $($fields:tt)*) => {};
    (@builder $Builder:ident; $( $(#[doc = $help:literal])+ $field:ident: $type:ty; )+) => {
        impl $Builder<'_> {
            $(
                $(#[doc = $help])+
                pub fn $field(mut self, value: $type) -> Self {
                    self.chosen.insert($crate::section!(@kebab $field));
                    self.options = self.options.$field(value);
                    self
                }
            )+
        }
    };

    (@setters $Owner:ident . $part:ident; $( $(#[doc = $help:literal])+ $field:ident: $type:ty; )+) => {
        impl $Owner {
            $(
                $(#[doc = $help])+
                pub fn $field(mut self, value: $type) -> $Owner {
                    self.$part.$field = value;
                    self
                }
            )+
        }
    };
    (@setters $Owner:ident; $( $(#[doc = $help:literal])+ $field:ident: $type:ty; )+) => {
        impl $Owner {
            $(
                $(#[doc = $help])+
                pub fn $field(mut self, value: $type) -> $Owner {
                    self.$field = value;
                    self
                }
            )+
        }
    };

    (@optional) => { None };
    (@optional $value:expr) => { Some($value) };

    (@kebab $field:ident) => {{
        const FIELD: &str = stringify!($field);
        const BYTES: [u8; FIELD.len()] = $crate::options::kebab(FIELD);
        const NAME: &str = match ::std::str::from_utf8(&BYTES) {
            Ok(name) => name,
            Err(_) => panic!("a name is text"),
        };
        NAME
    }};
}

/// A field's name as options are written: `min_swap` is `min-swap`.
#[doc(hidden)]
pub const fn kebab<const N: usize>(field: &str) -> [u8; N] {
    let (bytes, mut name) = (field.as_bytes(), [0; N]);
    let mut i = 0;
    while i < N {
        name[i] = if bytes[i] == b'_' { b'-' } else { bytes[i] };
        i += 1;
    }
    name
}
