use super::*;

/// Every exponent and sign with significands at and around rounding borders.
fn borders() -> impl Iterator<Item = f32> {
    let significands = [
        0, 1, 0xFFF, 0x1000, 0x1001, 0x2FFF, 0x3000, 0x7FFF, 0x8000, 0x8001, 0x17FFF, 0x18000, 0x7F_EFFF, 0x7F_F000,
        0x7F_FFFF,
    ];
    (0..512_u32).flat_map(move |top| significands.map(|low| f32::from_bits(top << 23 | low)))
}

/// A pseudo-random walk over all bit patterns.
fn scattered(count: u32) -> impl Iterator<Item = f32> {
    (0..count).map(|i| f32::from_bits(i.wrapping_mul(0x9E37_79B9) ^ i.rotate_left(13)))
}

/// Nearest value of a 16-bit format by distance, ties to the even pattern.
/// `widen` must be ascending over 0..=infinity, and `beyond` is the value that
/// the pattern of infinity would have if the exponent range went on.
fn nearest(x: f32, infinity: u16, widen: fn(u16) -> f32, beyond: f64) -> u16 {
    if x.is_nan() {
        return NAN_BITS_16;
    }
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = f64::from(x.abs());
    let value = |bits: u16| if bits == infinity { beyond } else { f64::from(widen(bits)) };
    if magnitude >= beyond {
        return sign | infinity;
    }
    let mut low = 0;
    let mut high = infinity;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if value(middle) <= magnitude { low = middle } else { high = middle }
    }
    let (below, above) = (magnitude - value(low), value(high) - magnitude);
    let upper = above < below || (above == below && high.is_multiple_of(2));
    sign | if upper { high } else { low }
}

#[test]
fn bf16_rounds_to_the_nearest_value_and_ties_to_even() {
    let beyond = f64::from(f32::from_bits(0x7F00_0000)) * 2.0;
    for x in borders().chain(scattered(200_000)) {
        assert_eq!(bf16_from_f32(x), nearest(x, 0x7F80, bf16_to_f32, beyond), "{:08x}", x.to_bits());
    }
}

#[test]
fn fp16_rounds_to_the_nearest_value_and_ties_to_even() {
    for x in borders().chain(scattered(200_000)) {
        assert_eq!(fp16_from_f32(x), nearest(x, 0x7C00, fp16_to_f32, 65_536.0), "{:08x}", x.to_bits());
    }
}

#[test]
fn sixteen_bit_values_survive_a_round_trip() {
    for bits in 0..=u16::MAX {
        let wide = bf16_to_f32(bits);
        assert_eq!(bf16_from_f32(wide), if wide.is_nan() { NAN_BITS_16 } else { bits });
        let wide = fp16_to_f32(bits);
        assert_eq!(fp16_from_f32(wide), if wide.is_nan() { NAN_BITS_16 } else { bits });
    }
}

#[test]
fn fp16_widening_is_the_value_of_the_pattern() {
    for bits in 0..0x7C00_u16 {
        let exponent = u64::from(bits >> 10);
        let significand = f64::from(bits & 0x3FF);
        let expected = if exponent == 0 {
            significand * f64::from_bits((1023 - 24) << 52)
        } else {
            (1024.0 + significand) * f64::from_bits((1023 + exponent - 25) << 52)
        };
        assert_eq!(f64::from(fp16_to_f32(bits)).to_bits(), expected.to_bits(), "{bits:04x}");
        assert_eq!(fp16_to_f32(bits | 0x8000).to_bits(), fp16_to_f32(bits).to_bits() | 1 << 31);
    }
    assert_eq!(fp16_to_f32(0x7C00), f32::INFINITY);
    assert_eq!(fp16_to_f32(0xFC00), f32::NEG_INFINITY);
}

#[test]
fn widening_keeps_the_payload_of_a_foreign_nan() {
    assert_eq!(bf16_to_f32(0xFFC1).to_bits(), 0xFFC1_0000);
    assert_eq!(fp16_to_f32(0xFE01).to_bits(), 0xFFC0_2000);
}

#[test]
fn any_nan_becomes_the_canonical_one_and_nothing_else_moves() {
    let mut values = [0x7F80_0001, 0xFFC0_0000, 0x7FC0_0000, 0x8000_0000, 0x7F80_0000].map(f32::from_bits);
    canonicalise(&mut values);
    assert_eq!(values.map(f32::to_bits), [NAN_BITS, NAN_BITS, NAN_BITS, 0x8000_0000, 0x7F80_0000]);
    assert_eq!([bf16_from_f32(-f32::NAN), fp16_from_f32(-f32::NAN)], [NAN_BITS_16; 2]);
}

#[test]
fn slices_store_and_load_what_single_values_do() {
    let values: Vec<f32> = borders().chain(scattered(1001)).collect();
    let mut bits = vec![0; values.len()];
    let mut back = vec![0.0; values.len()];
    bf16_store(&values, &mut bits);
    assert!(values.iter().zip(&bits).all(|(x, b)| bf16_from_f32(*x) == *b));
    bf16_load(&bits, &mut back);
    assert!(back.iter().zip(&bits).all(|(x, b)| x.to_bits() == bf16_to_f32(*b).to_bits()));
    fp16_store(&values, &mut bits);
    assert!(values.iter().zip(&bits).all(|(x, b)| fp16_from_f32(*x) == *b));
    fp16_load(&bits, &mut back);
    assert!(back.iter().zip(&bits).all(|(x, b)| x.to_bits() == fp16_to_f32(*b).to_bits()));
}

#[test]
fn order_keys_ascend_with_negative_zero_below_zero_and_nan_on_top() {
    let tiny = f32::from_bits(1);
    let ascending = [
        f32::NEG_INFINITY,
        f32::MIN,
        -1.0,
        -tiny,
        -0.0,
        0.0,
        tiny,
        1.0,
        f32::MAX,
        f32::INFINITY,
        f32::from_bits(NAN_BITS),
    ];
    assert!(ascending.windows(2).all(|pair| order_key(pair[0]) < order_key(pair[1])));
    for x in borders() {
        assert_eq!(from_order_key(order_key(x)).to_bits(), x.to_bits());
    }
    for pair in ascending.windows(2) {
        for (a, b) in [(pair[0], pair[1]), (pair[1], pair[0])] {
            assert_eq!(max(a, b).to_bits(), pair[1].to_bits());
            assert_eq!(min(a, b).to_bits(), pair[0].to_bits());
        }
    }
}

#[test]
fn the_largest_element_is_found_in_any_order() {
    let mut values: Vec<f32> = borders().filter(|x| x.is_finite()).collect();
    assert_eq!(max_of(&values), Some(f32::MAX));
    values.reverse();
    assert_eq!(max_of(&values), Some(f32::MAX));
    assert_eq!(max_of(&[-0.0, 0.0, -0.0]).map(f32::to_bits), Some(0));
    assert_eq!(max_of(&[]), None);
}
