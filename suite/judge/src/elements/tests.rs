use super::*;

fn report(left: &[u32], right: &[u32], shape: &[u64]) -> Option<ElementReport> {
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let format = Format::of("f32").unwrap();
    compare(bytes(left).as_slice(), bytes(right).as_slice(), format, shape)
}

fn pattern(differing: &[usize], shape: &[u64]) -> String {
    let total: u64 = shape.iter().product();
    let left = vec![0x3f80_0000; total as usize];
    let mut right = left.clone();
    for index in differing {
        right[*index] += 1;
    }
    report(&left, &right, shape).unwrap().pattern
}

#[test]
fn the_first_differing_element_is_named_with_its_coordinates_and_fields() {
    let left = [0x3f80_0000_u32; 6];
    let mut right = left;
    right[4] = 0xbf80_0001;
    right[5] += 3;
    let report = report(&left, &right, &[2, 3]).unwrap();
    assert_eq!((report.count, report.total), (2, 6));
    assert_eq!(report.first_index, [1, 1]);
    assert_eq!(report.first_left, BitFields { bits: 0x3f80_0000, sign: 0, exponent: 127, mantissa: 0 });
    assert_eq!(report.first_right, BitFields { bits: 0xbf80_0001, sign: 1, exponent: 127, mantissa: 1 });
}

#[test]
fn ulp_distance_counts_steps_between_representable_values() {
    let f32 = Format::of("f32").unwrap();
    assert_eq!(f32.ulp_distance(0x3f80_0000, 0x3f80_0003), 3);
    assert_eq!(f32.ulp_distance(0x8000_0000, 0), 1);
    assert_eq!(f32.ulp_distance(0x8000_0001, 1), 3);
    let bf16 = Format::of("bf16").unwrap();
    assert_eq!(bf16.ulp_distance(0x3f7f, 0x3f80), 1);
    assert_eq!(bf16.ulp_distance(0x8000, 0x0001), 2);
    let fp16 = Format::of("fp16").unwrap();
    assert_eq!(fp16.ulp_distance(0x3bff, 0x3c00), 1);
    assert_eq!(Format::of("i32").unwrap().ulp_distance(0xffff_ffff, 1), 2);
    assert_eq!(Format::of("u32").unwrap().ulp_distance(0xffff_ffff, 1), 0xffff_fffe);
    assert_eq!(Format::of("i64").unwrap().ulp_distance(1 << 63, u64::MAX >> 1), u64::MAX);
}

#[test]
fn rows_columns_tiles_stripes_and_single_elements_are_recognised() {
    assert_eq!(pattern(&[5], &[4, 8]), "one element");
    assert_eq!(pattern(&[8, 9, 13], &[4, 8]), "row 1");
    assert_eq!(pattern(&[3, 11, 27], &[4, 8]), "column 3");
    assert_eq!(pattern(&[9, 10, 17, 18], &[4, 8]), "tile rows 1..3 columns 1..3");
    assert_eq!(pattern(&[1, 4, 7, 10, 13], &[4, 8]), "stripe: every 3th element from 1");
    assert_eq!(pattern(&[1, 4, 14], &[4, 8]), "scattered over rows 0..2 columns 1..7");
    assert_eq!(pattern(&(0..32).collect::<Vec<_>>(), &[4, 8]), "everything");
}

#[test]
fn equal_tensors_and_files_of_another_size_give_no_report() {
    assert_eq!(report(&[1, 2], &[1, 2], &[2]), None);
    assert_eq!(report(&[1, 2], &[1, 3], &[3]), None);
    assert_eq!(report(&[1, 2, 3], &[1, 3, 3], &[2]), None);
}
