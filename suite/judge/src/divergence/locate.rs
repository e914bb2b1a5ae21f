//! Finds the first divergence among the records of one step.

use super::{Divergence, Kind};
use crate::overwrite;
use crate::steps::{Key, Step, Value, item};
use contract::record::{Body, Record, Role, TensorRecord};
use std::collections::BTreeMap;

/// How records of two runs are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alignment {
    /// Record by record; the two runs walked one plan.
    Exact,
    /// By node, tensor, role and occurrence; records of one side only are passed over, variants may differ.
    ByName,
    /// By phase, module, tensor and occurrence: the two runs compute the same things with other kernels and in other
    /// dtypes. Only what a node wrote can differ; another dtype is a difference.
    ByPlace,
}

/// The records of one rank and one step on both sides.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub left: &'a [&'a Record],
    pub right: &'a [&'a Record],
    pub rank: u32,
}

/// The first divergence of one rank in one step.
pub(crate) fn first(sides: Sides<'_>, alignment: Alignment) -> Option<Divergence> {
    let pairs = match alignment {
        Alignment::Exact => (0..sides.left.len().min(sides.right.len())).map(|place| (place, place)).collect(),
        Alignment::ByName | Alignment::ByPlace => aligned(sides, alignment),
    };
    for (index, &(l, r)) in pairs.iter().enumerate() {
        let (left, right) = (sides.left[l], sides.right[r]);
        if alignment == Alignment::Exact && identity(left) != identity(right) {
            return Some(order(left, right, sides.rank));
        }
        if let Some((kind, what)) = difference(left, right, alignment) {
            let found = describe(sides, &pairs, index, kind, what);
            return Some(match (&left.body, &right.body) {
                (Body::Tensor(a), Body::Tensor(b)) if alignment == Alignment::ByPlace => {
                    Divergence { cause: other_arithmetic(a, b).unwrap_or(found.cause), ..found }
                }
                _ => found,
            });
        }
    }
    if alignment != Alignment::Exact || sides.left.len() == sides.right.len() {
        return None;
    }
    let place = pairs.len();
    let (left, right) = (sides.left.get(place).copied(), sides.right.get(place).copied());
    let mut divergence = blank(Kind::Missing, left.or(right)?, sides.rank);
    divergence.left = side_text(left);
    divergence.right = side_text(right);
    divergence.cause = "one side recorded more than the other".to_owned();
    Some(divergence)
}

fn side_text(record: Option<&Record>) -> String {
    record.map_or_else(|| "absent".to_owned(), value_text)
}

fn aligned(sides: Sides<'_>, alignment: Alignment) -> Vec<(usize, usize)> {
    let by_place = alignment == Alignment::ByPlace;
    let keys = |records: &[&Record]| {
        let mut seen: BTreeMap<(String, String, String, Role), u64> = BTreeMap::new();
        let mut keys = Vec::new();
        for (place, record) in records.iter().enumerate() {
            if let Body::Tensor(tensor) = &record.body {
                let (phase, owner) =
                    if by_place { (record.phase.as_str(), &tensor.module) } else { ("", &tensor.node) };
                let name = (phase.to_owned(), owner.clone(), tensor.tensor.clone(), tensor.role);
                let count = seen.entry(name.clone()).or_default();
                keys.push(((name, *count), place));
                *count += 1;
            }
        }
        keys
    };
    let right: BTreeMap<_, _> = keys(sides.right).into_iter().collect();
    let pair = |(key, place)| right.get(&key).map(|other| (place, *other));
    let comparable = |(l, r): &(usize, usize)| match (&sides.left[*l].body, &sides.right[*r].body) {
        // Another split of the work gives a node other shapes: such records say nothing about each other.
        (Body::Tensor(a), Body::Tensor(b)) => (by_place || a.dtype == b.dtype) && a.shape == b.shape,
        _ => false,
    };
    keys(sides.left).into_iter().filter_map(pair).filter(comparable).collect()
}

/// What makes two records the same event of one plan.
fn identity(record: &Record) -> (u64, &str, u8, &str, &str, Option<Role>) {
    let (step, phase) = (record.step, record.phase.as_str());
    match &record.body {
        Body::Tensor(tensor) => (step, phase, 0, &tensor.node, &tensor.tensor, Some(tensor.role)),
        Body::State { leaf, .. } => (step, phase, 1, leaf, "", None),
        Body::Scalar { name, .. } => (step, phase, 2, name, "", None),
        Body::Event { name, detail } => (step, phase, 3, name, detail, None),
        Body::Check { name, .. } => (step, phase, 4, name, "", None),
        Body::End { .. } => (step, phase, 5, "", "", None),
    }
}

