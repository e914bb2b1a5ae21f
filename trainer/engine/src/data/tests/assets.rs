use super::{dataset, open_text};
use crate::data::{BPE_4096, DEVIL, JARGON, split_documents, train_tokenizer};

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
    assert_eq!(split_documents(text(JARGON.bytes)).len(), 2307);
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
    let data = open_text("a <|end|> b <|pad|>");
    let tokens = data.document(0);
    let special = tokens.iter().filter(|&&token| token < 2).count();
    assert_eq!((special, tokens.last()), (1, Some(&0)));
    assert_eq!(data.decode(tokens).expect("decodes"), "a <|end|> b <|pad|>");
}
