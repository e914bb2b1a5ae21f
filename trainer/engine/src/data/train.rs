//! How the shipped tokenizer was made: byte-level BPE, trained on the documents of a text.
//!
//! The two special tokens take ids 0 and 1, the 256 bytes follow, then the merges. Training is
//! deterministic: equal text and size give equal bytes at any thread count.

use super::encode::{END_TOKEN, PAD_TOKEN};
use super::{DataError, split_documents};
use tokenizers::decoders::byte_level::ByteLevel;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::{
    AddedToken, DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper, TokenizerImpl,
};

type BytePairTokenizer =
    TokenizerImpl<BPE, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// A tokenizer.json with `vocabulary` tokens, trained from `text`.
///
/// # Errors
/// [`DataError::BadTokenizer`] when the text cannot be trained on.
pub fn train_tokenizer(text: &str, vocabulary: usize) -> Result<String, DataError> {
    let special = [END_TOKEN, PAD_TOKEN].map(|token| AddedToken::from(token, true));
    let mut trainer = BpeTrainer::builder()
        .show_progress(false)
        .vocab_size(vocabulary)
        .special_tokens(special.to_vec())
        .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
        .build();
    let mut tokenizer = BytePairTokenizer::new(BPE::default());
    tokenizer.with_pre_tokenizer(Some(ByteLevel::new(false, true, true))).with_decoder(Some(ByteLevel::default()));
    let documents = split_documents(text);
    tokenizer
        .train(&mut trainer, documents.into_iter().map(|range| &text[range]))
        .and_then(|trained| trained.to_string(true))
        .map(|json| json + "\n")
        .map_err(|error| DataError::BadTokenizer { tokenizer: "in training".to_owned(), cause: error.to_string() })
}
