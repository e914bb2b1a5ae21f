//! Encoded tokens on disk, so that a large corpus is encoded once.
//!
//! The file is named after a digest of everything that the tokens depend on, ends with a digest
//! of its own contents and is put in place by a rename. A file that is absent, torn or altered
//! is ignored and written again; a folder that cannot be written costs time, never a run. The
//! cache is no part of a run's state, so it is not synced to disk.

use super::DataError;
use super::encode::Encoded;
use std::path::Path;

/// Name of the entry for a data set and a tokenizer.
pub(super) fn key(dataset_digest: &str, tokenizer_digest: &str) -> String {
    let parts = format!("tokens.v1 {dataset_digest} {tokenizer_digest}");
    blake3::hash(parts.as_bytes()).to_hex().to_string()
}

/// The entry `key` of `folder`, or what `encode` gives, which is then stored.
pub(super) fn load_or_else(
    folder: &Path,
    key: &str,
    encode: impl FnOnce() -> Result<Encoded, DataError>,
) -> Result<Encoded, DataError> {
    let path = folder.join(format!("{key}.tokens"));
    if let Some(encoded) = std::fs::read(&path).ok().and_then(|bytes| parse(&bytes)) {
        return Ok(encoded);
    }
    let encoded = encode()?;
    let partial = folder.join(format!("{key}.{}.partial", std::process::id()));
    let stored = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&partial, render(&encoded)))
        .and_then(|()| std::fs::rename(&partial, &path));
    if stored.is_err() {
        // Best effort: a cache that cannot be written must not stop a run.
        drop(std::fs::remove_file(&partial));
    }
    Ok(encoded)
}

/// Document count, document lengths, token ids, all u32 little-endian; then BLAKE3 of those.
fn render(encoded: &Encoded) -> Vec<u8> {
    let word = |value: usize| u32::try_from(value).expect("fewer than 2^32 tokens").to_le_bytes();
    let mut bytes = word(encoded.document_count()).to_vec();
    for pair in encoded.bounds.windows(2) {
        bytes.extend(word(pair[1] - pair[0]));
    }
    bytes.extend(encoded.tokens.iter().flat_map(|token| token.to_le_bytes()));
    let digest = blake3::hash(&bytes);
    bytes.extend(digest.as_bytes());
    bytes
}

fn parse(bytes: &[u8]) -> Option<Encoded> {
    let (body, digest) = bytes.split_last_chunk::<{ blake3::OUT_LEN }>()?;
    if blake3::hash(body).as_bytes() != digest {
        return None;
    }
    let (words, rest) = body.as_chunks::<4>();
    let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
    let count = words.next()? as usize;
    let mut bounds = vec![0];
    for _ in 0..count {
        bounds.push(bounds.last()? + words.next()? as usize);
    }
    let tokens: Vec<u32> = words.collect();
    let whole = rest.is_empty() && bounds.last() == Some(&tokens.len());
    whole.then_some(Encoded { tokens, bounds })
}
