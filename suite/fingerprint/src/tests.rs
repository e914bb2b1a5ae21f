use super::*;
use crate::bulk::Blocks;
use crate::field::{P, coefficient, mul, reduce, split_mix};
use proptest::prelude::*;

fn bytes(n: usize) -> Vec<u8> {
    (0..n as u64).map(|i| split_mix(i) as u8).collect()
}

/// A [rows, cols] matrix of 4-byte elements with its rows and columns exchanged.
fn transpose(data: &[u8], rows: usize, cols: usize) -> Vec<u8> {
    (0..rows * cols).flat_map(|i| data[4 * (i % rows * cols + i / rows)..][..4].to_vec()).collect()
}

#[test]
fn the_generator_is_splitmix64() {
    // The first outputs of the generator started at 0.
    let gamma = 0x9E37_79B9_7F4A_7C15_u64;
    let expected = [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F];
    for (step, output) in (0..).zip(expected) {
        assert_eq!(split_mix(gamma.wrapping_mul(step)), output);
    }
}

#[test]
fn field_operations_agree_with_wide_arithmetic() {
    let p = u128::from(P);
    let edges = [0, 1, 2, (1 << 21) - 1, 1 << 42, P - 2, P - 1, 0x1234_5678_9ABC_DEF0 % P];
    for a in edges {
        for b in edges {
            assert_eq!(u128::from(mul(a, b)), u128::from(a) * u128::from(b) % p);
            assert_eq!(u128::from(field::add(a, b)), (u128::from(a) + u128::from(b)) % p);
        }
    }
    for x in [0, P - 1, P, P + 1, 2 * P, u64::MAX] {
        assert_eq!(reduce(x), x % P);
    }
    assert!((0..10_000).all(|x| (1..P).contains(&coefficient(x))));
}

#[test]
fn one_word_weighs_the_product_of_its_two_coefficients() {
    // Word 2·256 + 5 has the value 7.
    let mut data = vec![0; 4 * (2 * 256 + 6)];
    data[4 * (2 * 256 + 5)] = 7;
    let lane = |l: u64| mul(mul(coefficient(4 + l), coefficient((1 << 63) + 10 + l)), 7);
    assert_eq!(Fingerprint::of_bytes(&data), Fingerprint(lane(0), lane(1)));
}

/// Computed from the definition with unbounded integers in another language;
/// the last one is also what a GPU returned.
#[test]
fn known_values_are_kept() {
    let text = |n: usize| Fingerprint::of_bytes(&bytes(n)).to_string();
    assert_eq!(text(1), "056c7d831a5f290c0caf610bc00bbd9d");
    assert_eq!(text(5000), "1331aaf56a6996a91378eb8dbc6855f8");
    assert_eq!(
        Fingerprint::of_bytes(&bytes(5000)).with_meta("f32", &[25, 50]).to_string(),
        "0f3d1e95d1629cca1bf6527dd9714840"
    );
    let words: Vec<u8> = (0..1 << 18).flat_map(|j| (split_mix(j) as u32).to_le_bytes()).collect();
    assert_eq!(Fingerprint::of_bytes(&words).to_string(), "08fccccb1e2389aa10f70ef1f962da01");
}

#[test]
fn the_fast_path_equals_the_definition_around_block_borders() {
    for offset in [0_u64, 1, 2, 3, 4, 5, 1020, 1023, 1024, 1025, 3 * 1024 + 7, (1 << 40) + 1021] {
        for n in [0, 1, 2, 3, 4, 5, 8, 1019, 1023, 1024, 1025, 2047, 2048, 2050, 5000] {
            let data = bytes(n);
            assert_eq!(Fingerprint::of_shard(offset, &data), reference::of_shard(offset, &data), "{offset} {n}");
        }
    }
}

#[test]
fn the_largest_words_do_not_overflow_a_block() {
    let data = vec![0xFF; 3 * 1024 + 5];
    assert_eq!(Fingerprint::of_bytes(&data), reference::of_shard(0, &data));
}

