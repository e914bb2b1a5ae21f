//! The fast path: blocks of 256 words by 21-bit limbs.
//!
//! Inside a block every word is multiplied by the three limbs of κ (21, 21 and
//! 19 bits). A product is below 2^53 and a block adds 256 of them, so the sums
//! stay below 2^61 and need no reduction. The limbs are put together once for
//! each block and multiplied by K. All of it is integer arithmetic, so vector
//! width and order change nothing.

use crate::Fingerprint;
use crate::field::{WORD_DOMAIN, add, coefficient, mul, reduce};

/// Words of a block.
const BLOCK: usize = 256;
const BLOCK_BYTES: usize = 4 * BLOCK;
const LIMB_BITS: u32 = 21;
const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;
/// Words that are handled side by side.
const GROUP: usize = 16;

/// KAPPA[l][q][t]: limb q of κ_l(t).
static KAPPA: [[[u32; BLOCK]; 3]; 2] = kappa_limbs();

const fn kappa_limbs() -> [[[u32; BLOCK]; 3]; 2] {
    let mut table = [[[0; BLOCK]; 3]; 2];
    let mut l = 0;
    while l < 2 {
        let mut t = 0;
        while t < BLOCK {
            let value = coefficient(WORD_DOMAIN + 2 * t as u64 + l as u64);
            let mut q = 0;
            while q < 3 {
                table[l][q][t] = (value >> (LIMB_BITS * q as u32) & LIMB_MASK) as u32;
                q += 1;
            }
            t += 1;
        }
        l += 1;
    }
    table
}

pub fn shard(byte_offset: u64, bytes: &[u8]) -> Fingerprint {
    let into_block = (byte_offset % BLOCK_BYTES as u64) as usize;
    let head = (BLOCK_BYTES - into_block) % BLOCK_BYTES;
    let (head, rest) = bytes.split_at(head.min(bytes.len()));
    let (blocks, tail) = rest.as_chunks::<BLOCK_BYTES>();
    let first = byte_offset / BLOCK_BYTES as u64;
    let mut sum = partial(first, into_block, head);
    let mut next = byte_offset.div_ceil(BLOCK_BYTES as u64);
    sum += pulp::Arch::new().dispatch(Blocks { first: next, blocks });
    next += blocks.len() as u64;
    sum + partial(next, 0, tail)
}

/// Part of one block: `bytes` lie `start` bytes after the block's first.
fn partial(block: u64, start: usize, bytes: &[u8]) -> Fingerprint {
    if bytes.is_empty() {
        return Fingerprint::ZERO;
    }
    let mut padded = [0; BLOCK_BYTES];
    padded[start..start + bytes.len()].copy_from_slice(bytes);
    whole(block, &padded)
}

/// Consecutive whole blocks, compiled for the widest vectors of the machine.
pub(crate) struct Blocks<'a> {
    pub first: u64,
    pub blocks: &'a [[u8; BLOCK_BYTES]],
}

impl pulp::NullaryFnOnce for Blocks<'_> {
    type Output = Fingerprint;

    #[inline(always)]
    fn call(self) -> Fingerprint {
        let mut sum = Fingerprint::ZERO;
        for (index, block) in (self.first..).zip(self.blocks) {
            sum += whole(index, block);
        }
        sum
    }
}

#[inline(always)]
fn whole(index: u64, block: &[u8; BLOCK_BYTES]) -> Fingerprint {
    let mut acc = [[[0_u64; GROUP]; 3]; 2];
    for group in 0..BLOCK / GROUP {
        let bytes = &block[4 * GROUP * group..][..4 * GROUP];
        let mut words = [0_u32; GROUP];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        for l in 0..2 {
            for q in 0..3 {
                let limbs = &KAPPA[l][q][GROUP * group..][..GROUP];
                for t in 0..GROUP {
                    // Wrapping, because a checked add would not vectorise;
                    // the bound above says that nothing wraps.
                    let product = u64::from(words[t]).wrapping_mul(u64::from(limbs[t]));
                    acc[l][q][t] = acc[l][q][t].wrapping_add(product);
                }
            }
        }
    }
    let lane = |l: usize| {
        let limb = |q: usize| reduce(acc[l][q].iter().sum());
        let high = add(mul(limb(1), 1 << LIMB_BITS), mul(limb(2), 1 << (2 * LIMB_BITS)));
        mul(coefficient(2 * index + l as u64), add(limb(0), high))
    };
    Fingerprint(lane(0), lane(1))
}
