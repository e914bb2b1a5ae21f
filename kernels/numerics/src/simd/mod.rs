//! Which vector instructions a kernel is compiled for.
//!
//! A kernel is written once as plain loops. [`vectorised!`](crate::vectorised)
//! compiles it for each instruction set, and the compiler vectorises the loops. Rust never
//! contracts or reorders float operations, so a level changes speed and no bit.
//!
//! Only code that is inlined into the kernel takes part: mark its helpers
//! `#[inline(always)]`, and call the kernel inside a worker thread's task, never
//! around the code that starts the tasks. A closure handed to [`Level::run`]
//! gives the same bits, but its body may stay compiled for the baseline. It
//! does not choose a level for a caller that names one.

pub use pulp::NullaryFnOnce;

/// An instruction set, narrowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// What every machine of the target has (SSE2 on x86-64, NEON on arm64).
    Scalar,
    /// x86-64-v3: AVX2 and FMA.
    Avx2,
    /// x86-64-v4: AVX-512 F, CD, BW, DQ, VL.
    Avx512,
}

impl Level {
    /// Every level that is defined, narrowest first.
    pub const ALL: [Self; 3] = [Self::Scalar, Self::Avx2, Self::Avx512];

    /// The widest level of this machine.
    #[must_use]
    pub fn detect() -> Self {
        Self::ALL.into_iter().rev().find(|level| level.is_available()).unwrap_or(Self::Scalar)
    }

    /// The levels of this machine, narrowest first; never empty.
    #[must_use]
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|level| level.is_available()).collect()
    }

    /// The name used in variants and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this machine has the level's instructions.
    #[cfg(target_arch = "x86_64")]
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            Self::Avx2 => pulp::x86::V3::is_available(),
            Self::Avx512 => pulp::x86::V4::is_available(),
        }
    }

    /// Whether this machine has the level's instructions.
    #[cfg(not(target_arch = "x86_64"))]
    #[must_use]
    pub fn is_available(self) -> bool {
        self == Self::Scalar
    }

    /// Runs `kernel` compiled for this level; its `call` method must be marked
    /// `#[inline(always)]`, which [`vectorised!`](crate::vectorised) does.
    ///
    /// # Panics
    /// When the machine lacks the level; ask [`Level::is_available`] first.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub fn run<F: NullaryFnOnce>(self, kernel: F) -> F::Output {
        match self {
            Self::Scalar => kernel.call(),
            Self::Avx2 => pulp::x86::V3::try_new().expect("the machine has AVX2 and FMA").vectorize(kernel),
            Self::Avx512 => pulp::x86::V4::try_new().expect("the machine has AVX-512").vectorize(kernel),
        }
    }

    /// Runs `kernel` compiled for this level; its `call` method must be marked
    /// `#[inline(always)]`, which [`vectorised!`](crate::vectorised) does.
    ///
    /// # Panics
    /// When the machine lacks the level; ask [`Level::is_available`] first.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline]
    pub fn run<F: NullaryFnOnce>(self, kernel: F) -> F::Output {
        assert!(self.is_available(), "level {} is not available here", self.name());
        kernel.call()
    }
}

/// Writes a kernel as a function whose first argument is the [`Level`] that it
/// is compiled for.
///
/// All references share the one lifetime that is named; leave `<'a>` out when
/// there are none. The body is one block that is inlined into each level.
///
/// ```
/// use numerics::{math, simd::Level, vectorised};
///
/// vectorised! {
///     /// Writes exp(x) and returns the number of elements.
///     fn powers<'a>(x: &'a [f32], out: &'a mut [f32]) -> usize {
///         math::exp_slice(x, out);
///         out.len()
///     }
/// }
///
/// let mut out = [0.0];
/// assert_eq!(powers(Level::detect(), &[0.0], &mut out), 1);
/// assert_eq!(out, [1.0]);
/// ```
#[macro_export]
macro_rules! vectorised {
    ($(
        $(#[$meta:meta])*
        $visibility:vis fn $name:ident $(<$life:lifetime>)? (
            $($argument:ident : $type:ty),* $(,)?
        ) $(-> $output:ty)? $body:block
    )*) => {$(
        $(#[$meta])*
        $visibility fn $name $(<$life>)? (
            level: $crate::simd::Level,
            $($argument: $type),*
        ) -> $crate::vectorised!(@output $($output)?) {
            struct Kernel $(<$life>)? {
                $($argument: $type),*
            }

            impl $(<$life>)? $crate::simd::NullaryFnOnce for Kernel $(<$life>)? {
                type Output = $crate::vectorised!(@output $($output)?);

                #[inline(always)]
                fn call(self) -> Self::Output {
                    let Self { $($argument),* } = self;
                    $body
                }
            }

            level.run(Kernel { $($argument),* })
        }
    )*};
    (@output) => { () };
    (@output $output:ty) => { $output };
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
