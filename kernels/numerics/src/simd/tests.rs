use super::*;

vectorised! {
    fn halves<'a>(values: &'a [f32], out: &'a mut [f32]) -> usize {
        for (slot, value) in out.iter_mut().zip(values) {
            *slot = value * 0.5;
        }
        out.len()
    }

    fn three() -> u32 {
        3
    }
}

#[test]
fn the_baseline_is_always_available_and_the_widest_level_is_detected() {
    let available = Level::available();
    assert_eq!(available[0], Level::Scalar);
    assert_eq!(available.last(), Some(&Level::detect()));
    assert!(available.is_sorted());
}

#[test]
fn a_kernel_runs_at_every_available_level() {
    for level in Level::available() {
        let mut out = [0.0; 3];
        assert_eq!(halves(level, &[1.0, 2.0, 3.0], &mut out), 3);
        assert_eq!(out, [0.5, 1.0, 1.5]);
        assert_eq!(three(level), 3);
        assert_eq!(level.run(|| 4), 4);
    }
}

#[test]
fn names_are_distinct_and_printed() {
    assert_eq!(Level::ALL.map(|level| level.to_string()), ["scalar", "avx2", "avx512"]);
}
