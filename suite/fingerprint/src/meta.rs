//! The term of a tensor's description.
//!
//! The description is a list of 32-bit words: the dtype's byte length, its
//! bytes packed little-endian with a zero-padded tail, the rank, and each
//! dimension as low and high word. Lengths stand before what they count, so no
//! description is another one followed by zeros. Word i has the coefficient
//! 1 + ((S(2^62 + 2i + l) ≫ 3) mod (p − 1)).

use crate::Fingerprint;
use crate::field::{META_DOMAIN, add, coefficient, mul};

pub fn term(dtype: &str, shape: &[u64]) -> Fingerprint {
    let mut sum = Fingerprint::ZERO;
    for (index, word) in (0..).zip(words(dtype, shape)) {
        let argument = META_DOMAIN + 2 * index;
        sum.0 = add(sum.0, mul(coefficient(argument), word.into()));
        sum.1 = add(sum.1, mul(coefficient(argument + 1), word.into()));
    }
    sum
}

fn words(dtype: &str, shape: &[u64]) -> Vec<u32> {
    let mut words = vec![dtype.len() as u32];
    words.extend(dtype.as_bytes().chunks(4).map(|bytes| {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    }));
    words.push(shape.len() as u32);
    words.extend(shape.iter().flat_map(|&dimension| [dimension as u32, (dimension >> 32) as u32]));
    words
}
