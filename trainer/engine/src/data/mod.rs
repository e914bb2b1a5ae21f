//! Text to batches, with an exact position.
//!
//! corpus → documents → token ids → order of an epoch → packed rows → steps → batches.
//!
//! Every stage is a pure function, so [`Dataset::batch`] gives the batch of any step at once,
//! and a position is one number. [`Prefetcher`] only calls that function early. [`DataState`]
//! is what a checkpoint keeps. A [`CursorPolicy`] decides what a save records.
//!
//! Not here: ranks (the engine gives each rank its leaves of a batch), the step of the trainer,
//! downloads, and any text but plain UTF-8.

mod assets;
mod batch;
mod corpus;
mod cursor;
mod dataset;
mod encode;
mod error;
mod order;
mod pack;
mod prefetch;
mod report;
mod spec;
mod state;
#[cfg(test)]
mod tests;
mod train;

pub use assets::{Asset, BPE_4096, DEVIL, JARGON};
pub use batch::{Batch, Row};
pub use corpus::split_documents;
pub use cursor::{CursorPolicy, ExactCursor, Progress};
pub use dataset::{Dataset, Place, STEP_LIMIT};
pub use encode::{END_TOKEN, PAD_TOKEN};
pub use error::DataError;
pub use order::{DOCUMENT_ORDER_STREAM, EpochOrder};
pub use pack::{Piece, RowPlan, WINDOW_PIECES, pack};
pub use prefetch::{BatchSource, PrefetchOptions, Prefetcher};
pub use spec::{DataSpec, DocumentSlice, ROW_MULTIPLE};
pub use state::DataState;
pub use train::train_tokenizer;
