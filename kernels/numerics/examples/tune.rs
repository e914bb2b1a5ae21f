use numerics::gemm::{Finish, Scratch, Start, Tile, View, gemm_chain};
use numerics::philox::Stream;
use numerics::simd::Level;
use std::time::Instant;
fn main() {
    let level = match std::env::var("L").as_deref() { Ok("avx2") => Level::Avx2, Ok("scalar") => Level::Scalar, _ => Level::Avx512 };
    for size in [64usize, 128, 256, 512, 1024] {
        let stream = Stream { seed: 2, step: 0, stream: 0 };
        let (mut a, mut b, mut c) = (vec![0.0; size * size], vec![0.0; size * size], vec![0.0; size * size]);
        stream.fill_normal(0, &mut a, 1.0); stream.fill_normal(1 << 32, &mut b, 1.0);
        let mut scratch = Scratch::default();
        let a = View::row_major(&a, size, size); let b = View::row_major(&b, size, size);
        for (n, a, b) in [("nn", a, b), ("nt", a, b.transpose())] {
            let mut best = f64::INFINITY; let t = Instant::now(); let mut r = 0;
            while t.elapsed().as_secs_f64() < 0.15 || r < 3 { let s = Instant::now(); let mut c = Tile::row_major(&mut c, size, size); gemm_chain(level, a, b, &mut c, (Start::Zero, Finish::Closed), &mut scratch); best = best.min(s.elapsed().as_secs_f64()); r += 1; }
            print!(" {n}{size}:{:.1}", 2.0 * (size as f64).powi(3) / best / 1e9);
        }
    }
    println!();
}
