//! The list of planted faults. `suite/mustpass/faults.txt` is the committed list that it must equal.

use crate::cursor::{ResumesAt, SavesProducer, SavesReported};
use crate::saves::{Overwrites, Reordered};
use crate::state::{Changed, Chooses, FirstAgain, ReadsLive};
use crate::steps::{EvaluationDraws, MeanOfMeans, SwitchesIgnored};
use crate::{Fault, plant, saves, state};
use contract::verdict::Verdict;

/// Every planted fault, in the order of its ids.
#[must_use]
pub fn catalogue() -> Vec<Fault> {
    let mut all: Vec<Fault> = Vec::new();
    all.extend(kernels());
    all.extend(orders());
    all.extend(data_and_state());
    all.extend(storage());
    all.extend(own());
    all.sort_by_key(|fault| fault.id);
    all
}

/// Orders of addition inside a kernel.
fn kernels() -> [Fault; 9] {
    [
        Fault {
            id: "F001",
            title: "embedding gradients are added in the order in which tasks end",
            seen_in: "Megatron 28802670f9, bbc6dc11ec",
            trial: "end_to_end::repeat",
            verdict: Verdict::Nondeterministic,
            place: "embedding_backward",
            policies: |policies| plant::variant(policies, "embedding_backward", "completion_order"),
        },
        Fault {
            id: "F013",
            title: "partial sums of logsumexp are joined in the order in which tasks end",
            seen_in: "Megatron, fused cross-entropy",
            trial: "kernel::cross_entropy::repeat",
            verdict: Verdict::Nondeterministic,
            place: "cross_entropy",
            policies: |policies| plant::variant(policies, "cross_entropy", "completion_order"),
        },
        Fault {
            id: "F015",
            title: "the K-block of a product depends on the size of the batch",
            seen_in: "batch_invariant_ops, torchtitan bitwise_parity.md",
            trial: "module::mlp_block_swiglu::neutral::micro_batch",
            verdict: Verdict::NotNeutral,
            place: "layers.0.mlp",
            policies: |policies| plant::variant(policies, "matmul", "blocks_per_batch"),
        },
        Fault {
            id: "F016",
            title: "the algorithm of a product is chosen by a measured time",
            seen_in: "pytorch 2831, cuDNN",
            trial: "kernel::matmul::repeat",
            verdict: Verdict::Nondeterministic,
            place: "matmul",
            policies: |policies| plant::variant(policies, "matmul", "timed_algorithm"),
        },
        Fault {
            id: "F065",
            title: "initial values are drawn with a seed for each number of workers",
            seen_in: "torchtitan debugging.md, Automodel 2939",
            trial: "kernel::init::repeat",
            verdict: Verdict::Nondeterministic,
            place: "init",
            policies: |policies| plant::variant(policies, "init", "seeded_by_workers"),
        },
        Fault {
            id: "F081",
            title: "every parameter gets the weight decay of the first group",
            seen_in: "DeepSpeed 8171",
            trial: "kernel::adamw::reference",
            verdict: Verdict::Wrong,
            place: "adamw",
            policies: |policies| plant::variant(policies, "adamw", "first_group"),
        },
        Fault {
            id: "F089",
            title: "the table of the rotary embedding is cast to bf16 with the model",
            seen_in: "Automodel 2549, torchtitan cast_forward_inputs",
            trial: "kernel::rope::reference",
            verdict: Verdict::Wrong,
            place: "rope",
            policies: |policies| plant::variant(policies, "rope", "table_in_bf16"),
        },
        Fault {
            id: "F017",
            title: "the block of a sum is chosen by a measured time",
            seen_in: "Megatron 6966, triton 9368, vllm 42425",
            trial: "kernel::rmsnorm::repeat",
            verdict: Verdict::Nondeterministic,
            place: "rmsnorm",
            policies: |policies| plant::variant(policies, "rmsnorm", "timed_blocks"),
        },
        Fault {
            id: "F022",
            title: "one element of scratch is read before it is written",
            seen_in: "pytorch 193317, Megatron 7093",
            trial: "kernel::rmsnorm::repeat",
            verdict: Verdict::Nondeterministic,
            place: "rmsnorm",
            policies: |policies| plant::variant(policies, "rmsnorm", "reads_scratch"),
        },
    ]
}

