use crate::data::EpochOrder;
use proptest::prelude::*;

fn order(seed: u64, epoch: u32, count: usize) -> Vec<usize> {
    let order = EpochOrder::new(seed, epoch, count);
    (0..count).map(|position| order.document(position)).collect()
}

proptest! {
    #[test]
    fn the_order_of_an_epoch_is_a_permutation(
        seed: u64,
        epoch in 0_u32..1000,
        count in 1_usize..600,
    ) {
        let mut documents = order(seed, epoch, count);
        documents.sort_unstable();
        prop_assert_eq!(documents, (0..count).collect::<Vec<_>>());
    }
}

#[test]
fn the_order_differs_between_epochs_and_between_seeds() {
    let first = order(7, 0, 2307);
    assert_ne!(first, (0..2307).collect::<Vec<_>>());
    for other in [order(7, 1, 2307), order(7, 2, 2307), order(8, 0, 2307), order(7 | 1 << 32, 0, 2307)] {
        let kept = first.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert!(kept < 12, "{kept} of 2307 documents kept their position");
    }
}

#[test]
fn the_order_is_the_one_that_goldens_were_made_with() {
    assert_eq!(order(7, 1, 10), KNOWN);
}

const KNOWN: [usize; 10] = [5, 4, 7, 0, 9, 1, 2, 8, 6, 3];

#[test]
#[should_panic(expected = "position 3 of 3 documents")]
fn a_position_beyond_the_epoch_is_refused() {
    assert_eq!(EpochOrder::new(7, 0, 3).document(3), 3);
}
