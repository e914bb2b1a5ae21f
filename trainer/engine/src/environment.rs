//! The small JSON files of a trace directory: `run.json`, `env.json`, `counters.json`.

use crate::counters::Counters;
use crate::error::EngineError;
use crate::timing::now_ns;
use contract::SCHEMA;
use contract::request::Request;
use contract::run::{EnvFile, RunFile};
use numerics::simd::Level;
use object::read::{Object, ObjectSegment, ReadCache};
use plan::Recipe;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), EngineError> {
    let mut text = serde_json::to_vec_pretty(value).expect("these files are plain data");
    text.push(b'\n');
    std::fs::write(path, text).map_err(|source| EngineError::trace(path, source))
}

/// Writes `run.json` and `env.json`, before the first record.
///
/// # Errors
/// When the run directory cannot be written.
#[expect(clippy::disallowed_methods, reason = "says how many cores there were; nothing depends on it")]
pub fn write(request: &Request, recipe: &Recipe) -> Result<(), EngineError> {
    let run = RunFile {
        schema: SCHEMA,
        nonce: request.nonce.clone(),
        pid: std::process::id(),
        started_ns: now_ns(),
        binary_digest: binary_digest(),
        recipe: recipe.name.clone(),
        recipe_digest: recipe.digest(),
        part: request.part.clone(),
        ranks: 1,
    };
    write_json(&request.run_directory.join("run.json"), &run)?;
    let mut values = BTreeMap::new();
    let mut put = |key: &str, value: String| values.insert(key.to_owned(), value);
    put("operating_system", std::env::consts::OS.to_owned());
    put("architecture", std::env::consts::ARCH.to_owned());
    put("simd", Level::available().iter().map(|level| level.name()).collect::<Vec<_>>().join(" "));
    put("cores", std::thread::available_parallelism().map_or(0, usize::from).to_string());
    put("version", env!("CARGO_PKG_VERSION").to_owned());
    write_json(&request.run_directory.join("env.json"), &EnvFile { schema: SCHEMA, values })
}

/// Writes `counters.json`, at the end of a complete run.
///
/// # Errors
/// When the run directory cannot be written.
pub fn write_counters(request: &Request, counters: &Counters) -> Result<(), EngineError> {
    write_json(&request.run_directory.join("counters.json"), &counters.file())
}

/// Identifies the running executable; empty when it cannot be read. Its build ID, which the linker derives from all
/// that it writes; where there is none, BLAKE3 of the segments that it loads, each after its address and length.
fn binary_digest() -> String {
    let digest = || {
        let mut file = std::fs::File::open(std::env::current_exe().ok()?).ok()?;
        let cache = ReadCache::new(&file);
        let executable = object::File::parse(&cache).ok()?;
        if let Ok(Some(id)) = executable.build_id() {
            return Some(id.iter().fold("build-id:".to_owned(), |text, byte| format!("{text}{byte:02x}")));
        }
        let segments: Vec<_> = executable.segments().map(|segment| (segment.address(), segment.file_range())).collect();
        drop(executable);
        let mut hasher = blake3::Hasher::new();
        for (address, (offset, length)) in segments {
            hasher.update(&address.to_le_bytes());
            hasher.update(&length.to_le_bytes());
            // Through a small buffer: memory for a whole segment costs more than its digest.
            file.seek(SeekFrom::Start(offset)).ok()?;
            hasher.update_reader((&mut file).take(length)).ok()?;
        }
        Some(hasher.finalize().to_hex().to_string())
    };
    digest().unwrap_or_default()
}