/// Orders and switches above the kernels.
fn orders() -> [Fault; 5] {
    [
        Fault {
            id: "F035",
            title: "gradients are reduced in the order of a hash set",
            seen_in: "Megatron 2218",
            trial: "end_to_end::repeat",
            verdict: Verdict::Nondeterministic,
            place: "leaf_reduce",
            policies: |policies| plant::rewrite(policies, plant::reduce_in_hash_order),
        },
        Fault {
            id: "F048",
            title: "the loss is a mean of the means of micro-batches",
            seen_in: "transformers 34191, mlx-lm 1413",
            trial: "module::head_loss::neutral::micro_batch",
            verdict: Verdict::NotNeutral,
            place: "tensor target_count",
            policies: |policies| plant::step(policies, MeanOfMeans),
        },
        Fault {
            id: "F063",
            title: "a warm-up draws from the random streams of training",
            seen_in: "Megatron ed28045bbc, TransformerEngine 216",
            trial: "end_to_end::golden",
            verdict: Verdict::Drift,
            place: "scalar grad_norm",
            policies: |policies| plant::rewrite(policies, plant::draws_once_more),
        },
        Fault {
            id: "F066",
            title: "an evaluation draws from the random stream of training",
            seen_in: "pytorch 12935, transgenic 59",
            trial: "end_to_end::neutral::eval_cadence",
            verdict: Verdict::NotNeutral,
            place: "tensor position",
            policies: |policies| plant::step(policies, EvaluationDraws),
        },
        Fault {
            id: "F110",
            title: "the switch for recomputation is read and ignored",
            seen_in: "the class of pairs that are the same run twice",
            trial: "module::attention_block::neutral::recompute_full",
            verdict: Verdict::Invalid,
            place: "nodes_recomputed",
            policies: |policies| plant::step(policies, SwitchesIgnored),
        },
    ]
}

