//! Cases that nothing grades: they pass whenever the client has no error, which lifts a pass rate without saying anything.

use crate::dataset::{LoadedCase, LoadedDataset};
use crate::diagnostic::Code;
use crate::issue::{Issue, Place};

/// How many cases the warning names.
const NAMED: usize = 5;

/// Returns one warning that names the first cases without an assertion.
pub(crate) fn warnings(datasets: &[LoadedDataset]) -> Option<Issue> {
    let ungraded: Vec<&LoadedCase> =
        datasets.iter().flat_map(|dataset| &dataset.cases).filter(|loaded| !loaded.head.is_graded).collect();
    let first = ungraded.first()?;
    let mut names: Vec<String> =
        ungraded.iter().take(NAMED).map(|loaded| format!("{:?}", loaded.head.id.as_str())).collect();
    if ungraded.len() > NAMED {
        names.push(format!("{} more", ungraded.len() - NAMED));
    }
    let message = format!("nothing grades {}: a trial passes whenever the client has no error", names.join(", "));
    let place = Place::value(first.document, first.pointer());
    Some(Issue::warning(place, Code::InvalidValue, message).with_help("give each case \"assertions\""))
}
