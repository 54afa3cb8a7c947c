//! Registries: an enumeration whose words front ends know, and the entry of each word, from one list.

/// Declares an enumeration and what each of its words stands for, a line each.
///
/// ```text
/// registry! {
///     /// What is maximised.
///     pub enum ObjectiveKind, entry() -> ObjectiveEntry {
///         /// The mean log-likelihood of the examples.
///         Likelihood => &likelihood::ENTRY,
///     }
/// }
/// ```
macro_rules! registry {
    (
        $(#[$about:meta])*
        pub enum $Kind:ident, $entry:ident($($given:ident: $type:ty),*) -> $Entry:ty {
            $( $(#[$of:meta])* $Word:ident => $value:expr, )+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum $Kind {
            $( $(#[$of])* $Word, )+
        }

        impl $Kind {
            /// Its entry in the registry.
            pub fn $entry(self $(, $given: $type)*) -> &'static $Entry {
                match self {
                    $( $Kind::$Word => $value, )+
                }
            }
        }
    };
}

pub(crate) use registry;
