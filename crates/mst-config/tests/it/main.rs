//! Loads whole evals from files.

mod catalog;
mod dataset;
mod discover;
mod edits;
mod plan;
mod samples;
mod scale;
mod schema;
