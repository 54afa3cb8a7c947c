//! What the CPU has: the instruction-set level that the kernels are dispatched on.

use std::sync::OnceLock;

/// Name of the environment variable that forces a lower level, for tests and bug reports.
pub const LEVEL_VARIABLE: &str = "ISOTHERM_CPU_LEVEL";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Isa {
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// An instruction-set level that this CPU is known to have.
///
/// The field is private and every constructor asks the CPU first: holding a `Level` is the proof
/// that the dispatch in this crate rests its `unsafe` calls on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(pub(crate) Isa);

impl Level {
    /// The plain build for the target's baseline (SSE2 on x86-64, NEON on aarch64).
    pub const fn baseline() -> Level {
        Level(Isa::Baseline)
    }

    /// All levels of this CPU, lowest first.
    pub fn available() -> Vec<Level> {
        let mut levels = vec![Level(Isa::Baseline)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                levels.push(Level(Isa::Avx2));
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                {
                    levels.push(Level(Isa::Avx512));
                }
            }
        }
        levels
    }

    /// The best level of this CPU, or the lower one that [`LEVEL_VARIABLE`] names.
    pub fn detect() -> Level {
        static DETECTED: OnceLock<Level> = OnceLock::new();
        *DETECTED.get_or_init(|| {
            let available = Level::available();
            let best = available.last().copied().unwrap_or(Level::baseline());
            let Ok(wanted) = std::env::var(LEVEL_VARIABLE) else { return best };
            available.into_iter().find(|level| level.name() == wanted).unwrap_or(best)
        })
    }

    /// `baseline`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Isa::Baseline => "baseline",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => "avx512",
        }
    }
}

/// Compiles the `#[inline(always)]` function `$body` once per level and dispatches on the level.
macro_rules! per_level {
    ($(#[$doc:meta])* $visibility:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?)
        $(-> $ret:ty)? = $body:path;) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        $visibility fn $name(level: $crate::Level, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            #[allow(clippy::too_many_arguments)]
            fn avx2($($arg: $ty),*) $(-> $ret)? {
                $body($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl")]
            #[allow(clippy::too_many_arguments)]
            fn avx512($($arg: $ty),*) $(-> $ret)? {
                $body($($arg),*)
            }
            match level.0 {
                $crate::level::Isa::Baseline => $body($($arg),*),
                // SAFETY: a `Level` of AVX2 exists only after the CPU was asked for AVX2.
                #[cfg(target_arch = "x86_64")]
                $crate::level::Isa::Avx2 => unsafe { avx2($($arg),*) },
                // SAFETY: likewise for AVX2 and the four AVX-512 subsets named above.
                #[cfg(target_arch = "x86_64")]
                $crate::level::Isa::Avx512 => unsafe { avx512($($arg),*) },
            }
        }
    };
}
pub(crate) use per_level;

/// [`per_level!`] for a body that is generic over the level's [`crate::cpu::Cpu`].
macro_rules! per_cpu {
    ($(#[$doc:meta])* $visibility:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?)
        = $body:ident$(<$($constant:literal),*>)?;) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        $visibility fn $name(level: $crate::Level, $($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            #[allow(clippy::too_many_arguments)]
            fn avx2($($arg: $ty),*) {
                $body::<$crate::cpu::Avx2$($(, $constant)*)?>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl")]
            #[allow(clippy::too_many_arguments)]
            fn avx512($($arg: $ty),*) {
                $body::<$crate::cpu::Avx512$($(, $constant)*)?>($($arg),*)
            }
            match level.0 {
                $crate::level::Isa::Baseline => $body::<$crate::cpu::Portable$($(, $constant)*)?>($($arg),*),
                // SAFETY: a `Level` of AVX2 exists only after the CPU was asked for AVX2.
                #[cfg(target_arch = "x86_64")]
                $crate::level::Isa::Avx2 => unsafe { avx2($($arg),*) },
                // SAFETY: likewise for AVX2 and the four AVX-512 subsets named above.
                #[cfg(target_arch = "x86_64")]
                $crate::level::Isa::Avx512 => unsafe { avx512($($arg),*) },
            }
        }
    };
}
pub(crate) use per_cpu;
