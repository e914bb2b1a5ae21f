//! Kill and resume of a room with state, at kernel level.

use crate::case::Walk;
use crate::context::{Context, Pool};
use crate::eager::run;
use crate::registry::Registry;
use crate::room::Room;
use crate::tensor::Tensor;
use numerics::simd::Level;

fn step(walk: &Walk, step: u64, state: Vec<Tensor>, context: &Context) -> Vec<Tensor> {
    let registry = Registry::standard();
    let kernel = registry.kernel(walk.kernel).expect("a walk names a kernel");
    let (attributes, operands) = (walk.operands)(step, &state);
    let outputs = run(kernel, kernel.fastest(), &attributes, &operands, 0xA5, context).expect("a walk is accepted");
    (walk.advance)(step, state, outputs)
}

fn initial(walk: &Walk) -> Vec<Tensor> {
    (walk.initial)().into_iter().map(|(_, tensor)| tensor).collect()
}

fn save(state: &[Tensor]) -> Vec<Vec<u8>> {
    state.iter().map(|tensor| tensor.bytes().to_vec()).collect()
}

fn load(specs: &[Tensor], saved: &[Vec<u8>]) -> Vec<Tensor> {
    specs.iter().zip(saved).map(|(like, bytes)| Tensor::from_bytes(like.spec.clone(), bytes)).collect()
}

/// A state that is saved as bytes after any step and loaded elsewhere ends like one that was never saved, every step
/// changes something, and every leaf matters: a walk that starts again with one leaf forgotten ends elsewhere.
pub fn resumes_from_every_step(room: &dyn Room) {
    let walk = room.walk().expect("the room has state");
    let context = Context::new(2, Level::detect());
    let elsewhere = Context { pool: Pool::new(3, Some(5)), level: Level::Scalar };
    let mut saved = vec![save(&initial(&walk))];
    let mut state = initial(&walk);
    for number in 0..walk.steps {
        state = step(&walk, number, state, &context);
        assert_ne!(saved.last(), Some(&save(&state)), "step {number} of {} changes nothing", room.name());
        saved.push(save(&state));
    }
    let finish = |from: u64, mut state: Vec<Tensor>| {
        for number in from..walk.steps {
            state = step(&walk, number, state, &elsewhere);
        }
        save(&state)
    };
    let mut noticed = vec![false; state.len()];
    for from in 0..=walk.steps {
        let resumed = load(&state, &saved[from as usize]);
        assert_eq!(finish(from, resumed.clone()), saved[walk.steps as usize], "{} from step {from}", room.name());
        for (leaf, noticed) in noticed.iter_mut().enumerate() {
            let mut forgetful = resumed.clone();
            forgetful[leaf] = initial(&walk).swap_remove(leaf);
            *noticed |= from < walk.steps && finish(from, forgetful) != saved[walk.steps as usize];
        }
    }
    let names: Vec<_> = (walk.initial)().into_iter().map(|(name, _)| name).collect();
    for (name, noticed) in names.iter().zip(noticed) {
        assert!(noticed, "{}: nothing depends on leaf {name}", room.name());
    }
}
