//! Tests of the data pipeline; the helpers here are shared by its parts.

mod assets;
mod batches;
mod errors;
mod order;
mod packing;
mod position;
mod prefetch;

use super::{DataSpec, Dataset, DocumentSlice};

/// A small slice of the Jargon File: several uneven epochs are cheap.
fn spec() -> DataSpec {
    DataSpec {
        corpus: "jargon".to_owned(),
        tokenizer: "bpe-4096".to_owned(),
        vocabulary: 4096,
        documents: DocumentSlice { first: 40, count: Some(48), bytes: None },
        row_tokens: 256,
        rows_per_step: 8,
        leaves: 4,
        seed: 7,
    }
}

/// A corpus of its own with `text`, all of it.
fn open_text(text: &str) -> Dataset {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("text");
    std::fs::write(&path, text).expect("written");
    let (corpus, documents) = (path.display().to_string(), DocumentSlice::default());
    Dataset::open(&DataSpec { corpus, documents, ..spec() }).expect("the text opens")
}

fn dataset() -> Dataset {
    Dataset::open(&spec()).expect("the shipped assets open")
}
