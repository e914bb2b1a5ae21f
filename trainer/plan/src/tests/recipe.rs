use super::*;
use crate::recipe::{RecipeError, parse, set};
use crate::semantics::Semantics;
use contract::claim::Claim;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const TEXT: &str = include_str!("../../../../suite/recipes/dense-ieee.yaml");

fn refused(from: &str, to: &str) -> RecipeError {
    let at = TEXT.find(from).unwrap_or_else(|| panic!("the recipe has no `{from}`"));
    // A key with its colon stands for the whole rest of its line.
    let length = if from.ends_with(": ") { TEXT[at..].find('\n').expect("a line ends") } else { from.len() };
    let text = format!("{}{to}{}", &TEXT[..at], &TEXT[at + length..]);
    parse(&text, Path::new("dense-ieee.yaml")).expect_err(to)
}

#[test]
fn an_unknown_key_names_its_line_and_the_nearest_key() {
    let expected = TEXT.lines().position(|line| line.contains("query_heads:")).expect("the key exists") + 1;
    match refused("query_heads:", "query_head:") {
        RecipeError::Parse { nearest, line, column, .. } => {
            assert_eq!((nearest.as_deref(), line, column), (Some("query_heads"), Some(expected), Some(5)));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_value_of_another_type_and_a_value_twice_name_their_place() {
    let error = refused("layers: ", "layers: four");
    assert!(matches!(&error, RecipeError::Parse { line: Some(11), nearest: None, .. }), "{error}");
    assert!(error.to_string().contains("semantics.model.layers"), "{error}");
    let error = refused("    layers: 4\n", "    layers: 4\n    layers: 5\n");
    assert!(error.to_string().contains("duplicate"), "{error}");
}

#[test]
fn values_out_of_range_name_their_key_what_was_found_and_what_was_expected() {
    for (from, to, key, expected) in [
        ("dropout: ", "dropout: 1.0", "semantics.model.dropout", "less than 1"),
        ("init_std: ", "init_std: .inf", "semantics.model.init_std", "finite"),
        ("init_std: ", "init_std: .nan", "semantics.model.init_std", "positive"),
        ("kv_heads: ", "kv_heads: 3", "semantics.model.kv_heads", "a divisor of query_heads (4)"),
        ("row_tokens: ", "row_tokens: 130", "semantics.data.row_tokens", "multiple of 128"),
        ("leaves: ", "leaves: 6", "semantics.data.leaves", "a power of two"),
        ("initial: ", "initial: 1000.0", "semantics.optimizer.scaler.initial", "a power of two"),
        ("warmup: ", "warmup: 1000", "semantics.optimizer.schedule.warmup", "less than `total`"),
        ("    width: ", "    width: 0", "semantics.model.width", "1 to"),
        ("peak: ", "peak: .inf", "semantics.optimizer.schedule.peak", "finite"),
    ] {
        let error = refused(from, to);
        assert!(matches!(error, RecipeError::Invalid { .. }), "{to}: {error}");
        let text = error.to_string();
        let found = to.split_once(": ").expect("KEY: VALUE").1.trim_start_matches('.');
        let number = found.trim_end_matches(".0").to_lowercase();
        assert!(text.contains(key) && text.contains(expected) && text.to_lowercase().contains(&number), "{to}: {text}");
    }
}

#[test]
fn the_name_is_the_stem_of_the_file() {
    let error = parse(TEXT, Path::new("other.yaml")).expect_err("another stem");
    assert!(matches!(error, RecipeError::Name { .. }), "{error}");
}

#[test]
fn overrides_reach_nested_keys_and_refuse_unknown_ones() {
    let mut recipe = recipe("dense-ieee");
    let given =
        BTreeMap::from([("checkpoint.every".to_owned(), Value::from(3)), ("threads".to_owned(), Value::from(7))]);
    set(&mut recipe, &given).expect("both exist");
    assert_eq!((recipe.execution.checkpoint.every, recipe.execution.threads), (3, 7));
    for (key, value, near) in [
        ("checkpoint.evry", Value::from(1), Some("every")),
        ("thread", Value::from(1), Some("threads")),
        ("recompute", Value::from("ful"), Some("full")),
        ("threads", Value::from("many"), None),
    ] {
        let error = set(&mut recipe, &BTreeMap::from([(key.to_owned(), value)])).expect_err(key);
        match &error {
            RecipeError::Set { nearest, .. } => assert_eq!(nearest.as_deref(), near, "{error}"),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn the_digest_depends_on_semantics_only() {
    let plain = recipe("dense-ieee");
    let mut other = plain.clone();
    other.name = "another".to_owned();
    other.about = "Something else.".to_owned();
    other.claims = vec![Claim::Repeat];
    other.execution.threads += 1;
    other.execution.recompute = Recompute::Full;
    other.execution.checkpoint.every += 1;
    other.observe.steps = Some((1, 2));
    assert_eq!(plain.digest(), other.digest());
}

/// Dotted paths of all numbers, words and switches below `value`.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| leaves(value, &format!("{path}/{key}"), found)),
        Value::Array(items) => {
            (0..).zip(items).for_each(|(index, value): (usize, _)| leaves(value, &format!("{path}/{index}"), found));
        }
        _ => found.push(path.to_owned()),
    }
}

/// Another value that the key can have, if there is one.
fn changed(tree: &Value, path: &str) -> Option<Semantics> {
    const WORDS: [&str; 10] =
        ["hopper", "swiglu", "squared_relu", "bf16", "bf16_leaf", "parameters", "ema", "wsd", "elsewhere", "another"];
    let old = tree.pointer(path).expect("a path of the tree");
    let candidates: Vec<Value> = match old {
        Value::Bool(switch) => vec![Value::Bool(!switch)],
        Value::Number(number) if number.is_u64() => vec![Value::from(number.as_u64().expect("checked") + 1)],
        Value::Number(number) => vec![Value::from(number.as_f64().expect("a number") * 2.0)],
        _ => WORDS.iter().filter(|word| old != **word).map(|word| Value::from(*word)).collect(),
    };
    candidates.into_iter().find_map(|candidate| {
        let mut other = tree.clone();
        *other.pointer_mut(path).expect("a path of the tree") = candidate;
        serde_json::from_value(other).ok()
    })
}

#[test]
fn every_key_of_semantics_changes_the_digest() {
    let plain = recipe("dense-ieee");
    let tree = serde_json::to_value(&plain.semantics).expect("plain data");
    let mut paths = Vec::new();
    leaves(&tree, "", &mut paths);
    assert!(paths.len() > 45, "{paths:?}");
    let mut fixed = Vec::new();
    for path in &paths {
        let Some(semantics) = changed(&tree, path) else {
            fixed.push(path.as_str());
            continue;
        };
        let other = Recipe { semantics, ..plain.clone() };
        assert_ne!(plain.digest(), other.digest(), "{path}");
    }
    assert_eq!(fixed, [""; 0], "a key with a single value");
}

#[test]
fn only_fp16_may_overflow_at_a_step_that_is_not_declared() {
    for (name, undeclared) in [("dense-bf16-ieee", false), ("dense-hopper", false), ("dense-fp16-hopper", true)] {
        let semantics = recipe(name).semantics;
        for step in 0..semantics.steps {
            let declared = semantics.optimizer.overflow_steps.contains(&step);
            assert_eq!(semantics.may_overflow(step), declared || undeclared, "{name}, step {step}");
        }
    }
}
