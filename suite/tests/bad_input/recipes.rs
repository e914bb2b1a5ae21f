//! Recipes and parts that are not valid.

use crate::{RECIPE, Room, lockstep};

fn line_of(key: &str) -> usize {
    RECIPE.lines().position(|line| line.contains(key)).expect("the key is in the recipe") + 1
}

#[test]
fn a_misspelt_key_is_shown_in_its_line_with_the_nearest_key() {
    let room = Room::new();
    let recipe = room.recipe("typo", &[("query_heads:", "query_haeds:")]);
    let place = format!("typo.yaml:{}:5]", line_of("query_heads:"));
    let ended = room.train("run", &["--recipe", &recipe]);
    ended.refused(30, &["unknown field `query_haeds`", &place, "did you mean `query_heads`?", "query_haeds: 4"]);
    let place = format!("╰── line {}, column 5", line_of("query_heads:"));
    let under = ended.stderr.lines().skip_while(|line| !line.contains("query_haeds: 4")).nth(2);
    assert!(under.is_some_and(|line| line.contains(&place)), "the place is pointed at: {}", ended.stderr);
    room.untouched("run");
}

#[test]
fn a_misspelt_word_names_the_nearest_word() {
    let room = Room::new();
    let recipe = room.recipe("word", &[("storage: ", "storage: bf61")]);
    room.train("run", &["--recipe", &recipe]).refused(30, &["unknown variant `bf61`", "did you mean `bf16`?"]);
    let recipe = room.recipe("profile", &[("profile: ", "profile: hoper")]);
    room.train("run", &["--recipe", &recipe]).refused(30, &["unknown variant `hoper`", "did you mean `hopper`?"]);
}

#[test]
fn a_value_of_another_type_is_shown_in_its_line() {
    let room = Room::new();
    let recipe = room.recipe("kind", &[("    width: ", "    width: wide")]);
    let place = format!("kind.yaml:{}:12]", line_of("    width:"));
    room.train("run", &["--recipe", &recipe])
        .refused(30, &["semantics.model.width", "\"wide\"", "usize", &place, "help"]);
}

#[test]
fn a_missing_key_is_named() {
    let room = Room::new();
    let recipe = room.recipe("missing", &[("    layers: 4\n", "")]);
    room.train("run", &["--recipe", &recipe]).refused(30, &["missing field `layers`", "missing.yaml"]);
}

#[test]
fn values_out_of_range_and_sizes_that_do_not_divide_name_key_found_and_expected() {
    let room = Room::new();
    for (from, to, texts) in [
        ("profile: ", "profile: hopper", ["semantics.precision.storage` is f32", "bf16 or fp16: `profile: hopper`"]),
        ("dropout: ", "dropout: 1.5", ["semantics.model.dropout` is 1.5", "less than 1"]),
        ("kv_heads: ", "kv_heads: 3", ["semantics.model.kv_heads` is 3", "a divisor of query_heads (4)"]),
        ("row_tokens: ", "row_tokens: 200", ["semantics.data.row_tokens` is 200", "multiple of 128"]),
        ("leaves: ", "leaves: 3", ["semantics.data.leaves` is 3", "a power of two"]),
        ("  steps: ", "  steps: 0", ["semantics.steps` is 0", "at least 1"]),
        (
            "micro_batch_units: 4",
            "micro_batch_units: 3",
            ["execution.micro_batch_units` is 3", "divisor of the 8 units"],
        ),
        ("prefetch_depth: ", "prefetch_depth: 1", ["execution.prefetch_depth` is 1", "at least 2"]),
        ("threads: ", "threads: 0", ["execution.threads` is 0", "1 to 256"]),
        ("keep: ", "keep: 1", ["execution.checkpoint.keep` is 1", "at least 2"]),
    ] {
        let recipe = room.recipe("range", &[(from, to)]);
        room.train("run", &["--recipe", &recipe]).refused(30, &texts);
        room.untouched("run");
    }
}

#[test]
fn a_model_larger_than_the_machine_is_an_error_and_not_the_end_of_the_process() {
    let room = Room::new();
    let recipe = room.recipe("huge", &[("mlp_width: ", "mlp_width: 16000000"), ("    width: ", "    width: 65536")]);
    room.train("run", &["--recipe", &recipe]).refused(30, &["bytes of memory", "execution.micro_batch_units"]);
    room.untouched("run");
}

#[test]
fn an_unknown_recipe_names_the_nearest_and_all_that_exist() {
    let room = Room::new();
    let texts = ["`dense-iee`", "Did you mean `dense-ieee`?", "dense-text", "lockstep recipes"];
    for command in [["train", "--recipe"], ["plan", "--recipe"], ["describe", "--recipe"]] {
        lockstep([command[0], command[1], "dense-iee"]).refused(30, &texts);
    }
    room.train("run", &["--recipe", "no/such/file.yaml"]).refused(30, &["no/such/file.yaml", "No such file"]);
}

#[test]
fn a_recipe_is_called_like_its_file() {
    let room = Room::new();
    let recipe = room.recipe("right", &[("name: ", "name: wrong")]);
    room.train("run", &["--recipe", &recipe]).refused(30, &["`wrong`", "expected the file's stem, `right`"]);
}

#[test]
fn an_unknown_part_names_the_nearest() {
    let room = Room::new();
    let train = |part| room.train("run", &["--recipe", "dense-ieee", "--part", part]);
    train("module/attention_blok").refused(30, &["Did you mean `module/attention_block`?", "end_to_end"]);
    train("kernel/rmsnrm").refused(30, &["Did you mean `rmsnorm`?", "swiglu_matmul"]);
    train("nonsense").refused(2, &["`nonsense` is no part", "module/NAME"]);
    room.untouched("run");
}

#[test]
fn an_override_of_an_unknown_key_names_the_nearest() {
    let room = Room::new();
    let train = |set| room.train("run", &["--recipe", "dense-ieee", "--set", set]);
    train("thread=1").refused(30, &["--set thread:", "Did you mean `threads`?"]);
    train("checkpoint.evry=1").refused(30, &["--set checkpoint.evry:", "Did you mean `every`?"]);
    train("recompute=ful").refused(30, &["--set recompute:", "Did you mean `full`?"]);
    train("threads=many").refused(30, &["--set threads:", "\"many\"", "u32"]);
    train("threads").refused(30, &["--set threads:", "no `=`", "KEY=VALUE"]);
    room.untouched("run");
}
