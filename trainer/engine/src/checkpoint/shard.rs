//! Shards: safetensors files, written without a copy of the tensors.
//!
//! The header holds no metadata, since that is a hash map whose order differs from process to process. Tensors lie in
//! the library's own order (wide dtypes first, then by name), so the bytes equal those of `safetensors::serialize`.

use super::{Leaf, Problem, SECTIONS, State};
use library::tensor::{Dtype, Spec, Tensor};
use safetensors::SafeTensors;
use safetensors::tensor::{Metadata, TensorInfo};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// One file to be written: the concatenated pieces.
#[derive(Clone, Debug)]
pub struct Shard<'a> {
    pub file: String,
    pub pieces: Vec<Cow<'a, [u8]>>,
    /// Names of the leaves in it.
    pub leaves: Vec<&'a str>,
}

impl Shard<'_> {
    pub fn bytes(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }

    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for piece in &self.pieces {
            hasher.update(piece);
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// Cuts a state into shards, section by section. A shard holds at most `limit` bytes of tensors, unless one leaf alone
/// is larger.
pub fn encode(state: &State, limit: u64) -> Vec<Shard<'_>> {
    let mut shards = Vec::new();
    for section in SECTIONS {
        let mut groups: Vec<Vec<&Leaf>> = Vec::new();
        let mut bytes = 0;
        for leaf in state.leaves.iter().filter(|leaf| leaf.section() == section) {
            let size = leaf.tensor.spec.bytes() as u64;
            match groups.last_mut() {
                Some(group) if bytes + size <= limit => group.push(leaf),
                _ => {
                    groups.push(vec![leaf]);
                    bytes = 0;
                }
            }
            bytes += size;
        }
        let count = groups.len();
        shards.extend(groups.into_iter().enumerate().map(|(index, group)| {
            let file = match count {
                1 => format!("{section}.safetensors"),
                _ => format!("{section}-{index:05}-of-{count:05}.safetensors"),
            };
            encode_one(file, group)
        }));
    }
    shards
}

fn encode_one(file: String, mut leaves: Vec<&Leaf>) -> Shard<'_> {
    leaves.sort_by(|a, b| {
        let dtypes = stored(b.tensor.spec.dtype).cmp(&stored(a.tensor.spec.dtype));
        dtypes.then_with(|| a.name.cmp(&b.name))
    });
    let mut offset = 0;
    let infos = leaves.iter().map(|leaf| {
        let Spec { dtype, shape } = &leaf.tensor.spec;
        let start = offset;
        offset += leaf.tensor.spec.bytes();
        (leaf.name.clone(), TensorInfo { dtype: stored(*dtype), shape: shape.clone(), data_offsets: (start, offset) })
    });
    let metadata = Metadata::new(None, infos.collect()).expect("offsets and sizes come from the specs");
    let mut header = serde_json::to_vec(&metadata).expect("a header is plain data");
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut start = (header.len() as u64).to_le_bytes().to_vec();
    start.extend(header);
    let tensors = leaves.iter().map(|leaf| Cow::Borrowed(leaf.tensor.bytes()));
    Shard {
        file,
        pieces: std::iter::once(Cow::Owned(start)).chain(tensors).collect(),
        leaves: leaves.iter().map(|leaf| leaf.name.as_str()).collect(),
    }
}

/// The tensors of a shard's bytes, by name.
pub fn decode(file: &str, bytes: &[u8]) -> Result<BTreeMap<String, Tensor>, Problem> {
    let invalid = |message: String| Problem::ShardInvalid { file: file.to_owned(), message };
    let shard = SafeTensors::deserialize(bytes).map_err(|error| invalid(error.to_string()))?;
    shard
        .tensors()
        .into_iter()
        .map(|(name, view)| {
            let dtype = known(view.dtype())
                .ok_or_else(|| invalid(format!("leaf `{name}` has the unknown dtype {:?}", view.dtype())))?;
            let tensor = Tensor::from_bytes(Spec::new(dtype, view.shape()), view.data());
            Ok((name, tensor))
        })
        .collect()
}

const fn stored(dtype: Dtype) -> safetensors::Dtype {
    match dtype {
        Dtype::F32 => safetensors::Dtype::F32,
        Dtype::Bf16 => safetensors::Dtype::BF16,
        Dtype::Fp16 => safetensors::Dtype::F16,
        Dtype::I32 => safetensors::Dtype::I32,
        Dtype::U32 => safetensors::Dtype::U32,
        Dtype::U64 => safetensors::Dtype::U64,
        Dtype::U8 => safetensors::Dtype::U8,
    }
}

fn known(dtype: safetensors::Dtype) -> Option<Dtype> {
    let ours = [Dtype::F32, Dtype::Bf16, Dtype::Fp16, Dtype::I32, Dtype::U32, Dtype::U64, Dtype::U8];
    ours.into_iter().find(|ours| stored(*ours) == dtype)
}