#[test]
fn every_vector_width_gives_the_same_fingerprint() {
    let data = bytes(7 * 1024);
    let blocks = || Blocks { first: 9, blocks: data.as_chunks().0 };
    let expected = reference::of_shard(9 * 1024, &data);
    assert_eq!(pulp::NullaryFnOnce::call(blocks()), expected);
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(simd) = pulp::x86::V3::try_new() {
            assert_eq!(simd.vectorize(blocks()), expected);
        }
        if let Some(simd) = pulp::x86::V4::try_new() {
            assert_eq!(simd.vectorize(blocks()), expected);
        }
    }
}

proptest! {
    #[test]
    fn the_fast_path_equals_the_definition(offset in 0_u64..1 << 48, data in prop::collection::vec(any::<u8>(), 0..4000)) {
        prop_assert_eq!(Fingerprint::of_shard(offset, &data), reference::of_shard(offset, &data));
    }

    #[test]
    fn shards_of_any_partition_add_up_in_any_order(
        data in prop::collection::vec(any::<u8>(), 1..6000),
        mut cuts in prop::collection::vec(0_usize..6000, 0..12),
        order in any::<u64>(),
    ) {
        cuts.extend([0, data.len()]);
        cuts.iter_mut().for_each(|cut| *cut = (*cut).min(data.len()));
        cuts.sort_unstable();
        let mut shards: Vec<(usize, usize)> = cuts.windows(2).map(|cut| (cut[0], cut[1])).collect();
        shards.sort_by_key(|shard| split_mix(order ^ shard.0 as u64));
        let sum: Fingerprint =
            shards.iter().map(|&(start, end)| Fingerprint::of_shard(start as u64, &data[start..end])).sum();
        prop_assert_eq!(sum, Fingerprint::of_bytes(&data));
    }

    #[test]
    fn text_survives_a_round_trip(a in 0..P, b in 0..P) {
        let value = Fingerprint(a, b);
        prop_assert_eq!(value.to_string().parse(), Ok(value));
    }
}

#[test]
fn a_missing_a_doubled_and_a_misplaced_shard_show() {
    let data = bytes(3000);
    let whole = Fingerprint::of_bytes(&data);
    let [first, second] = [Fingerprint::of_shard(0, &data[..1001]), Fingerprint::of_shard(1001, &data[1001..])];
    assert_eq!(first + second, whole);
    assert_ne!(first, whole);
    assert_ne!(first + second + second, whole);
    assert_ne!(first + Fingerprint::of_shard(1002, &data[1001..]), whole);
}

/// What happens to a tensor, and the tensor afterwards.
fn changes(data: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let word = |i: usize| 4 * i..4 * i + 4;
    let mut swap = data.to_vec();
    swap[word(3)].copy_from_slice(&data[word(700)]);
    swap[word(700)].copy_from_slice(&data[word(3)]);
    let mut blocks = data.to_vec();
    blocks[..1024].copy_from_slice(&data[1024..2048]);
    blocks[1024..2048].copy_from_slice(&data[..1024]);
    let mut duplicate = data.to_vec();
    duplicate[word(8)].copy_from_slice(&data[word(7)]);
    let mut pair = data.to_vec();
    pair[word(20)].fill(0);
    pair[word(21)].fill(0);
    let mut rotate = data.to_vec();
    rotate.rotate_right(4);
    let mut sign = data.to_vec();
    sign[4 * 9 + 3] ^= 0x80;
    let mut bit = data.to_vec();
    bit[1234] ^= 1;
    vec![
        ("two elements swapped", swap),
        ("two blocks swapped", blocks),
        ("rows and columns transposed", transpose(data, 20, data.len() / 80)),
        ("an element written over its neighbour", duplicate),
        ("a pair of equal elements zeroed", pair),
        ("shifted by one element", rotate),
        ("the sign of a zero", sign),
        ("one bit", bit),
    ]
}

/// 1,000 elements; element 9 is +0, elements 20 and 21 are equal.
fn sample() -> Vec<u8> {
    let mut data = bytes(4000);
    data[36..40].fill(0);
    data.copy_within(80..84, 84);
    data
}

