//! From flags to a surface: a server that is started or reached, or a file. Tools are listed, and none is called.

mod file;
mod from_list;
mod live;
mod secret_words;
mod target;

use mst_cli::ExitClass;
use mst_model::FailedTarget;

pub(crate) use target::Target;

/// A surface that could not be read from its server. There is nothing to grade then.
#[derive(Clone, Debug)]
pub(crate) struct IngestFault {
    /// What it means for the exit code.
    pub(crate) class: ExitClass,
    /// Why, for a person; without secrets.
    pub(crate) reason: String,
    /// What can be done.
    pub(crate) hints: Vec<String>,
    /// What was to be read, as far as it was known.
    pub(crate) target: Box<FailedTarget>,
}
