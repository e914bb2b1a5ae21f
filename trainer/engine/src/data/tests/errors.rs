use super::spec;
use crate::data::{Asset, DataError, DataSpec, Dataset, DocumentSlice, JARGON};
use std::path::Path;

fn error_of(spec: &DataSpec) -> DataError {
    match Dataset::open(spec) {
        Err(error) => error,
        Ok(_) => panic!("the data set opened"),
    }
}

fn written(folder: &Path, bytes: &[u8]) -> String {
    let path = folder.join("file");
    std::fs::write(&path, bytes).expect("written");
    path.display().to_string()
}

fn whole(corpus: String) -> DataSpec {
    DataSpec { corpus, documents: DocumentSlice::default(), ..spec() }
}

#[test]
fn a_missing_corpus_or_tokenizer_is_named_with_the_built_in_ones() {
    let error = error_of(&DataSpec { corpus: "/nowhere/text".into(), ..spec() });
    assert!(matches!(error, DataError::MissingCorpus { .. }));
    let text = error.to_string();
    assert!(text.contains("/nowhere/text") && text.contains("jargon, devil"), "{text}");
    let error = error_of(&DataSpec { tokenizer: "/nowhere/t.json".into(), ..spec() });
    assert!(matches!(error, DataError::MissingTokenizer { .. }));
    let text = error.to_string();
    assert!(text.contains("/nowhere/t.json") && text.contains("bpe-4096"), "{text}");
}

#[test]
fn an_empty_or_blank_corpus_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for text in ["", "\n \n\t\n"] {
        let corpus = written(folder.path(), text.as_bytes());
        let bytes = text.len();
        let expected = DataError::EmptyCorpus { corpus: corpus.clone(), bytes };
        assert_eq!(error_of(&whole(corpus)), expected);
    }
}

#[test]
fn a_corpus_that_is_not_utf_8_is_refused_with_the_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = written(folder.path(), b"head\n\xff\n");
    let expected = DataError::NotUtf8 { corpus: corpus.clone(), offset: 5 };
    assert_eq!(error_of(&whole(corpus)), expected);
}

#[test]
fn a_vocabulary_of_another_size_is_refused() {
    let error = error_of(&DataSpec { vocabulary: 4095, ..spec() });
    let tokenizer = "bpe-4096".to_owned();
    assert_eq!(error, DataError::Vocabulary { tokenizer, expected: 4095, found: 4096 });
}

#[test]
fn a_tokenizer_that_is_torn_or_has_no_separator_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = crate::data::BPE_4096.bytes;
    let renamed = String::from_utf8_lossy(good).replace("<|end|>", "<|other|>");
    for (bytes, said) in [(&good[..1000], "EOF"), (renamed.as_bytes(), "no token <|end|>")] {
        let tokenizer = written(folder.path(), bytes);
        match error_of(&DataSpec { tokenizer, ..spec() }) {
            DataError::BadTokenizer { cause, .. } => assert!(cause.contains(said), "{cause}"),
            other => panic!("expected a bad tokenizer, found {other:?}"),
        }
    }
}

#[test]
fn a_token_id_outside_the_vocabulary_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = String::from_utf8_lossy(crate::data::BPE_4096.bytes).into_owned();
    let gap = good.replacen("\"e\": ", "\"e\": 90", 1);
    assert_ne!(gap, good);
    let tokenizer = written(folder.path(), gap.as_bytes());
    // One byte is one token, so the text is certain to meet the gap.
    let corpus = folder.path().join("text");
    std::fs::write(&corpus, "e").expect("written");
    match error_of(&DataSpec { tokenizer, ..whole(corpus.display().to_string()) }) {
        DataError::Encode { document: 0, cause, .. } => assert!(cause.contains("4096"), "{cause}"),
        other => panic!("expected a refused token id, found {other:?}"),
    }
}

#[test]
fn an_altered_asset_is_refused() {
    let mut bytes = JARGON.bytes.to_vec();
    bytes[1000] ^= 1;
    let altered = Asset { bytes: bytes.leak(), ..JARGON };
    assert_eq!(JARGON.checked(), Ok(JARGON.bytes));
    match altered.checked() {
        Err(DataError::AlteredAsset { asset: "jargon", expected, found }) => {
            assert_eq!(expected, JARGON.blake3);
            assert_ne!(found, expected);
        }
        other => panic!("expected an altered asset, found {other:?}"),
    }
}

#[test]
fn a_slice_outside_the_corpus_is_refused_and_never_shortened() {
    let slices = [
        DocumentSlice { first: 5000, count: None, bytes: None },
        DocumentSlice { first: 2300, count: Some(100), bytes: None },
        DocumentSlice { first: 0, count: Some(0), bytes: None },
        DocumentSlice { first: 0, count: None, bytes: Some(3) },
        DocumentSlice { first: usize::MAX, count: Some(2), bytes: None },
    ];
    for documents in slices {
        let error = error_of(&DataSpec { documents: documents.clone(), ..spec() });
        assert!(matches!(error, DataError::EmptySlice { .. }), "{documents:?} gave {error:?}");
    }
}

#[test]
fn a_limit_in_bytes_takes_whole_documents() {
    let limited = |bytes| DocumentSlice { first: 0, count: None, bytes: Some(bytes) };
    let count = |bytes| {
        let data = Dataset::open(&DataSpec { documents: limited(bytes), ..spec() });
        data.expect("opens").document_count()
    };
    let documents = crate::data::split_documents(std::str::from_utf8(JARGON.bytes).expect("text"));
    let three: usize = documents[..3].iter().map(std::ops::Range::len).sum();
    assert_eq!((count(three), count(three - 1)), (3, 2));
}

#[test]
fn sizes_that_do_not_divide_are_refused_by_name() {
    let wrong = [
        (DataSpec { row_tokens: 200, ..spec() }, "data.row_tokens"),
        (DataSpec { row_tokens: 0, ..spec() }, "data.row_tokens"),
        (DataSpec { row_tokens: 1 << 31, ..spec() }, "data.row_tokens"),
        (DataSpec { leaves: 3, rows_per_step: 9, ..spec() }, "leaves"),
        (DataSpec { leaves: 0, ..spec() }, "leaves"),
        (DataSpec { rows_per_step: 6, ..spec() }, "rows_per_step"),
        (DataSpec { rows_per_step: 0, ..spec() }, "rows_per_step"),
    ];
    for (wrong, named) in wrong {
        match error_of(&wrong) {
            DataError::Spec { field, .. } => assert_eq!(field, named),
            other => panic!("expected a refused {named}, found {other:?}"),
        }
    }
}

#[test]
fn every_error_says_what_was_expected_what_was_found_and_what_to_do() {
    let errors = [
        error_of(&DataSpec { corpus: "/nowhere".into(), ..spec() }),
        error_of(&DataSpec { vocabulary: 1, ..spec() }),
        error_of(&DataSpec { leaves: 0, ..spec() }),
    ];
    for text in errors.map(|error| error.to_string()) {
        for part in ["expected: ", "found: ", "do: "] {
            assert!(text.contains(part), "{text}");
        }
    }
}