#[test]
fn every_change_of_a_tensor_shows_in_both_lanes() {
    let data = sample();
    let before = Fingerprint::of_bytes(&data);
    for (name, changed) in changes(&data) {
        assert_ne!(changed, data, "{name} changes the tensor");
        let after = Fingerprint::of_bytes(&changed);
        assert!(before.0 != after.0 && before.1 != after.1, "{name}");
    }
}

#[test]
fn an_xor_of_words_misses_most_of_these_changes() {
    let xor = |data: &[u8]| data.as_chunks::<4>().0.iter().fold(0, |sum, word| sum ^ u32::from_le_bytes(*word));
    let data = sample();
    let missed: Vec<&str> =
        changes(&data).into_iter().filter(|(_, changed)| xor(changed) == xor(&data)).map(|(name, _)| name).collect();
    assert_eq!(
        missed,
        [
            "two elements swapped",
            "two blocks swapped",
            "rows and columns transposed",
            "a pair of equal elements zeroed",
            "shifted by one element",
        ]
    );
}

#[test]
fn every_single_bit_of_two_blocks_shows() {
    let data = bytes(2048);
    let before = Fingerprint::of_bytes(&data);
    let mut seen = std::collections::BTreeSet::from([before]);
    for bit in 0..8 * data.len() {
        let mut changed = data.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(seen.insert(Fingerprint::of_bytes(&changed)), "bit {bit}");
    }
}

#[test]
fn nothing_and_zeros_are_zero_until_the_description_is_added() {
    assert_eq!(Fingerprint::of_bytes(&[]), Fingerprint::ZERO);
    assert_eq!(Fingerprint::of_bytes(&[0; 100]), Fingerprint::ZERO);
    assert_eq!(Fingerprint::of_bytes(&[1, 2, 3]), Fingerprint::of_bytes(&[1, 2, 3, 0]));
    assert_ne!(Fingerprint::ZERO.with_meta("f32", &[0]), Fingerprint::ZERO);
    assert_ne!(Fingerprint::ZERO.with_meta("f32", &[24]), Fingerprint::ZERO.with_meta("f32", &[25]));
}

#[test]
fn dtype_rank_and_every_dimension_are_part_of_the_description() {
    let descriptions: [(&str, &[u64]); 12] = [
        ("", &[]),
        ("f32", &[]),
        ("f32", &[0]),
        ("f32", &[0, 0]),
        ("f32", &[6]),
        ("f32", &[2, 3]),
        ("f32", &[3, 2]),
        ("f32", &[1, 6]),
        ("bf16", &[6]),
        ("f32\0", &[6]),
        ("f32", &[6 << 32]),
        ("float32", &[6]),
    ];
    let terms = descriptions.map(|(dtype, shape)| Fingerprint::ZERO.with_meta(dtype, shape));
    let distinct = std::collections::BTreeSet::from(terms);
    assert_eq!(distinct.len(), terms.len());
    let content = Fingerprint::of_bytes(&bytes(24));
    assert_eq!(content.with_meta("f32", &[2, 3]), content + terms[5]);
}

#[test]
fn text_is_32_lowercase_digits_with_lane_0_first() {
    let value = Fingerprint(0x12, P - 1);
    assert_eq!(value.to_string(), "00000000000000121ffffffffffffffe");
    assert_eq!(serde_json::to_string(&value).expect("a string"), "\"00000000000000121ffffffffffffffe\"");
    assert_eq!(serde_json::from_str::<Fingerprint>("\"00000000000000121ffffffffffffffe\"").expect("valid"), value);
}

#[test]
fn text_that_is_no_fingerprint_is_refused_with_what_was_found() {
    let wrong = [
        "",
        "12",
        "00000000000000121FFFFFFFFFFFFFFE",
        "+0000000000000121ffffffffffffffe",
        "00000000000000121ffffffffffffffe0",
        "00000000000000121fffffffffffffff",
        "ffffffffffffffff0000000000000000",
        "0000000000000012 fffffffffffffffe",
        "ä00000000000000000000000000000",
    ];
    for text in wrong {
        let error = text.parse::<Fingerprint>().expect_err(text).to_string();
        assert!(error.contains("32 lowercase hexadecimal digits") && error.contains(&format!("{text:?}")), "{error}");
    }
    assert!(serde_json::from_str::<Fingerprint>("\"12\"").is_err());
}