fn difference(left: &Record, right: &Record, alignment: Alignment) -> Option<(Kind, String)> {
    match (&left.body, &right.body) {
        (a, b) if a == b => None,
        (Body::Tensor(a), _) if alignment == Alignment::ByPlace && a.role == Role::In => None,
        (Body::Tensor(a), Body::Tensor(b)) => {
            let kind = if a.role == Role::In { Kind::Input } else { Kind::Output };
            if a.fingerprint != b.fingerprint {
                return Some((kind, String::new()));
            }
            let fields = [
                ("dtype", a.dtype != b.dtype),
                ("shape", a.shape != b.shape),
                ("variant", a.variant != b.variant),
                ("contract", a.contract != b.contract),
                ("op", a.op != b.op),
                ("module", a.module != b.module),
                ("version", a.version != b.version),
            ];
            let field = fields.iter().find(|(_, differs)| *differs && alignment == Alignment::Exact);
            field.map(|(field, _)| (Kind::Description, (*field).to_owned()))
        }
        (Body::State { .. }, Body::State { .. }) => Some((Kind::State, String::new())),
        (Body::Scalar { .. }, Body::Scalar { .. }) => Some((Kind::Scalar, String::new())),
        _ => Some((Kind::Description, "content".to_owned())),
    }
}

fn order(left: &Record, right: &Record, rank: u32) -> Divergence {
    let mut divergence = blank(Kind::Order, left, rank);
    divergence.left = order_text(left);
    divergence.right = order_text(right);
    divergence.name.clone_from(&divergence.left);
    let ends = |record: &Record| matches!(record.body, Body::End { .. });
    divergence.cause = if ends(left) == ends(right) {
        "the order of execution is not fixed: a set without order, or whoever finishes first".to_owned()
    } else {
        "one run ends earlier than the other: another number of steps, or a run that was stopped".to_owned()
    };
    divergence
}

fn order_text(record: &Record) -> String {
    match &record.body {
        Body::Event { name, detail } => format!("{name} {detail}"),
        Body::Tensor(tensor) => format!("{} {}", tensor.node, tensor.tensor),
        Body::State { leaf, .. } => leaf.clone(),
        Body::Scalar { name, .. } | Body::Check { name, .. } => name.clone(),
        Body::End { .. } => "end".to_owned(),
    }
}

fn describe(sides: Sides<'_>, pairs: &[(usize, usize)], index: usize, kind: Kind, field: String) -> Divergence {
    let (l, r) = pairs[index];
    let (left, right) = (sides.left[l], sides.right[r]);
    let mut divergence = blank(kind, right, sides.rank);
    divergence.left = value_text(left);
    divergence.right = value_text(right);
    divergence.index = index_of(sides.left, l);
    let found = [(sides.left, l), (sides.right, r)].into_iter().find_map(|(s, at)| overwrite::at(s, at, sides.rank));
    if let (Kind::Input, Some(overwrite)) = (kind, found) {
        divergence.kind = Kind::Overwrite;
        divergence.cause = format!(
            "`{}` changed after `{}` wrote it and before `{}` read it: a race or an early reuse",
            overwrite.tensor, overwrite.producer, overwrite.consumer
        );
        divergence.producer = Some(overwrite.producer);
        divergence.inputs_equal = Some(false);
        return divergence;
    }
    if let (Body::Tensor(a), Body::Tensor(b)) = (&left.body, &right.body) {
        divergence.inputs_equal =
            if kind == Kind::Input { Some(false) } else { inputs_equal(sides, &pairs[..index], a, l) };
        divergence.cause = tensor_cause(kind, divergence.inputs_equal, &field, a, b);
        return divergence;
    }
    divergence.cause = cause(kind).to_owned();
    divergence
}

fn tensor_cause(kind: Kind, equal: Option<bool>, field: &str, a: &TensorRecord, b: &TensorRecord) -> String {
    match (kind, equal) {
        (Kind::Description, _) => match field {
            "variant" => {
                format!("variant `{}` ran instead of `{}`: chosen by time or environment", b.variant, a.variant)
            }
            field => format!("the bits are equal, the {field} is not: the two sides do not hold the same tensor"),
        },
        (Kind::Input, _) => "what the node read differs, and no recorded node wrote it: look one level deeper".into(),
        (_, Some(true)) => format!(
            "`{}` gave other bits for equal inputs: its order of addition, memory that nobody wrote, or a race",
            b.op
        ),
        _ => format!("`{}` or what it read: its inputs are not recorded on both sides", b.op),
    }
}

/// What tells two records of one place apart, when it is not the bits alone.
fn other_arithmetic(a: &TensorRecord, b: &TensorRecord) -> Option<String> {
    let fields = [("dtype", &a.dtype, &b.dtype), ("contract", &a.contract, &b.contract)];
    let differing = fields.into_iter().filter(|(_, a, b)| a != b);
    let found: Vec<String> = differing.map(|(what, a, b)| format!("another {what}: `{a}` and `{b}`")).collect();
    (!found.is_empty()).then(|| found.join("; "))
}

