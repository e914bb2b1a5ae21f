//! Text to token ids.
//!
//! Every document is encoded on its own and ends with `<|end|>`. A special token that is spelt
//! out in the text is encoded as plain text, so the separator stands only where we put it.
//! Documents are encoded in parallel, each into its own slot: the result does not depend on
//! the number of threads.

use super::{DataError, assets};
use rayon::prelude::*;
use std::ops::Range;
use tokenizers::Tokenizer;

/// Ends every document, and separates it from the next.
pub const END_TOKEN: &str = "<|end|>";
/// Fills the rest of a row.
pub const PAD_TOKEN: &str = "<|pad|>";

/// A checked tokenizer.
#[derive(Debug)]
pub(super) struct Encoder {
    tokenizer: Tokenizer,
    vocabulary: usize,
    pub end: u32,
    pub pad: u32,
    /// BLAKE3 of the tokenizer file, as hex.
    pub digest: String,
}

/// Documents as token ids, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Encoded {
    pub tokens: Vec<u32>,
    /// Document `d` is `tokens[bounds[d]..bounds[d + 1]]`; never empty.
    pub bounds: Vec<usize>,
}

impl Encoded {
    pub fn document(&self, index: usize) -> &[u32] {
        &self.tokens[self.bounds[index]..self.bounds[index + 1]]
    }

    pub fn document_count(&self) -> usize {
        self.bounds.len() - 1
    }
}

impl Encoder {
    /// Reads the tokenizer `source` and checks it against the `vocabulary` of the model.
    ///
    /// # Errors
    /// [`DataError::MissingTokenizer`], [`DataError::BadTokenizer`], [`DataError::Vocabulary`],
    /// [`DataError::AlteredAsset`].
    pub fn open(source: &str, vocabulary: usize) -> Result<Self, DataError> {
        let bytes = assets::tokenizer(source)?;
        let bad = |cause: String| DataError::BadTokenizer { tokenizer: source.to_owned(), cause };
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(|error| bad(error.to_string()))?;
        tokenizer.set_encode_special_tokens(true);
        let found = tokenizer.get_vocab_size(true);
        if found != vocabulary {
            return Err(DataError::Vocabulary { tokenizer: source.to_owned(), expected: vocabulary, found });
        }
        let id = |token: &str| {
            let id = tokenizer.token_to_id(token);
            id.ok_or_else(|| bad(format!("no token {token}")))
        };
        Ok(Self {
            end: id(END_TOKEN)?,
            pad: id(PAD_TOKEN)?,
            digest: blake3::hash(&bytes).to_hex().to_string(),
            tokenizer,
            vocabulary,
        })
    }

    /// Encodes the `documents` of `text`.
    ///
    /// # Errors
    /// [`DataError::Encode`] names the first document that cannot be encoded, or that has a token
    /// id outside the vocabulary.
    pub fn encode(&self, corpus: &str, text: &str, documents: &[Range<usize>]) -> Result<Encoded, DataError> {
        let parts: Vec<Result<Vec<u32>, String>> =
            documents.par_iter().map(|range| self.encode_document(&text[range.clone()])).collect();
        let mut encoded = Encoded { tokens: Vec::new(), bounds: vec![0] };
        for (document, part) in parts.into_iter().enumerate() {
            let part = part.map_err(|cause| DataError::Encode { corpus: corpus.to_owned(), document, cause })?;
            encoded.tokens.extend(part);
            encoded.bounds.push(encoded.tokens.len());
        }
        Ok(encoded)
    }

    fn encode_document(&self, text: &str) -> Result<Vec<u32>, String> {
        let encoding = self.tokenizer.encode_fast(text, false);
        let mut ids = encoding.map_err(|error| error.to_string())?.get_ids().to_vec();
        ids.push(self.end);
        // A tokenizer of the right size can still number its tokens with gaps.
        match ids.iter().find(|&&id| id as usize >= self.vocabulary) {
            Some(id) => Err(format!("token id {id} in a vocabulary of {}", self.vocabulary)),
            None => Ok(ids),
        }
    }

    /// Text of `ids`, special tokens left out; for people to look at.
    ///
    /// # Errors
    /// [`DataError::BadTokenizer`] when the tokenizer has no usable decoder.
    pub fn decode(&self, ids: &[u32]) -> Result<String, DataError> {
        self.tokenizer
            .decode(ids, true)
            .map_err(|error| DataError::BadTokenizer { tokenizer: "in use".to_owned(), cause: error.to_string() })
    }
}
