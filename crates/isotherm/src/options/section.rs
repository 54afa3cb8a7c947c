//! The one declaration of each option.
//!
//! `section!` declares a struct of options together with all that the front ends need to know of them. From it
//! follow the fields and their documentation, the defaults, the constants of their names, the reading of a value
//! by its name, the ranges, and the [table](super::OptionSpec) that command line, configuration file and Python
//! are built from.

/// Declares a section of options.
///
/// ```text
/// section! {
///     /// How the parameters are learned.
///     pub struct OptimiserOptions in "optimiser" titled "Optimiser", set by Options.optimiser {
///         /// Examples in a minibatch.
///         batch: usize = 5, in 1..=1 << 40, value "N", examples 100;
///     }
/// }
/// ```
///
/// The documentation of a field is its help text; it names other options in backticks. After the default for the
/// built-in data follow, in this order and each if needed:
///
/// - `in`: the range of a number;
/// - `value`: what the command line calls the value;
/// - `examples`: the default for a file of examples, where it is another;
/// - `absent`: what is usually chosen for an option that is `None`; the constant `absent::field` has it;
/// - `also`: words that follow the value of `examples` or of `absent` in the help text;
/// - `default`: words for a default that no single value describes;
/// - `built_in`: words for the default for the built-in data, where that is `None`.
///
/// Fields under `beside` are set by programs only: no front end has options for them.
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
                    $(, in $range:expr)? $(, value $value_name:literal)? $(, examples $examples:expr)?
                    $(, absent $absent:expr)? $(, also $also:literal)? $(, default $default:literal)?
                    $(, built_in $built_in:literal)?;
            )+
        }
        $(beside { $( $(#[doc = $plain_help:literal])+ $plain:ident: $plain_type:ty = $plain_value:expr; )+ })?
        $(sections { $( $(#[doc = $of:literal])+ $inner:ident: $Inner:ty; )+ })?
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
        #[non_exhaustive]
        pub struct $Section {
            $(
                $(#[doc = $help])+
                $(#[doc = concat!("\n\nDefault for examples: `", stringify!($examples), "`")])?
                $(#[doc = concat!("\n\nIf absent: `", stringify!($absent), "`")])?
                $(#[doc = $also])?
                $(#[doc = concat!("\n\nDefault: ", $default, ".")])?
                $(#[doc = concat!("\n\nFor the built-in data: ", $built_in, ".")])?
                pub $field: $type,
            )+
            $($( $(#[doc = $plain_help])+ pub $plain: $plain_type, )+)?
            $($( $(#[doc = $of])+ pub $inner: $Inner, )+)?
        }

        $crate::options::option_names! {
            /// The names of the options, for messages and comparisons.
            pub mod name { $($field),+ }
            $($( pub use super::$inner::name::*; )+)?
        }

        /// What is usually chosen for options that are absent.
        #[allow(non_upper_case_globals, unused)]
        pub(crate) mod absent {
            use super::*;
            $($( pub(crate) const $field: <$type as $crate::options::OptionValue>::Plain = $absent; )?)+
        }

        impl Default for $Section {
            fn default() -> $Section {
                $Section {
                    $( $field: $value, )+
                    $($( $plain: $plain_value, )+)?
                    $($( $inner: <$Inner>::default(), )+)?
                }
            }
        }

        impl $crate::options::Section for $Section {
            fn for_examples() -> $Section {
                $Section {
                    $( $field: $crate::section!(@last $value $(, $examples)?), )+
                    $($( $inner: <$Inner as $crate::options::Section>::for_examples(), )+)?
                    ..$Section::default()
                }
            }

            fn specs() -> Vec<$crate::options::OptionSpec> {
                use $crate::options::{OptionSpec, OptionValue};
                let built_in = $Section::default();
                let examples = <$Section as $crate::options::Section>::for_examples();
                #[allow(unused_mut)]
                let mut specs = vec![$(
                    OptionSpec {
                        name: name::$field,
                        section: $name,
                        title: $title,
                        kind: <$type as OptionValue>::kind($crate::section!(@optional $($range)?)),
                        help: concat!($($help),+).trim(),
                        default: built_in.$field.in_words(),
                        for_examples: examples.$field.in_words(),
                        found: $crate::section!(
                            @found $(<$type as OptionValue>::in_words(&$examples))?
                            $(<<$type as OptionValue>::Plain as OptionValue>::in_words(&$absent))?
                        ),
                        found_by: $crate::section!(@optional $($also)? $($default)?),
                        built_in: $crate::section!(@optional $($built_in)?),
                        value_name: $crate::section!(@optional $($value_name)?),
                    }
                ),+];
                $($( specs.extend(<$Inner as $crate::options::Section>::specs()); )+)?
                specs
            }

            fn numbers(&self) -> Vec<Option<$crate::options::Number>> {
                #[allow(unused_mut)]
                let mut numbers = vec![$( $crate::options::OptionValue::number(&self.$field) ),+];
                $($( numbers.extend($crate::options::Section::numbers(&self.$inner)); )+)?
                numbers
            }

            fn has(option: $crate::OptionName) -> bool {
                [$( name::$field ),+].contains(&option)
                    $($( || <$Inner as $crate::options::Section>::has(option) )+)?
            }

            fn read<'de, D: ::serde::Deserializer<'de>>(
                &mut self,
                option: $crate::OptionName,
                value: D,
            ) -> Option<::std::result::Result<(), $crate::options::Unreadable>> {
                $(
                    if option == name::$field {
                        let range = $crate::section!(@optional $($range)?);
                        let read = $crate::options::read_in_range::<$type, D>(value, range);
                        return Some(read.map(|value| self.$field = value));
                    }
                )+
                $($(
                    if <$Inner as $crate::options::Section>::has(option) {
                        return $crate::options::Section::read(&mut self.$inner, option, value);
                    }
                )+)?
                None
            }
        }

        $crate::section! {
            @setters $Owner $(. $part)?;
            $( $(#[doc = $help])+ $field: $type; )+
            $($( $(#[doc = $plain_help])+ $plain: $plain_type; )+)?
        }
        $crate::section! { @builder $($Builder)?; $( $(#[doc = $help])+ $field: $type; )+ }
    };

    (@builder; $($fields:tt)*) => {};
    (@builder $Builder:ident; $( $(#[doc = $help:literal])+ $field:ident: $type:ty; )+) => {
        impl $Builder<'_> {
            $(
                $(#[doc = $help])+
                pub fn $field(mut self, value: $type) -> Self {
                    self.chosen.insert(name::$field);
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

    (@found) => { None };
    (@found $words:expr) => { $words };

    (@last $value:expr) => { $value };
    (@last $value:expr, $other:expr) => { $other };
}