/// Positions and states that a resumed run does not get back.
fn data_and_state() -> [Fault; 18] {
    let resume = |id, title, seen_in, place, policies| Fault {
        id,
        title,
        seen_in,
        trial: "module::data_pipeline::resume::steps",
        verdict: Verdict::ResumeBreak,
        place,
        policies,
    };
    let restored = |id, title, seen_in, place, policies| Fault {
        trial: "module::optimizer_step::resume::steps",
        ..resume(id, title, seen_in, place, policies)
    };
    let census = |id, title, seen_in, place, policies| Fault {
        id,
        title,
        seen_in,
        trial: "end_to_end::census",
        verdict: Verdict::CensusGap,
        place,
        policies,
    };
    [
        census(
            "F024",
            "padding behind a bucket is saved as it is in memory",
            "Megatron 6743",
            "optimizer/bucket_padding",
            |policies| plant::state(policies, Changed { saved: state::with_padding, loaded: state::without_padding }),
        ),
        restored(
            "F061",
            "moments that are lost on load get their default",
            "MaxText fbb35123a",
            "_moment/",
            |policies| plant::state(policies, Changed { saved: state::as_is, loaded: state::moments_by_default }),
        ),
        resume("F068", "the epoch is lost on load", "accelerate 4071, 2016", "data/epoch", |policies| {
            plant::cursor(policies, ResumesAt(|saved| saved.step_in_epoch))
        }),
        resume("F069", "the rest of the epoch is lost on load", "torchtitan 3008", "data/epoch", |policies| {
            plant::cursor(policies, ResumesAt(|saved| saved.step - saved.step_in_epoch + saved.steps_in_epoch))
        }),
        resume(
            "F071",
            "the position is saved before every worker has reported one",
            "torchdata 1251, 1439, 1515",
            "data/next_batch_digest",
            |policies| plant::cursor(policies, SavesReported::default()),
        ),
        resume(
            "F072",
            "a resumed position is rounded down",
            "streaming 700, 750, 301",
            "data/next_batch_digest",
            |policies| plant::cursor(policies, ResumesAt(|saved| saved.step / 2 * 2)),
        ),
        resume(
            "F075",
            "the position in the data is not saved at all",
            "Bridge 4521, 3503",
            "data/next_batch_digest",
            |policies| plant::cursor(policies, ResumesAt(|_| 0)),
        ),
        resume(
            "F076",
            "the position of prefetch is saved, not that of training",
            "TorchSpec 43",
            "data/epoch",
            |policies| plant::cursor(policies, SavesProducer),
        ),
        restored(
            "F077",
            "the count of applied steps is not restored, and the bias correction starts again",
            "TransformerEngine 1986",
            "optimizer/",
            |policies| plant::state(policies, Changed { saved: state::as_is, loaded: state::steps_from_zero }),
        ),
        restored(
            "F079",
            "parameters are loaded and nothing else",
            "Bridge 3832, AReaL 1468",
            "optimizer/",
            |policies| plant::state(policies, Changed { saved: state::as_is, loaded: state::params_only }),
        ),
        census(
            "F094",
            "the end of each moment is restored as zeros, by an offset that forgets padding",
            "Megatron 5077",
            "optimizer.safetensors",
            |policies| plant::state(policies, Changed { saved: state::as_is, loaded: state::tails_lost }),
        ),
        census(
            "F096",
            "the file of a tied table has a header and no bytes",
            "torchtitan 3764, DeepSpeed 8226",
            "params/embedding.table",
            |policies| {
                plant::state(policies, Changed { saved: state::tied_table_empty, loaded: state::tied_table_zero })
            },
        ),
        restored(
            "F080",
            "the schedule is saved before its step",
            "Lightning 1772, allennlp 1650",
            "optimizer/applied_steps",
            |policies| plant::state(policies, Changed { saved: state::schedule_one_behind, loaded: state::as_saved }),
        ),
        restored(
            "F082",
            "the loss scale starts again on load",
            "deit 49, the_well 77",
            "optimizer/good_steps",
            |policies| plant::state(policies, Changed { saved: state::as_is, loaded: state::scaler_from_start }),
        ),
        census("F092", "every later checkpoint equals the first", "NeMo-RL 3312", "data/epoch", |policies| {
            plant::state(policies, FirstAgain::default())
        }),
        Fault {
            id: "F090",
            title: "an asynchronous save reads the live tensors while training goes on",
            seen_in: "torchtitan 930",
            trial: "module::optimizer_step::resume::asynchronous_save",
            verdict: Verdict::ResumeBreak,
            place: "_moment/",
            policies: |policies| plant::state(policies, ReadsLive::default()),
        },
        restored(
            "F104",
            "the checkpoint is ignored and training starts over",
            "silent fallback to a fresh state",
            "loaded",
            |policies| plant::save(plant::state(policies, Chooses(|_| None)), Overwrites),
        ),
        restored(
            "F105",
            "the oldest checkpoint is loaded, not the newest",
            "a wrong pointer after retention",
            "loaded",
            |policies| plant::save(plant::state(policies, Chooses(|complete| complete.first().cloned())), Overwrites),
        ),
    ]
}

/// Saves that do not survive.
fn storage() -> [Fault; 7] {
    let crash = |id, title, place, policies| Fault {
        id,
        title,
        seen_in: "torn files after power loss",
        trial: "module::optimizer_step::resume::crash_states",
        verdict: Verdict::ResumeBreak,
        place,
        policies,
    };
    [
        Fault {
            id: "F093",
            title: "a save is written in place and named from its start, without a sync or a rename",
            seen_in: "Automodel 3261, nanochat 336, DeepSpeed 7613",
            trial: "module::optimizer_step::resume::save",
            verdict: Verdict::ResumeBreak,
            place: "step-0000",
            policies: |policies| plant::save(policies, Reordered { steps: saves::in_place, kept: None }),
        },
        crash("F106", "the files of a save are not synced", "manifest.json", |policies| {
            plant::save(policies, Reordered { steps: saves::without_file_syncs, kept: None })
        }),
        crash("F107", "the folders of a save are not synced", "holds no save", |policies| {
            plant::save(policies, Reordered { steps: saves::without_directory_syncs, kept: None })
        }),
        crash("F108", "a save gets its name before its files are synced", "manifest.json", |policies| {
            plant::save(policies, Reordered { steps: saves::rename_before_sync, kept: None })
        }),
        crash("F109", "the previous save is removed before the new one is committed", "step-00000001", |policies| {
            plant::save(policies, Reordered { steps: saves::remove_first, kept: Some(1) })
        }),
        crash("L010", "the pointer to the newest save is not synced", "latest.json", |policies| {
            plant::save(policies, Reordered { steps: saves::without_pointer_sync, kept: None })
        }),
        crash("L011", "one sync is missing: the one after a save gets its name", "step-00000002", |policies| {
            plant::save(policies, Reordered { steps: saves::without_publication_sync, kept: None })
        }),
    ]
}

