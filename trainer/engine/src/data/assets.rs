//! Texts and the tokenizer that are compiled into the binary, and reading of those that are not.
//!
//! Built-in names win over files of the same name; write `./jargon` for a file. Each built-in
//! asset is checked against its BLAKE3 whenever it is opened. Nothing is ever downloaded.

use super::DataError;
use std::borrow::Cow;
use std::path::Path;

/// A file of `trainer/engine/data`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    /// Name in a recipe.
    pub name: &'static str,
    /// Contents, UTF-8.
    pub bytes: &'static [u8],
    /// BLAKE3 of the contents, as hex.
    pub blake3: &'static str,
}

/// The Jargon File 4.4.7: the training corpus.
pub const JARGON: Asset = Asset {
    name: "jargon",
    bytes: include_bytes!("../../data/jargon.txt"),
    blake3: "05deedc1080075483cc95b4ad9757fd9f0b08b24313ab2e352dd39f43a1092f8",
};

/// The Devil's Dictionary: the held-out corpus.
pub const DEVIL: Asset = Asset {
    name: "devil",
    bytes: include_bytes!("../../data/devil.txt"),
    blake3: "343527ed2e27560bfaa2ecf8dcec06a0ac3d215ceb22a5da8cfca719b719793f",
};

/// A byte-level BPE of 4,096 tokens, trained from [`JARGON`].
pub const BPE_4096: Asset = Asset {
    name: "bpe-4096",
    bytes: include_bytes!("../../data/tokenizer.json"),
    blake3: "2ed406809c3c4512c365df574d61e3985740d70c74f3a76c1fd3288e39cc7d74",
};

impl Asset {
    /// The contents, after a comparison of their digest.
    ///
    /// # Errors
    /// [`DataError::AlteredAsset`].
    pub fn checked(self) -> Result<&'static [u8], DataError> {
        let found = blake3::hash(self.bytes).to_hex();
        if found.as_str() == self.blake3 {
            return Ok(self.bytes);
        }
        Err(DataError::AlteredAsset { asset: self.name, expected: self.blake3.to_owned(), found: found.to_string() })
    }
}

/// The bytes of a corpus, by built-in name or path.
pub(super) fn corpus(source: &str) -> Result<Cow<'static, [u8]>, DataError> {
    resolve(source, &[JARGON, DEVIL])?.map_err(|cause| DataError::MissingCorpus { path: source.into(), cause })
}

/// The bytes of a tokenizer, by built-in name or path.
pub(super) fn tokenizer(source: &str) -> Result<Cow<'static, [u8]>, DataError> {
    resolve(source, &[BPE_4096])?.map_err(|cause| DataError::MissingTokenizer { path: source.into(), cause })
}

/// The outer error is an altered asset, the inner one the cause of a failed read.
fn resolve(source: &str, built_in: &[Asset]) -> Result<Result<Cow<'static, [u8]>, String>, DataError> {
    if let Some(asset) = built_in.iter().find(|asset| asset.name == source) {
        return asset.checked().map(|bytes| Ok(Cow::Borrowed(bytes)));
    }
    let read = std::fs::read(Path::new(source));
    Ok(read.map(Cow::Owned).map_err(|error| error.to_string()))
}
