//! The run directory, from outside.

mod golden;
mod hostile;
mod lookup;
mod resume;
mod support;
mod tape;
mod volume;
mod writing;
