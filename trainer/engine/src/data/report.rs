//! Facts about a data set, for people: not part of any digest, state or verdict.

use super::Dataset;

impl Dataset {
    /// Entropy of the token distribution in nats: what the loss of a model would be that knows
    /// only how often each token occurs. Separators count, padding does not.
    ///
    /// H = log T − (Σ c·log c) / T over the counts c of the tokens by ascending id, T their
    /// sum, in f64 with a correctly rounded logarithm.
    #[must_use]
    pub fn unigram_entropy(&self) -> f64 {
        let mut counts = vec![0_u32; self.spec().vocabulary];
        for &token in self.tokens() {
            counts[token as usize] += 1;
        }
        let mut weighted = 0.0;
        for count in counts.into_iter().filter(|&count| count > 0) {
            weighted += f64::from(count) * metallic::log(f64::from(count));
        }
        let total = self.token_count() as f64;
        metallic::log(total) - weighted / total
    }

    /// Share of the positions of an epoch that hold padding, the padding rows of the last step
    /// included; from 0 to 1.
    #[must_use]
    pub fn padding_share(&self, epoch: u64) -> f64 {
        let rows = self.steps_in_epoch(epoch) * self.spec().rows_per_step as u64;
        let positions = rows * self.spec().row_tokens as u64;
        1.0 - self.token_count() as f64 / positions as f64
    }
}
