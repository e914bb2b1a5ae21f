//! Arithmetic modulo p = 2^61 − 1 and the coefficients drawn from it.
//!
//! Inputs named "residue" are below p.

/// 2^61 − 1, a Mersenne prime.
pub const P: u64 = (1 << 61) - 1;

/// First argument of S for the coefficients inside a block.
pub const WORD_DOMAIN: u64 = 1 << 63;

/// First argument of S for the coefficients of a tensor's description. Block
/// coefficients use arguments below 2^55, so the three domains are apart.
pub const META_DOMAIN: u64 = 1 << 62;

/// SplitMix64's output for state `x`.
pub const fn split_mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The non-zero residue 1 + ((S(x) ≫ 3) mod (p − 1)).
pub const fn coefficient(x: u64) -> u64 {
    let value = split_mix(x) >> 3;
    1 + if value >= P - 1 { value - (P - 1) } else { value }
}

/// Any u64 to its residue.
pub const fn reduce(x: u64) -> u64 {
    let folded = (x & P) + (x >> 61);
    if folded >= P { folded - P } else { folded }
}

/// Sum of two residues.
pub const fn add(a: u64, b: u64) -> u64 {
    reduce(a + b)
}

/// Product of two residues.
pub const fn mul(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    add(product as u64 & P, (product >> 61) as u64)
}
