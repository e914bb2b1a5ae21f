//! Bits that depend on what must not matter: threads, batch, time, and old bytes of a buffer.

use library::context::Pool;
use library::ops::rmsnorm;
use library::optim::init;
use library::room::Call;
use numerics::math::rsqrt;
use numerics::philox::Stream;
use std::time::{Duration, Instant};

/// One partial sum of squares for each thread.
pub fn squares_per_thread(call: &mut Call<'_, '_>) {
    let g = call.inputs[0].f32();
    let threads = call.context.pool.threads();
    crate::activated(u64::from(threads > 1 && g.len() > 1));
    let share = g.len().div_ceil(threads).max(1);
    let total = g.chunks(share).fold(0.0, |total, part| total + part.iter().fold(0.0_f32, |sum, g| g.mul_add(*g, sum)));
    let nonfinite = g.iter().any(|g| !g.is_finite());
    let [squares, flag] = call.outputs else { unreachable!("two outputs") };
    squares.reborrow().into_floats().set(0, total);
    flag.reborrow().into_typed::<u32>()[0] = u32::from(nonfinite);
}

/// Splits K into as many blocks as the batch has units.
pub fn matmul_blocks_per_batch(call: &mut Call<'_, '_>) {
    let [units, rows, k] = *call.inputs[0].shape() else { unreachable!("x has three axes") };
    let n = call.inputs[1].shape()[0];
    let (x, w) = (call.inputs[0].floats(), call.inputs[1].floats());
    let block = k.div_ceil(units.max(1)).max(1);
    crate::activated(u64::from(units > 1 && k > 1));
    let y = call.outputs[0].reborrow().into_floats().chunks(n);
    let tasks: Vec<_> = y.into_iter().take(units * rows).collect();
    call.context.pool.run(tasks, |row, mut y| {
        for column in 0..n {
            let mut total = 0.0;
            for first in (0..k).step_by(block) {
                let term = |at: usize, sum: f32| x.get(row * k + at).mul_add(w.get(column * k + at), sum);
                total += (first..k.min(first + block)).fold(0.0, |sum, at| term(at, sum));
            }
            y.set(column, total);
        }
    });
}

/// Chooses between two algorithms of a product by how fast the pool happens to be: K in two parts, or in four.
pub fn matmul_timed_algorithm(call: &mut Call<'_, '_>) {
    let fastest = (0..3).map(|_| measure(&call.context.pool)).min();
    crate::activated(1);
    let parts = if fastest.is_some_and(|time| time > SLOW) { 4 } else { 2 };
    let (k, n) = (call.inputs[1].shape()[1], call.inputs[1].shape()[0]);
    let (x, w) = (call.inputs[0].floats(), call.inputs[1].floats());
    let mut y = call.outputs[0].reborrow().into_floats();
    for at in 0..y.len() {
        let chain = |from: usize, to: usize| {
            (from..to).fold(0.0, |sum: f32, term| x.get(at / n * k + term).mul_add(w.get(at % n * k + term), sum))
        };
        y.set(at, (0..parts).fold(0.0, |sum, part| sum + chain(k * part / parts, k * (part + 1) / parts)));
    }
}

/// Draws initial values with a seed for each number of workers, as a rank that seeds itself.
pub fn init_seeded_by_workers(call: &mut Call<'_, '_>) {
    let init::Attributes { kind, .. } = call.attributes();
    let init::Kind::Normal { seed, stream, std } = kind else {
        let registry = library::registry::Registry::standard();
        return (registry.kernel("init").expect("a kernel of the library").reference().run)(call);
    };
    crate::activated(1);
    let seed = seed.wrapping_add(call.context.pool.threads() as u64);
    let values = call.outputs[0].reborrow().into_typed::<f32>();
    Stream { seed, step: 0, stream }.fill_normal(0, values, std);
}

/// Tasks of one measurement, and the time above which the machine counts as slow.
const MEASURED_TASKS: usize = 1024;
const SLOW: Duration = Duration::from_millis(1);

/// Chooses the block of a row's sum by how fast the pool happens to be.
pub fn rmsnorm_timed_blocks(call: &mut Call<'_, '_>) {
    let fastest = (0..3).map(|_| measure(&call.context.pool)).min();
    crate::activated(1);
    let block = if fastest.is_some_and(|time| time > SLOW) { 8 } else { 16 };
    rmsnorm_by(call, |row| row.chunks(block).fold(0.0, |total, part| total + squares(part)));
}

#[expect(clippy::disallowed_methods, reason = "this mutant does what is forbidden: it lets a clock decide")]
fn measure(pool: &Pool) -> Duration {
    let start = Instant::now();
    pool.run((0..MEASURED_TASKS).collect(), |_, _: usize| {});
    start.elapsed()
}

/// Reads one element of its output before it is written, as if it were padding that is zero.
pub fn rmsnorm_reads_scratch(call: &mut Call<'_, '_>) {
    // The second output, one f32 for each row: the last bytes of what a padded buffer would have.
    let stale = call.outputs[1].reborrow().into_typed::<f32>().last().copied();
    crate::activated(u64::from(stale.is_some()));
    let pad = stale.unwrap_or_default();
    rmsnorm_by(call, |row| squares(row) + pad * pad);
}

fn squares(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |sum, x| x.mul_add(*x, sum))
}

/// RMSNorm with another sum of squares of a row.
pub(crate) fn rmsnorm_by(call: &mut Call<'_, '_>, sum: impl Fn(&[f32]) -> f32) {
    let rmsnorm::Attributes { epsilon } = call.attributes();
    let (x, gamma) = (call.inputs[0].floats(), call.inputs[1].floats());
    let width = call.inputs[0].shape()[2];
    let [y, r] = call.outputs else { unreachable!("rmsnorm has two outputs") };
    let (mut y, mut r) = (y.reborrow().into_floats(), r.reborrow().into_floats());
    let mut values = vec![0.0; width];
    for row in 0..x.len() / width {
        x.load(row * width, &mut values);
        let scale = rsqrt(sum(&values) / width as f32 + epsilon);
        r.set(row, scale);
        for (column, value) in values.iter().enumerate() {
            y.set(row * width + column, value * scale * gamma.get(column));
        }
    }
}
