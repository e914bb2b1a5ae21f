//! That `check` records tell a right variant and a right plan from wrong ones.

use super::*;
use library::registry::Registry;
use library::room::{Call, ValueId, Variant};
use library::tensor::Dtype;
use plan::passes::mutate::Mutations;
use plan::{Node, Plan};

/// The worst check of a part, in thousandths of the bound.
fn worst(part: &str, policies: &Policies) -> u64 {
    let room = Room::new();
    let mut request = room.request("run", part);
    request.check = true;
    let checks = records(&run(&request, false, policies)).into_iter().filter_map(|record| match record.body {
        Body::Check { worst_thousandths, elements, .. } => {
            assert!(elements > 0, "a check of nothing");
            Some(worst_thousandths)
        }
        _ => None,
    });
    checks.max().expect("the part was checked")
}

pub fn planted(kernel: &str, run: Run) -> Policies {
    let registry = Registry::standard().with_variant(kernel, Variant { name: "wrong", run });
    let variants = vec![(kernel.to_owned(), "wrong".to_owned())];
    Policies { registry, mutations: Mutations { variants, ..Mutations::default() }, ..Policies::standard() }
}

/// The reference of a kernel, and one percent more in the first element of its first fp32 output.
pub fn one_percent_more(kernel: &str, call: &mut Call<'_, '_>) {
    let registry = Registry::standard();
    (registry.kernel(kernel).expect("a kernel").reference().run)(call);
    let first = call.outputs.iter_mut().find(|output| output.spec.dtype == Dtype::F32 && output.bytes.len() >= 4);
    if let Some(output) = first {
        let bytes: [u8; 4] = output.bytes[..4].try_into().expect("four bytes");
        let more = f32::from_le_bytes(bytes) * 1.01 + 0.01;
        output.bytes[..4].copy_from_slice(&more.to_le_bytes());
    }
}

pub type Run = fn(&mut Call<'_, '_>);

#[test]
fn a_wrong_variant_exceeds_the_bound_and_the_right_ones_do_not() {
    let wrong: [(&str, Run); 4] = [
        ("rmsnorm", |call| one_percent_more("rmsnorm", call)),
        ("matmul", |call| one_percent_more("matmul", call)),
        ("swiglu", |call| one_percent_more("swiglu", call)),
        ("clip", |call| one_percent_more("clip", call)),
    ];
    for (kernel, run) in wrong {
        let part = format!("kernel/{kernel}");
        let (right, wrong) = (worst(&part, &Policies::standard()), worst(&part, &planted(kernel, run)));
        assert!(right <= 1000, "{part}: {right}");
        assert!(wrong > 1000, "{part}: {wrong}");
    }
}

fn rewritten(rewrite: fn(&mut Plan) -> usize) -> Policies {
    let mutations = Mutations { rewrites: vec![rewrite], ..Mutations::default() };
    Policies { mutations, ..Policies::standard() }
}

/// Drops the accumulation of one parameter's gradient.
fn lost(plan: &mut Plan) -> usize {
    let body = plan.templates.iter_mut().find(|template| template.name == "body").expect("body");
    let before = body.nodes.len();
    body.nodes.retain(|node| !(node.kernel == "accumulate" && node.module == "layers.0.attention.norm"));
    before - body.nodes.len()
}

/// Adds one parameter's gradient to itself before it is accumulated.
fn doubled(plan: &mut Plan) -> usize {
    let body = plan.templates.iter_mut().find(|template| template.name == "body").expect("body");
    let at =
        body.nodes.iter().position(|node| node.kernel == "accumulate" && node.module == "layers.0.attention.output");
    let Some(at) = at else { return 0 };
    let gradient = body.nodes[at].inputs[0];
    let sum = ValueId(plan.values.len());
    plan.values.push(plan.values[gradient.0].clone());
    let kernel = Registry::standard().kernel("grad_add").copied().expect("a kernel");
    let add = Node {
        id: "layers.0.attention.output/grad_add/backward".to_owned(),
        kernel: kernel.name.to_owned(),
        contract: kernel.contract.to_owned(),
        variant: kernel.reference().name.to_owned(),
        attributes: serde_json::json!({}),
        inputs: vec![gradient, gradient],
        outputs: vec![sum],
        in_place: 0,
        ..body.nodes[at].clone()
    };
    body.nodes[at].inputs[0] = sum;
    body.nodes.insert(at, add);
    1
}

#[test]
fn a_gradient_that_is_lost_or_doubled_between_rooms_exceeds_the_bound() {
    let part = "module/attention_block";
    let right = worst(part, &Policies::standard());
    assert!(right <= 1000, "{right}");
    for (name, rewrite) in [("lost", lost as fn(&mut Plan) -> usize), ("doubled", doubled)] {
        let wrong = worst(part, &rewritten(rewrite));
        assert!(wrong > 1000, "{name}: {wrong}");
    }
}
