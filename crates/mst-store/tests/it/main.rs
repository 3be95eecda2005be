//! The run directory, from outside.

mod golden;
mod hostile;
mod lookup;
mod resume;
mod support;
mod volume;
mod writing;
