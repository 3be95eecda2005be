//! Cases that nothing grades: they pass whenever the client has no error, which lifts a pass rate without saying anything.

use crate::dataset::{LoadedCase, LoadedDataset};
use crate::diagnostic::Code;
use crate::issue::{Issue, Place};
use crate::variant::ResolvedVariant;

/// How many cases the warning names.
const NAMED: usize = 5;

/// Returns one warning that names the first cases with neither an assertion nor a judge in some variant.
pub(crate) fn warnings(datasets: &[LoadedDataset], variants: &[ResolvedVariant]) -> Option<Issue> {
    if variants.iter().all(|variant| !variant.judges.is_empty()) {
        return None;
    }
    let cases = datasets.iter().flat_map(|dataset| &dataset.cases);
    let ungraded: Vec<&LoadedCase> = cases.filter(|loaded| !loaded.head.is_graded && !loaded.head.has_judges).collect();
    let first = ungraded.first()?;
    let mut names: Vec<String> =
        ungraded.iter().take(NAMED).map(|loaded| format!("{:?}", loaded.head.id.as_str())).collect();
    if ungraded.len() > NAMED {
        names.push(format!("{} more", ungraded.len() - NAMED));
    }
    let message = format!("nothing grades {}: a trial passes whenever the client has no error", names.join(", "));
    let place = Place::value(first.document, first.pointer());
    Some(Issue::warning(place, Code::InvalidValue, message).with_help("give each case \"assertions\" or \"judges\""))
}
