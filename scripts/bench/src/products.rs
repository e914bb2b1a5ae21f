//! The model of a tensor core, without a room around it.

use crate::Work;
use numerics::gemm::{Start, Tile, View};
use numerics::philox::Stream;
use numerics::simd::Level;
use numerics::tensor_core::{Format, Scratch, chain};

/// A product of two square matrices whose values every format has.
pub fn tensor_core(level: Level, format: Format, size: usize) -> Work {
    let operand = |stream| -> Vec<f32> {
        let stream = Stream { seed: 1, step: 0, stream };
        // Three significant bits, exponents of one digit: values of the narrowest format too.
        let value = |word: u32| {
            let magnitude = (4 + word % 4) as f32 / (4 << (word >> 8 & 7)) as f32;
            if word >> 31 == 0 { magnitude } else { -magnitude }
        };
        (0..(size * size) as u64).map(|index| value(stream.word(index))).collect()
    };
    let (a, b, mut c) = (operand(1), operand(2), vec![0.0; size * size]);
    let mut scratch = Scratch::default();
    Box::new(move || {
        let (a, b) = (View::row_major(&a, size, size), View::row_major(&b, size, size).transpose());
        let mut tile = Tile::row_major(&mut c, size, size);
        chain(level, format, a, b, &mut tile, Start::Zero, &mut scratch);
        std::hint::black_box(&mut c);
    })
}