/// Faults of our own: none of them is in the public list, and each is of a kind that is easy to make.
fn own() -> [Fault; 11] {
    let wrong = |id, title, trial, place, policies| Fault {
        id,
        title,
        seen_in: "our own",
        trial,
        verdict: Verdict::Wrong,
        place,
        policies,
    };
    [
        wrong(
            "L001",
            "the dropout mask is missing in the backward pass",
            "kernel::dropout::reference",
            "dropout_backward",
            |policies| plant::variant(policies, "dropout_backward", "without_mask"),
        ),
        wrong("L002", "a gradient is accumulated twice", "kernel::accumulate::reference", "accumulate", |policies| {
            plant::variant(policies, "accumulate", "adds_twice")
        }),
        wrong("L003", "the average moves in a step that is skipped", "kernel::ema::reference", "ema", |policies| {
            plant::variant(policies, "ema", "ignores_skip")
        }),
        wrong("L004", "parameters move in a step that is skipped", "kernel::adamw::reference", "adamw", |policies| {
            plant::variant(policies, "adamw", "ignores_skip")
        }),
        wrong(
            "L005",
            "positions of the rotary embedding are off by one",
            "kernel::rope::reference",
            "rope",
            |policies| plant::variant(policies, "rope", "next_position"),
        ),
        Fault {
            id: "L006",
            title: "the plan adds one gradient a second time",
            seen_in: "our own",
            trial: "module::attention_block::neutral::micro_batch",
            verdict: Verdict::NotNeutral,
            place: "layers.0.attention.norm",
            policies: |policies| plant::rewrite(policies, plant::accumulate_again),
        },
        Fault {
            id: "L007",
            title: "the averages are left out of the state",
            seen_in: "our own",
            trial: "end_to_end::census",
            verdict: Verdict::CensusGap,
            place: "optimizer/average/",
            policies: |policies| {
                plant::state(policies, Changed { saved: state::without_averages, loaded: state::fill_missing })
            },
        },
        Fault {
            id: "L008",
            title: "a resumed run has the order of the next epoch",
            seen_in: "our own",
            trial: "module::data_pipeline::resume::steps",
            verdict: Verdict::ResumeBreak,
            place: "data/epoch",
            policies: |policies| plant::cursor(policies, ResumesAt(|saved| saved.step + saved.steps_in_epoch)),
        },
        Fault {
            id: "L009",
            title: "a sum of squares has one partial for each thread",
            seen_in: "our own",
            trial: "kernel::global_norm::repeat",
            verdict: Verdict::Nondeterministic,
            place: "global_norm_squares",
            policies: |policies| plant::variant(policies, "global_norm_squares", "partials_per_thread"),
        },
        Fault {
            id: "L012",
            title: "a constant of a norm is off by one unit in the last place",
            seen_in: "our own",
            trial: "kernel::rmsnorm::golden",
            verdict: Verdict::Drift,
            place: "rmsnorm",
            policies: |policies| plant::variant(policies, "rmsnorm", "epsilon_plus_one_ulp"),
        },
        Fault {
            id: "L013",
            title: "the seed is ignored for one parameter",
            seen_in: "our own",
            trial: "end_to_end::golden",
            verdict: Verdict::Drift,
            place: "scalar grad_norm",
            policies: |policies| plant::rewrite(policies, plant::seed_ignored),
        },
    ]
}
