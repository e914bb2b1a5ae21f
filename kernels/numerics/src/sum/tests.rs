use super::*;
use crate::format::NAN_BITS;
use crate::philox::Stream;
use crate::simd::Level;
use crate::vectorised;

const LENGTHS: [usize; 18] = [0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 2049, 4096, 5003];

/// Values over twelve binades, so that another order gives other bits.
fn values(n: usize, stream: u32) -> Vec<f32> {
    let mut words = vec![0; n];
    Stream { seed: 7, step: 0, stream }.fill_words(0, &mut words);
    words.iter().map(|w| f32::from_bits(w & 0x807F_FFFF | (120 + (w >> 23) % 12) << 23)).collect()
}

fn lanes32_reference(values: &[f32], step: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [0.0; 32];
    for (i, &x) in values.iter().enumerate() {
        lanes[i % 32] = step(lanes[i % 32], x);
    }
    for distance in [16, 8, 4, 2, 1] {
        lanes = std::array::from_fn(|l| lanes[l] + lanes[l ^ distance]);
    }
    lanes[0]
}

fn tree_reference(values: &[f32]) -> f32 {
    let mut level = values.to_vec();
    while level.len() > 1 {
        level = level.chunks(2).map(|pair| if pair.len() == 2 { pair[0] + pair[1] } else { pair[0] }).collect();
    }
    level.first().copied().unwrap_or(0.0)
}

fn blocked_reference(values: &[f32], step: impl Fn(f32, f32) -> f32) -> f32 {
    let blocks: Vec<f32> = values.chunks(1024).map(|block| lanes32_reference(block, &step)).collect();
    tree_reference(&blocks)
}

vectorised! {
    fn all_orders<'a>(a: &'a [f32], b: &'a [f32]) -> [u32; 9] {
        let mut copy = a.to_vec();
        [
            chain(a, b),
            lanes32(a),
            lanes32_squares(a),
            lanes32_products(a, b),
            lanes32_by(a.len(), |i| a[i] * b[i]),
            tree(&mut copy),
            blocked(a),
            blocked_squares(a),
            slots(a),
        ]
        .map(f32::to_bits)
    }
}

#[test]
fn every_order_equals_its_reference_at_every_length_and_level() {
    for n in LENGTHS {
        let (a, b) = (values(n, 1), values(n, 2));
        let products: Vec<f32> = a.iter().zip(&b).map(|(x, y)| x * y).collect();
        let mut chain_reference = 0.0_f32;
        for k in 0..n {
            chain_reference = a[k].mul_add(b[k], chain_reference);
        }
        let mut slots_reference = 0.0;
        for x in &a {
            slots_reference += x;
        }
        let add = |acc: f32, x: f32| acc + x;
        let square = |acc: f32, x: f32| x.mul_add(x, acc);
        let expected = [
            chain_reference + 0.0,
            lanes32_reference(&a, add),
            lanes32_reference(&a, square),
            lanes32_reference(&products, add),
            lanes32_reference(&products, add),
            tree_reference(&a),
            blocked_reference(&a, add),
            blocked_reference(&a, square),
            slots_reference,
        ];
        for level in Level::available() {
            assert_eq!(all_orders(level, &a, &b), expected.map(f32::to_bits), "{level} {n}");
        }
    }
}

#[test]
fn one_input_tells_the_orders_apart() {
    let a = values(5003, 1);
    let ones = vec![1.0; a.len()];
    let mut results = [lanes32(&a), tree(&mut a.clone()), blocked(&a), slots(&a)].map(f32::to_bits);
    // A chain over ones adds ascending, which is what slots does.
    assert_eq!(chain(&a, &ones).to_bits(), results[3]);
    results.sort_unstable();
    assert!(results.windows(2).all(|pair| pair[0] != pair[1]), "{results:08x?}");
}

