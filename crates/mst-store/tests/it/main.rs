//! The run directory, from outside.

mod golden;
mod hostile;
mod lookup;
mod result_store;
mod resume;
mod support;
mod tape;
mod volume;
mod writing;
