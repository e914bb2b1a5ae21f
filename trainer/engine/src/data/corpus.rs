//! Text to documents.
//!
//! A line that is not indented and follows a blank line (or starts the file) begins a document.
//! In the Jargon File this is the headword line of every entry; in the Devil's Dictionary it is
//! the headword too, apart from four entries that go on after a quotation, whose continuations
//! count as documents of their own. In plain prose every paragraph becomes a document.
//! Blank space at the end of a document is dropped, since the separator token takes its place.
//! Text is not normalised in any other way.

use super::{DataError, DocumentSlice};
use std::ops::Range;

/// Byte ranges of the documents of `text`, ascending and disjoint; none of them is blank.
#[must_use]
pub fn split_documents(text: &str) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut offset = 0;
    let mut after_blank = true;
    for line in text.split_inclusive('\n') {
        let blank = line.trim().is_empty();
        let indented = line.starts_with(char::is_whitespace);
        // Text before the first headword, even indented text, belongs to a first document.
        if !blank && after_blank && (!indented || starts.is_empty()) {
            starts.push(offset);
        }
        after_blank = blank;
        offset += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&start, end)| start..start + text[start..end].trim_end().len()).collect()
}

/// Decodes the bytes of a corpus.
///
/// # Errors
/// [`DataError::NotUtf8`] gives the offset of the first bad byte.
pub(super) fn decode<'a>(corpus: &str, bytes: &'a [u8]) -> Result<&'a str, DataError> {
    std::str::from_utf8(bytes)
        .map_err(|error| DataError::NotUtf8 { corpus: corpus.to_owned(), offset: error.valid_up_to() })
}

/// The part of `documents` that `slice` asks for.
///
/// # Errors
/// [`DataError::EmptyCorpus`] without documents; [`DataError::EmptySlice`] when the slice is
/// empty or reaches beyond the last document.
pub(super) fn select(
    corpus: &str,
    text: &str,
    mut documents: Vec<Range<usize>>,
    slice: &DocumentSlice,
) -> Result<Vec<Range<usize>>, DataError> {
    let available = documents.len();
    if available == 0 {
        return Err(DataError::EmptyCorpus { corpus: corpus.to_owned(), bytes: text.len() });
    }
    let count = slice.count.unwrap_or(available.saturating_sub(slice.first));
    let end = slice.first.saturating_add(count);
    let fits = count > 0 && end <= available;
    let mut taken = 0;
    if fits {
        documents.truncate(end);
        documents.drain(..slice.first);
        let limit = slice.bytes.unwrap_or(usize::MAX);
        let mut bytes = 0;
        taken = documents
            .iter()
            .take_while(|range| {
                bytes += range.len();
                bytes <= limit
            })
            .count();
        documents.truncate(taken);
    }
    if taken == 0 {
        return Err(DataError::EmptySlice {
            corpus: corpus.to_owned(),
            asked: format!("first {}, count {}, bytes {}", slice.first, display(slice.count), display(slice.bytes)),
            available,
        });
    }
    Ok(documents)
}

fn display(value: Option<usize>) -> String {
    value.map_or_else(|| "all".to_owned(), |value| value.to_string())
}
