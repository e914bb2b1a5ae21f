//! Writes products with the arithmetic of Hopper's tensor cores, to be compared with what a GPU gives.
//!
//! `cargo run --release -p numerics --example hopper-products -- FILE`, then `scripts/peer/hopper.py FILE` on a machine
//! with an H100 or H200. The file holds, for each product: m, n, k and the regime as u32; A [m, k] and B [n, k] in bf16;
//! D = A·Bᵀ [m, n] in fp32; little-endian.

use numerics::format;
use numerics::gemm::{Start, Tile, View};
use numerics::philox::Stream;
use numerics::simd::Level;
use numerics::tensor_core::{Format, Scratch, chain};
use std::io::{BufWriter, Write};

/// m, n, k: linear layers of the recipes and their gradients, and shapes that no tile divides.
const SHAPES: [[usize; 3]; 8] = [
    [256, 128, 64],
    [256, 344, 64],
    [256, 64, 176],
    [256, 1024, 64],
    [256, 64, 4096],
    [344, 64, 256],
    [500, 200, 1000],
    [512, 512, 512],
];

/// Smallest biased exponent and how many follow: near 1, wide, cancelling, tiny.
const REGIMES: [(u32, u32); 4] = [(120, 12), (70, 110), (126, 3), (20, 40)];

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).ok_or_else(|| std::io::Error::other("expected the path of a file to write"))?;
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    let mut count = 0;
    for (index, shape) in (0_u32..).zip(SHAPES) {
        for (regime, window) in (0_u32..).zip(REGIMES) {
            let [m, n, k] = shape;
            let stream = |part| Stream { seed: 0x401, step: 4 * index + regime, stream: part };
            let (a, b) = (codes(m * k, stream(0), window), codes(n * k, stream(1), window));
            let wide = |codes: &[u16]| codes.iter().map(|code| format::bf16_to_f32(*code)).collect::<Vec<f32>>();
            let (left, right) = (wide(&a), wide(&b));
            let (left, right) = (View::row_major(&left, m, k), View::row_major(&right, n, k).transpose());
            let mut d = vec![0.0; m * n];
            let mut tile = Tile::row_major(&mut d, m, n);
            chain(Level::detect(), Format::Bf16, left, right, &mut tile, Start::Zero, &mut Scratch::default());
            for word in [m as u32, n as u32, k as u32, regime] {
                file.write_all(&word.to_le_bytes())?;
            }
            for code in a.iter().chain(&b) {
                file.write_all(&code.to_le_bytes())?;
            }
            for value in &d {
                file.write_all(&value.to_le_bytes())?;
            }
            count += 1;
        }
    }
    file.flush()?;
    println!("{count} products");
    Ok(())
}

/// bf16 codes with exponents in a window; signs and fractions are uniform.
fn codes(count: usize, stream: Stream, (low, span): (u32, u32)) -> Vec<u16> {
    let mut words = vec![0; count];
    stream.fill_words(0, &mut words);
    words.into_iter().map(|word| (word & 0x807F | ((low + (word >> 16) % span) << 7)) as u16).collect()
}