#[test]
fn exchanging_two_elements_changes_every_order() {
    let a = values(2049, 1);
    let orders = |a: &[f32]| [lanes32(a), tree(&mut a.to_vec()), blocked(a), slots(a)].map(f32::to_bits);
    let mut changed = [false; 4];
    // A single exchange may be absorbed by rounding; forty are not.
    for shift in 0..40 {
        let mut swapped = a.clone();
        swapped.swap(shift, 1500);
        for (changed, (before, after)) in changed.iter_mut().zip(orders(&a).iter().zip(orders(&swapped))) {
            *changed |= *before != after;
        }
    }
    assert_eq!(changed, [true; 4]);
}

#[test]
fn trees_of_values_and_of_slices_are_the_same_tree() {
    for count in (0..20).chain([31, 32, 33, 100]) {
        let parts: Vec<Vec<f32>> = (0..count).map(|part| values(131, part)).collect();
        let parts: Vec<&[f32]> = parts.iter().map(Vec::as_slice).collect();
        let mut out = vec![f32::NAN; 131];
        let mut ascending = out.clone();
        tree_slices(&parts, &mut out);
        slots_slices(&parts, &mut ascending);
        for i in 0..131 {
            let column: Vec<f32> = parts.iter().map(|part| part[i]).collect();
            assert_eq!(out[i].to_bits(), tree_reference(&column).to_bits(), "{count} parts, element {i}");
            assert_eq!(tree_of(column.iter().copied()).to_bits(), out[i].to_bits());
            assert_eq!(ascending[i].to_bits(), slots(&column).to_bits());
        }
    }
}

#[test]
fn blocks_of_another_length_are_the_callers_choice() {
    let a = values(5003, 1);
    let sum = blocked_with(4096, a.len(), |range| lanes32_squares(&a[range]));
    let expected = lanes32_squares(&a[..4096]) + lanes32_squares(&a[4096..]);
    assert_eq!(sum.to_bits(), expected.to_bits());
    let default = blocked_with(BLOCK, a.len(), |range| lanes32(&a[range]));
    assert_eq!(default.to_bits(), blocked(&a).to_bits());
}

#[test]
fn empty_sums_are_positive_zero() {
    let empty: [f32; 0] = [];
    let sums = [
        chain(&empty, &empty),
        lanes32(&empty),
        lanes32_squares(&empty),
        lanes32_products(&empty, &empty),
        lanes32_by(0, |_| 1.0),
        tree(&mut []),
        tree_of([]),
        blocked(&empty),
        blocked_squares(&empty),
        slots(&empty),
    ];
    assert!(sums.iter().all(|sum| sum.to_bits() == 0));
}

#[test]
fn accumulators_start_at_positive_zero_and_a_single_leaf_stays() {
    let zeros = [-0.0; 40];
    for sum in [lanes32(&zeros), blocked(&zeros), slots(&zeros), chain(&zeros, &[1.0; 40])] {
        assert_eq!(sum.to_bits(), 0);
    }
    assert_eq!(tree(&mut [-0.0]).to_bits(), 0x8000_0000);
}

#[test]
fn appending_zero_pairs_to_a_chain_changes_no_bit() {
    // The product underflows to −0, which only the closing addition removes.
    let (a, b) = (vec![1.0e-30, 0.0], vec![-1.0e-30, 1.0]);
    assert_eq!(chain_from(0.0, &a[..1], &b[..1]).to_bits(), 0x8000_0000);
    assert_eq!(chain(&a[..1], &b[..1]).to_bits(), 0);
    assert_eq!(chain(&a, &b).to_bits(), 0);
    let (mut a, mut b) = (values(77, 1), values(77, 2));
    let before = chain(&a, &b);
    a.extend([0.0; 19]);
    b.extend([0.0; 19]);
    assert_eq!(chain(&a, &b).to_bits(), before.to_bits());
}

#[test]
fn a_nan_sum_is_canonical() {
    let mut a = values(100, 1);
    a[50] = f32::from_bits(0xFFC1_2345);
    let b = vec![1.0; 100];
    let sums = [
        chain(&a, &b),
        lanes32(&a),
        lanes32_squares(&a),
        lanes32_products(&a, &b),
        tree(&mut a.clone()),
        tree_of(a.iter().copied()),
        blocked(&a),
        slots(&a),
    ];
    assert!(sums.iter().all(|sum| sum.to_bits() == NAN_BITS));
}
