//! Corpora and tokenizers that cannot be had.

use crate::Room;

#[test]
fn a_missing_corpus_and_a_missing_tokenizer_name_the_file_and_what_is_built_in() {
    let room = Room::new();
    let recipe = room.recipe("corpus", &[("corpus: ", "corpus: /nowhere/text.txt")]);
    room.train("run", &["--recipe", &recipe])
        .refused(31, &["corpus /nowhere/text.txt", "No such file", "jargon, devil", "do: correct data.corpus"]);
    let recipe = room.recipe("tokenizer", &[("tokenizer: ", "tokenizer: /nowhere/tokenizer.json")]);
    room.train("run", &["--recipe", &recipe])
        .refused(31, &["tokenizer /nowhere/tokenizer.json", "No such file", "bpe-4096", "do: correct data.tokenizer"]);
    room.untouched("run");
}

#[test]
fn an_empty_corpus_and_one_that_is_not_utf8_say_so() {
    let room = Room::new();
    for (name, bytes, texts) in [
        ("empty.txt", &b""[..], ["is empty", "0 bytes", "do: use a corpus with text"]),
        ("blank.txt", b" \n\n \n", ["is empty", "5 bytes", "do: use a corpus with text"]),
        ("bytes.txt", b"abc\xff\xfe", ["is not UTF-8", "at byte 3", "do: convert the file"]),
    ] {
        std::fs::write(room.path(name), bytes).expect("write");
        let path = room.text(name);
        let recipe = room.recipe("text", &[("corpus: ", &format!("corpus: {path}"))]);
        room.train("run", &["--recipe", &recipe]).refused(31, &[&path, texts[0], texts[1], texts[2]]);
    }
    room.untouched("run");
}

#[test]
fn a_tokenizer_that_is_none_and_a_vocabulary_of_another_size_are_refused() {
    let room = Room::new();
    std::fs::write(room.path("tokenizer.json"), "{}").expect("write");
    let path = room.text("tokenizer.json");
    let recipe = room.recipe("tokenizer", &[("tokenizer: ", &format!("tokenizer: {path}"))]);
    room.train("run", &["--recipe", &recipe]).refused(31, &[&path, "do: use bpe-4096"]);
    let recipe = room.recipe("vocabulary", &[("vocabulary: ", "vocabulary: 4000")]);
    room.train("run", &["--recipe", &recipe]).refused(31, &["4000", "4096", "do: change the vocabulary"]);
}

#[test]
fn a_slice_beyond_the_corpus_says_how_many_documents_there_are() {
    let room = Room::new();
    let recipe = room.recipe("slice", &[("first_document: ", "first_document: 1000000")]);
    room.train("run", &["--recipe", &recipe]).refused(31, &["1000000", "of the corpus", "do: change data.documents"]);
}
