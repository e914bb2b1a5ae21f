//! Counter-based random numbers: Philox4x32-10.
//!
//! A random word is a pure function of (seed, step, stream, index). There is no
//! generator state to save, and the order in which words are drawn, the number
//! of threads and the placement of a tensor change nothing.
//!
//! The key is the seed, low word first. The counter is (idx low, idx high,
//! step, stream). Word i of a stream is word i mod 4 of the block idx = i / 4;
//! byte i is byte i mod 16 of the block idx = i / 16, little-endian.
//!
//! It does not hand out stream numbers: they are an explicit registry of the
//! plan.

mod normal;

pub use normal::normal;

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// Blocks that are computed together in [`Stream::fill_words`].
const BLOCKS: usize = 16;

/// One block of Philox4x32 with ten rounds.
#[inline(always)]
#[must_use]
pub fn philox4x32_10(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let mut words = counter;
    let mut key = key;
    for _ in 0..ROUNDS {
        words = round(words, key);
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    words
}

#[inline(always)]
fn round(words: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let first = u64::from(MULTIPLIERS[0]) * u64::from(words[0]);
    let second = u64::from(MULTIPLIERS[1]) * u64::from(words[2]);
    [(second >> 32) as u32 ^ words[1] ^ key[0], second as u32, (first >> 32) as u32 ^ words[3] ^ key[1], first as u32]
}

/// One stream of random words at one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Seed of the run.
    pub seed: u64,
    /// Attempted step.
    pub step: u32,
    /// Number of the stream in the plan's registry.
    pub stream: u32,
}

impl Stream {
    /// The four words of block `index`.
    #[inline(always)]
    #[must_use]
    pub fn block(&self, index: u64) -> [u32; 4] {
        philox4x32_10([index as u32, (index >> 32) as u32, self.step, self.stream], self.key())
    }

    /// Word `index` of the stream.
    #[inline(always)]
    #[must_use]
    pub fn word(&self, index: u64) -> u32 {
        self.block(index / 4)[(index % 4) as usize]
    }

    /// Byte `index` of the stream, for 8-bit stochastic rounding.
    #[inline(always)]
    #[must_use]
    pub fn byte(&self, index: u64) -> u8 {
        self.word(index / 4).to_le_bytes()[(index % 4) as usize]
    }

    /// Writes words `start`, `start + 1`, …; one Philox call for four words.
    #[inline(always)]
    pub fn fill_words(&self, start: u64, out: &mut [u32]) {
        let head = (start.next_multiple_of(4) - start).min(out.len() as u64) as usize;
        let (head, rest) = out.split_at_mut(head);
        for (index, slot) in (start..).zip(head) {
            *slot = self.word(index);
        }
        let mut block = start.div_ceil(4);
        let (groups, tail) = rest.as_chunks_mut::<{ 4 * BLOCKS }>();
        for group in groups {
            self.fill_group(block, group);
            block += BLOCKS as u64;
        }
        for words in tail.chunks_mut(4) {
            words.copy_from_slice(&self.block(block)[..words.len()]);
            block += 1;
        }
    }

    /// Writes standard normal values times `scale`: element `start + i` is
    /// RN(scale · [`normal`](words 2·(start + i) and 2·(start + i) + 1)).
    #[inline(always)]
    pub fn fill_normal(&self, start: u64, out: &mut [f32], scale: f32) {
        normal::fill(self, start, out, scale);
    }

    #[inline(always)]
    fn key(&self) -> [u32; 2] {
        [self.seed as u32, (self.seed >> 32) as u32]
    }

    /// [`BLOCKS`] consecutive blocks, one a lane, so that rounds vectorise.
    #[inline(always)]
    fn fill_group(&self, block: u64, out: &mut [u32; 4 * BLOCKS]) {
        let index: [u64; BLOCKS] = std::array::from_fn(|lane| block.wrapping_add(lane as u64));
        let (low, high) = (index.map(|i| i as u32), index.map(|i| (i >> 32) as u32));
        let mut words = [low, high, [self.step; BLOCKS], [self.stream; BLOCKS]];
        let mut key = self.key();
        for _ in 0..ROUNDS {
            for lane in 0..BLOCKS {
                let next = round([words[0][lane], words[1][lane], words[2][lane], words[3][lane]], key);
                for (column, value) in words.iter_mut().zip(next) {
                    column[lane] = value;
                }
            }
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        for (lane, block) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *block = [words[0][lane], words[1][lane], words[2][lane], words[3][lane]];
        }
    }
}

#[cfg(test)]
mod tests;
