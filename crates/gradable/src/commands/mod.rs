//! The commands, one a file.

pub(crate) mod guardian;
pub(crate) mod scan;
