//! The commands, one a file.

pub(crate) mod diff;
pub(crate) mod fix;
pub(crate) mod guardian;
pub(crate) mod leaderboard;
pub(crate) mod lint;
pub(crate) mod report;
pub(crate) mod scan;
pub(crate) mod score;
mod surface_of;
pub(crate) mod verify;

pub(crate) use surface_of::surface_of;
