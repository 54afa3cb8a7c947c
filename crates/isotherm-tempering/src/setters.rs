//! Setters of a struct of options that may grow, and so cannot be written as a literal outside its crate.

/// Gives a struct a setter for each of these fields, named like the field.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($Options:ident { $($field:ident: $type:ty),* $(,)? }) => {
        impl $Options {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](field@", stringify!($Options), "::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $type) -> $Options {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}
