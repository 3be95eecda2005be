//! Runs in a result store: the layout in it, uploads, fetches, and the built-in store that is a directory.

mod digest;
mod earlier;
mod error;
mod fetch;
mod file_store;
mod local_files;
mod manifest;
mod mirror;
mod stored_eval;
mod unavailable;
mod upload;

pub use error::StoredRunError;
pub use fetch::{Fetched, sweep_fetches};
pub use file_store::{FileResultStore, FileStore};
pub use stored_eval::{StoredEval, stored_evals};
pub use unavailable::unavailable_result_stores;
pub use upload::{UploadAs, Uploaded};
