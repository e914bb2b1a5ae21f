//! Shapes and streams at which a wrong initialisation would look right elsewhere.

use crate::case::Case;
use serde_json::{Value, json};

pub fn cases() -> Vec<Case> {
    let normal = |seed: u64, stream: u32, std: f32| json!({"normal": {"seed": seed, "stream": stream, "std": std}});
    let add = |name: &str, shape: &[usize], kind: Value, prevents| {
        Case::new(name, "init", prevents, json!({"shape": shape, "kind": kind}), Vec::new())
    };
    vec![
        add("zeros", &[3, 5], json!("zeros"), "garbage that is left where zeros belong"),
        add("ones", &[7], json!("ones"), "a gamma that starts at zero"),
        add("constant", &[3], json!({"constant": {"value": 1024.0}}), "a constant taken for one"),
        add("empty", &[0, 4], normal(1, 1, 1.0), "a draw for nothing that writes something"),
        add("one", &[1], normal(1, 1, 0.02), "the sine half, or the second word first"),
        add("no_axes", &[], normal(2, 1, 0.02), "a scalar taken for an empty tensor"),
        add("prime", &[13, 37], normal(0x1234_5678_9ABC_DEF0, 3, 0.5), "a seed whose high word is lost"),
        add("last_stream", &[33], normal(u64::MAX, u32::MAX, 1.0), "stream numbers cut to fewer bits"),
        add("group_and_one", &[129], normal(5, 2, 1.0), "a second group that begins at the wrong word"),
        add("chunk", &[1 << 14], normal(6, 2, 1.0), "chunk borders that move a draw"),
        add("two_chunks_and_one", &[32_769], normal(6, 2, 0.01), "chunks that all start at element 0"),
        add("no_deviation", &[8], normal(7, 2, 0.0), "a −0 that becomes +0"),
        add("subnormal_deviation", &[9], normal(7, 2, 1e-39), "flushed subnormals").bits_only(),
    ]
}
