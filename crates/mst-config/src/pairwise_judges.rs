//! The list `pairwiseJudges` of a config: every entry names a pairwise judge, no two name the same, and each gives options
//! that its judge takes.

use mst_model::{Catalog, ExtensionKind, PAIRWISE_ENTRY_KEYS, PairwiseSetting};
use serde_json::Value;

use crate::diagnostic::Code;
use crate::issue::{Issue, Place, join};
use crate::judge_options::{Complete, OptionCheck, PlacedOptions};
use crate::reference;
use crate::request::SelectionFlags;
use crate::variant::ResolvedVariant;

/// Where the list stands.
const LIST: &str = "/pairwiseJudges";

/// Reads the list, whose shape has been checked, and reports what is wrong with it.
pub(crate) fn resolve(values: &[Value], catalog: &Catalog, issues: &mut Vec<Issue>) -> Vec<PairwiseSetting> {
    let mut settings: Vec<PairwiseSetting> = Vec::new();
    let mut check = OptionCheck::default();
    for (at, value) in values.iter().enumerate() {
        let pointer = format!("{LIST}/{at}");
        let place = Place::value(0, pointer.as_str());
        let Some(setting) = PairwiseSetting::read(value) else { continue };
        let (reference, named_at) = match value {
            Value::Object(fields) => {
                let name = fields.get("type").and_then(Value::as_str).unwrap_or_default();
                (name, Place::value(0, join(&pointer, "type")))
            }
            value => (value.as_str().unwrap_or_default(), place.clone()),
        };
        let options = PlacedOptions::read(value, &PAIRWISE_ENTRY_KEYS, 0, &pointer);
        issues.extend(options.twice(&place));
        match reference::lookup(catalog, ExtensionKind::PairwiseJudge, reference) {
            Err(refusal) => {
                let is_judge = catalog.get(ExtensionKind::Judge, reference).is_some();
                let elsewhere = || "it is a judge, which grades one trial: it belongs in \"judges\"".to_owned();
                let help = if is_judge { Some(elsewhere()) } else { refusal.help };
                issues.push(Issue::error(named_at, refusal.code, refusal.message).with_help_if(help));
            }
            Ok(judge) => {
                let written = (&setting.options, &options.origins);
                issues.extend(check.issues(judge, written, &place, Complete::Yes, |_| Vec::new()));
            }
        }
        // Preferences and labels are kept under the judge's reference.
        if let Some(first) = settings.iter().position(|earlier| earlier.judge == setting.judge) {
            let message = format!("the pairwise judge {:?} is listed before, at {LIST}/{first}", setting.judge);
            issues.push(
                Issue::error(place, Code::DuplicateName, message)
                    .with_help("list it once; \"reps\" asks it more often"),
            );
        }
        settings.push(setting);
    }
    settings
}

/// Warns of judges that would have nothing to compare.
pub(crate) fn warnings(
    settings: &[PairwiseSetting],
    variants: &[ResolvedVariant],
    flags: &SelectionFlags,
) -> Option<Issue> {
    let baseline = variants.first().filter(|_| !settings.is_empty())?;
    let is_chosen = |name: &str| flags.variants.is_empty() || flags.variants.iter().any(|wanted| wanted == name);
    let (place, message) = if variants.len() == 1 {
        let message = "pairwise judges compare variants with the baseline, and the eval has one variant alone";
        (Place::key(0, LIST), message.to_owned())
    } else if !is_chosen(&baseline.name) {
        let message =
            format!("--variant leaves the baseline {:?} out: pairwise judges are not asked in this run", baseline.name);
        (Place::flag(), message)
    } else if variants.iter().filter(|variant| is_chosen(&variant.name)).count() == 1 {
        let message = "--variant leaves the baseline alone: pairwise judges have nothing to compare in this run";
        (Place::flag(), message.to_owned())
    } else {
        return None;
    };
    Some(Issue::warning(place, Code::NothingToRun, message))
}
