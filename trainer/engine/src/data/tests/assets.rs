use super::{dataset, spec};
use crate::data::split_documents;
use crate::data::{BPE_4096, DEVIL, DataSpec, Dataset, DocumentSlice, JARGON, train_tokenizer};
use std::sync::atomic::{AtomicUsize, Ordering};

fn text(bytes: &'static [u8]) -> &'static str {
    std::str::from_utf8(bytes).expect("assets are UTF-8")
}

#[test]
fn training_again_gives_the_shipped_tokenizer() {
    let trained = train_tokenizer(text(JARGON.bytes), 4096).expect("trains");
    assert!(trained.as_bytes() == BPE_4096.bytes, "run the example train_tokenizer and compare");
}

#[test]
fn the_texts_split_into_their_entries() {
    assert_eq!(split_documents(text(JARGON.bytes)).len(), 2308);
    assert_eq!(split_documents(text(DEVIL.bytes)).len(), 1003);
}

#[test]
fn the_readme_names_the_digest_of_every_asset() {
    let readme = include_str!("../../../data/README.md");
    for asset in [JARGON, DEVIL, BPE_4096] {
        assert!(readme.contains(asset.blake3), "{}", asset.name);
    }
}

#[test]
fn decoding_gives_the_text_back() {
    let data = dataset();
    let range = split_documents(text(JARGON.bytes)).swap_remove(40);
    let tokens = data.document(0);
    assert_eq!(data.decode(tokens).expect("decodes"), text(JARGON.bytes)[range]);
    assert_eq!(tokens.last(), Some(&0));
    assert_eq!((data.end_token(), data.pad_token()), (0, 1));
}

#[test]
fn a_separator_spelt_out_in_the_text_is_plain_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("text");
    std::fs::write(&path, "a <|end|> b <|pad|>").expect("written");
    let corpus = path.display().to_string();
    let spec = DataSpec { corpus, documents: DocumentSlice::default(), ..spec() };
    let data = Dataset::open(&spec).expect("opens");
    let tokens = data.document(0);
    let special = tokens.iter().filter(|&&token| token < 2).count();
    assert_eq!((special, tokens.last()), (1, Some(&0)));
    assert_eq!(data.decode(tokens).expect("decodes"), "a <|end|> b <|pad|>");
}

#[test]
fn a_token_cache_is_used_when_whole_and_rebuilt_when_torn() {
    use crate::data::cache::load_or_else;
    let folder = tempfile::tempdir().expect("a folder");
    let encoded = crate::data::encode::Encoded { tokens: vec![5, 0, 7, 8, 0], bounds: vec![0, 2, 5] };
    let calls = AtomicUsize::new(0);
    let load = || {
        let encode = || {
            calls.fetch_add(1, Ordering::SeqCst);
            Ok(encoded.clone())
        };
        assert_eq!(load_or_else(folder.path(), "key", encode).expect("loads"), encoded);
        calls.load(Ordering::SeqCst)
    };
    assert_eq!((load(), load()), (1, 1));
    let path = folder.path().join("key.tokens");
    let whole = std::fs::read(&path).expect("was stored");
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).expect("torn");
        assert_eq!(load(), 2 + length);
    }
    let mut flipped = whole.clone();
    flipped[9] ^= 1;
    std::fs::write(&path, flipped).expect("altered");
    assert_eq!(load(), 2 + whole.len());
    assert_eq!(std::fs::read(&path).expect("was stored again"), whole);
}

#[test]
fn a_token_cache_changes_no_batch_and_may_be_unwritable() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    let expected = dataset().batch(0).expect("in range");
    for cache in [folder.path().to_owned(), folder.path().to_owned(), file] {
        let spec = DataSpec { cache: Some(cache), ..spec() };
        let data = Dataset::open(&spec).expect("opens");
        assert_eq!(data.batch(0).expect("in range"), expected);
    }
}
