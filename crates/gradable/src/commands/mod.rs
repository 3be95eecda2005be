//! The commands, one a file.

pub(crate) mod fix;
pub(crate) mod guardian;
pub(crate) mod leaderboard;
pub(crate) mod report;
pub(crate) mod scan;
