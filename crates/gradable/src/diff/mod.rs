//! Two surfaces, or reports of them, compared: what breaks callers, what may move a model's choices, what does neither.
//!
//! A caller of a tool is broken when a call that was right is refused now, or when a result lacks what was promised. A
//! model's choices may move when a text, a hint or a default says something else. A report holds names, sizes and what may
//! destroy something, and no schemas: what cannot be told from one is said, not guessed.

mod change;
mod hints;
mod pairs;
mod schema;
mod side;
mod tool;
mod whole;

pub(crate) use change::{Change, Kind};
pub(crate) use side::Side;
pub(crate) use whole::{Diff, diff};
