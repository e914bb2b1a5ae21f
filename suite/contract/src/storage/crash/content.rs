//! The content of a file, known by the writes that made it: two states are compared without touching their bytes.

use std::sync::{Arc, OnceLock};

/// Equal identities are equal bytes. The other way round it need not be: zeros that were written are not zeros that
/// filled a gap.
#[derive(Clone, Debug)]
pub(super) struct Content(Arc<Made>);

#[derive(Debug)]
struct Made {
    identity: blake3::Hash,
    length: usize,
    /// What was there before, the write, and how many of its bytes; `None`: the bytes were there from the beginning.
    write: Option<(Content, Write, usize)>,
    bytes: OnceLock<Arc<[u8]>>,
}

/// Bytes that go to a file, or as many zeros.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub offset: usize,
    pub bytes: Arc<[u8]>,
    /// BLAKE3 of `bytes`, in hexadecimal.
    pub digest: String,
    pub zeros: bool,
}

impl Content {
    pub fn new(bytes: Arc<[u8]>) -> Self {
        let (identity, length) = (blake3::hash(&bytes), bytes.len());
        Self(Arc::new(Made { identity, length, write: None, bytes: OnceLock::from(bytes) }))
    }

    pub fn identity(&self) -> &blake3::Hash {
        &self.0.identity
    }

    /// This content after the first `length` bytes of a write. What lies between the old end and the write is zeros.
    pub fn after(&self, write: &Write, length: usize) -> Self {
        if length == 0 && write.offset <= self.0.length {
            return self.clone();
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.0.identity.as_bytes());
        hasher.update(&(write.offset as u64).to_le_bytes()).update(&(length as u64).to_le_bytes());
        hasher.update(&[u8::from(write.zeros)]).update(write.digest.as_bytes());
        Self(Arc::new(Made {
            identity: hasher.finalize(),
            length: self.0.length.max(write.offset + length),
            write: Some((self.clone(), write.clone(), length)),
            bytes: OnceLock::new(),
        }))
    }

    /// The bytes, put together when they are first asked for.
    pub fn bytes(&self) -> Arc<[u8]> {
        let build = || {
            let Some((before, write, length)) = &self.0.write else { unreachable!("bytes of the beginning are there") };
            let mut bytes = before.bytes().to_vec();
            bytes.resize(self.0.length, 0);
            let window = &mut bytes[write.offset..][..*length];
            if write.zeros {
                window.fill(0)
            } else {
                window.copy_from_slice(&write.bytes[..*length])
            }
            bytes.into()
        };
        Arc::clone(self.0.bytes.get_or_init(build))
    }
}
