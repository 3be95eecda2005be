//! Agent Skills: what the servers of a trial offer beside their tools, as the model is shown it.
//!
//! `tools.rs` is what the model may call, `shelf.rs` the skills of a trial, `place.rs` those of one server and how a read
//! is checked, `answer.rs` what comes of one, `prompt.rs` what stands in the system prompt, and `marks.rs` how a server's text is kept apart from the
//! client's own.

mod answer;
mod marks;
mod place;
mod prompt;
mod shelf;
mod tools;

pub(super) use shelf::{Shelf, SkillCall};
pub(super) use tools::{SkillTool, SkillTools};

/// The most bytes of one file that are shown to a model. A larger one is refused, never cut: half an instruction can say
/// the opposite of the whole.
const MOST_SHOWN: usize = 256 * 1024;
/// The most bytes of all skills together that `preload` puts into a prompt.
const MOST_PRELOADED: usize = 1024 * 1024;
/// The most bytes of the catalog.
const MOST_LISTED: usize = 256 * 1024;
/// The most characters of a description in the catalog (the longest that Agent Skills allow).
const MOST_DESCRIBED: usize = 1_024;
