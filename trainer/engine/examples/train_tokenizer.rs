//! Trains the shipped tokenizer from the shipped corpus again and prints the digest of every
//! asset: `cargo run -p engine --example train_tokenizer`.

use engine::data::train_tokenizer;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let text = std::fs::read_to_string(folder.join("jargon.txt"))?;
    std::fs::write(folder.join("tokenizer.json"), train_tokenizer(&text, 4096)?)?;
    for name in ["jargon.txt", "devil.txt", "tokenizer.json"] {
        let digest = blake3::hash(&std::fs::read(folder.join(name))?);
        println!("{name}: BLAKE3 {digest}");
    }
    Ok(())
}