pub(super) const fn cause(kind: Kind) -> &'static str {
    match kind {
        Kind::State => "something in this step changed the leaf: record the step at level `op` to see which node",
        Kind::Scalar => "something in this step before the scalar: record the step at level `op` to see which node",
        Kind::Missing => "one side did not record it",
        _ => "the two sides do not say the same",
    }
}

/// Whether the inputs of the node instance that wrote `output`, the record at `place` on the left, are equal. `before`
/// are the matched records before it. `None` when one of them has no match: another split gives it another shape.
fn inputs_equal(sides: Sides<'_>, before: &[(usize, usize)], output: &TensorRecord, place: usize) -> Option<bool> {
    let (mut equal, mut matched) = (None, 0);
    for &(l, r) in before.iter().rev() {
        let (Body::Tensor(left), Body::Tensor(right)) = (&sides.left[l].body, &sides.right[r].body) else { break };
        if left.node != output.node || (left.role == Role::Out && equal.is_some()) {
            break;
        }
        if left.role == Role::In {
            equal = Some(equal.unwrap_or(true) && left.fingerprint == right.fingerprint);
            matched += 1;
        }
    }
    equal.filter(|equal| !equal || matched == inputs_before(sides.left, place, &output.node))
}

/// Inputs that were recorded for the instance of `node` whose output stands at `place`.
fn inputs_before(records: &[&Record], place: usize, node: &str) -> usize {
    let mut inputs = 0;
    for record in records[..place].iter().rev() {
        let Body::Tensor(tensor) = &record.body else { break };
        if tensor.node != node || (tensor.role == Role::Out && inputs > 0) {
            break;
        }
        inputs += usize::from(tensor.role == Role::In);
    }
    inputs
}

fn blank(kind: Kind, record: &Record, rank: u32) -> Divergence {
    let tensor = match &record.body {
        Body::Tensor(tensor) => Some(tensor),
        _ => None,
    };
    let field = |get: fn(&TensorRecord) -> &String| tensor.map(|tensor| get(tensor).clone());
    Divergence {
        kind,
        step: record.step,
        rank,
        phase: record.phase.clone(),
        node: field(|tensor| &tensor.node),
        module: field(|tensor| &tensor.module),
        op: field(|tensor| &tensor.op),
        contract: field(|tensor| &tensor.contract),
        variant: field(|tensor| &tensor.variant),
        name: tensor.map_or_else(|| order_text(record), |tensor| tensor.tensor.clone()),
        role: tensor.map(|tensor| tensor.role),
        index: None,
        dtype: tensor.map(|tensor| tensor.dtype.clone()),
        shape: tensor.map(|tensor| tensor.shape.clone()),
        inputs_equal: None,
        left: String::new(),
        right: String::new(),
        cause: String::new(),
        producer: None,
        elements: None,
    }
}

fn value_text(record: &Record) -> String {
    match item(record, Some(&mut BTreeMap::new())) {
        Some((_, value)) => value.to_string(),
        None => serde_json::to_string(&record.body).expect("a record always serialises"),
    }
}

/// The divergence of one value of a step; `None` stands for an absent side.
pub(crate) fn of_item(
    step: &Step,
    key: &Key,
    left: Option<&(Value, usize)>,
    right: Option<&(Value, usize)>,
) -> Divergence {
    let place = left.or(right).map(|(_, place)| *place).expect("at least one side holds the value");
    let (rank, record) = &step.records[place];
    let kind = match (left, right, key) {
        (None, _, _) | (_, None, _) => Kind::Missing,
        (Some(_), Some(_), Key::State(_)) => Kind::State,
        (Some(_), Some(_), Key::Scalar(_)) => Kind::Scalar,
        (Some((a, _)), Some((b, _)), Key::Tensor(..)) if a.bits == b.bits => Kind::Description,
        (Some(_), Some(_), Key::Tensor(_, _, Role::In, _)) => Kind::Input,
        (Some(_), Some(_), Key::Tensor(..)) => Kind::Output,
    };
    let mut divergence = blank(kind, record, *rank);
    let text = |side: Option<&(Value, usize)>| side.map_or_else(|| "absent".to_owned(), |(value, _)| value.to_string());
    divergence.left = text(left);
    divergence.right = text(right);
    divergence.cause = cause(kind).to_owned();
    divergence
}

fn index_of(records: &[&Record], place: usize) -> Option<u64> {
    let Body::Tensor(tensor) = &records[place].body else { return None };
    let same = |record: &&&Record| match &record.body {
        Body::Tensor(other) => other.node == tensor.node && other.role == tensor.role,
        _ => false,
    };
    Some(records[..place].iter().filter(same).count() as u64)
}
