use super::cases::attributes;
use super::{Attributes, Kind, Schedule, scalars};
use crate::room::Room;
use crate::tensor::{Dtype, Spec};
use crate::testing;
use serde::Deserialize;

#[test]
fn every_variant_gives_the_bits_of_the_reference_on_every_case() {
    testing::variants_agree(&Schedule);
}

#[test]
fn outputs_are_within_the_bound_of_the_oracle() {
    testing::outputs_are_right(&Schedule);
}

fn at(kind: Kind, applied: u64) -> [f32; 8] {
    scalars(&Attributes::deserialize(attributes(kind)).expect("valid attributes"), applied)
}

#[test]
fn the_first_step_has_a_share_of_the_peak_and_undoes_the_bias_of_one_step() {
    let [lr, c1, c2, keep, r2, s, beta1, beta2] = at(Kind::WarmupCosine, 0);
    assert_eq!(lr, (3e-4 / 10.0) as f32);
    assert_eq!([c1, c2, beta1, beta2], [(1.0 - 0.9_f64) as f32, (1.0 - 0.95_f64) as f32, 0.9, 0.95]);
    assert_eq!(keep, (1.0 - 3e-4 / 10.0 * 0.1) as f32);
    assert_eq!(r2, (1.0 / (1.0 - 0.95_f64).sqrt()) as f32);
    assert_eq!(s, (3e-4 / 10.0 / (1.0 - 0.9_f64)) as f32);
}

#[test]
fn both_schedules_reach_the_peak_and_the_floor_exactly() {
    for kind in [Kind::WarmupCosine, Kind::Wsd] {
        assert_eq!(at(kind, 9)[0], 3e-4_f64 as f32);
        assert_eq!(at(kind, 99)[0], 3e-5_f64 as f32);
        assert_eq!(at(kind, u64::from(u32::MAX))[0], 3e-5_f64 as f32);
    }
}

#[test]
fn the_learning_rate_falls_at_every_step_of_a_cosine_and_of_a_decay() {
    for applied in 9..98 {
        assert!(at(Kind::WarmupCosine, applied)[0] > at(Kind::WarmupCosine, applied + 1)[0], "{applied}");
    }
    for applied in 9..79 {
        assert_eq!(at(Kind::Wsd, applied)[0], 3e-4_f64 as f32, "{applied}");
    }
    for applied in 79..98 {
        assert!(at(Kind::Wsd, applied)[0] > at(Kind::Wsd, applied + 1)[0], "{applied}");
    }
}

#[test]
fn lengths_and_rates_that_make_no_schedule_are_refused() {
    let infer = Schedule.kernels()[0].infer;
    let specs = [Spec::new(Dtype::U64, &[1])];
    assert!(infer(&attributes(Kind::Wsd), &specs).is_ok());
    for (key, value) in [
        ("warmup", serde_json::json!(100)),
        ("decay", serde_json::json!(91)),
        ("decay", serde_json::json!(0)),
        ("floor", serde_json::json!(1.0)),
        ("beta2", serde_json::json!(1.0)),
        ("weight_decay", serde_json::json!(-0.1)),
        ("kind", serde_json::json!("constant")),
    ] {
        let mut attributes = attributes(Kind::Wsd);
        attributes[key] = value;
        assert!(infer(&attributes, &specs).is_err(), "{key}");
    }
    assert!(infer(&attributes(Kind::Wsd), &[Spec::f32(&[1])]).is_err());
}
