//! The tape file (`mst.tape/v1`): exchanges with models and servers, one a line, written as they happen and served again.
//!
//! A tape is read by its index: a line is read from the file when its exchange is asked for, so that a long tape costs
//! little memory. See ADR 0010.

mod error;
mod index;
mod line;
mod part;
mod player;
mod recorder;

pub use error::TapeError;
pub use line::TapeHeader;
pub use player::TapeReader;
pub use recorder::TapeWriter;
