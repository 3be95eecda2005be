//! A run against its previous one, as a person reads it.

use mst_cli::{plural, printable};
use mst_model::{CaseId, Change, PreviousRun, PreviousVariant, Summary};

/// How many names a list shows.
const NAMES: usize = 5;

/// Returns the lines that compare a run with its previous one; none when there is none.
///
/// A change is shown only as the paired test says it, and none where the eval config changed: a difference may come from it.
pub(crate) fn lines(summary: &Summary) -> Vec<String> {
    let Some(previous) = &summary.previous_run else { return Vec::new() };
    let mut lines = vec![format!("Since the previous run, {} of {}:", previous.run_id, day(previous))];
    if previous.same_config {
        for (name, variant) in &previous.variants {
            lines.push(format!("  {name}: {}", variant.change.as_ref().map_or_else(nothing_paired, change)));
            lines.extend(lists(variant));
        }
    } else {
        lines
            .push("  no change is shown: the eval config is another one, and a difference may come from it".to_owned());
    }
    lines.extend(previous.notes.iter().map(|note| format!("  {note}")));
    lines.iter().map(|line| printable(line)).collect()
}

/// Returns the day and minute of the previous run, as UTC.
fn day(previous: &PreviousRun) -> String {
    let time = previous.timestamp.to_string();
    time.get(..16).map_or_else(|| time.clone(), |minute| format!("{} UTC", minute.replace('T', " ")))
}

fn nothing_paired() -> String {
    "no headline case is complete in both".to_owned()
}

/// Returns a tested change in words: `worse, -12.0 points (-20.1 to -3.9) over 60 cases`.
pub(crate) fn change(change: &Change) -> String {
    format!(
        "{}, {} points ({} to {}) over {}",
        change.assessment.as_str(),
        points(change.mean),
        points(change.lower),
        points(change.upper),
        plural(change.cases, "case")
    )
}

/// Returns a difference of shares in percentage points with its sign.
pub(crate) fn points(share: f64) -> String {
    let tenths = (share * 1000.0).round() / 10.0;
    if tenths == 0.0 { "0".to_owned() } else { format!("{tenths:+.1}") }
}

fn lists(variant: &PreviousVariant) -> impl Iterator<Item = String> {
    let lists = [
        ("Regressed", &variant.regressed),
        ("Improved", &variant.improved),
        ("Added", &variant.added),
        ("Removed", &variant.removed),
    ];
    lists.into_iter().filter(|(_, ids)| !ids.is_empty()).map(|(title, ids)| names(title, ids))
}

/// Returns the first names of a list on one line.
fn names(title: &str, ids: &[CaseId]) -> String {
    const LONGEST: usize = 60;
    let shown: Vec<String> = ids
        .iter()
        .take(NAMES)
        .map(|id| match id.as_str().char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &id.as_str()[..end]),
            None => id.to_string(),
        })
        .map(|name| name.replace('\n', " "))
        .collect();
    let rest = if ids.len() > NAMES { format!(" and {} more", ids.len() - NAMES) } else { String::new() };
    format!("    {title} ({}): {}{rest}", ids.len(), shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn summary(previous: &serde_json::Value) -> Summary {
        let summary = json!({
            "format": "mst.run/v1", "kind": "summary", "runId": "20261008T182504Z-7f3c2a", "configId": "e",
            "contentHash": "h", "timestamp": "2026-10-08T18:25:04.000Z", "durationMs": 1.0, "configName": "e",
            "variants": [], "metrics": {}, "previousRun": previous,
        });
        serde_json::from_value(summary).expect("a summary")
    }

    fn previous(same_config: bool) -> serde_json::Value {
        json!({
            "runId": "20261007T182504Z-a3f9c1", "timestamp": "2026-10-03T18:02:11.000Z", "sameConfig": same_config,
            "passRate": 1.0, "passRateDelta": -0.5,
            "variants": {
                "default": {
                    "passRateDelta": -0.5, "trialPassRateDelta": -0.1,
                    "change": { "mean": -0.1, "lower": -0.32, "upper": 0.12, "cases": 10, "pBetter": 0.94, "pWorse": 0.25,
                        "assessment": "unclear" },
                    "regressed": ["a", "b", "c", "d", "e", "f", "\u{1b}[31mx\nerror: y"], "improved": ["\u{1b}[31m\nx"],
                    "added": [], "removed": [],
                },
                "other": {},
            },
            "notes": ["the datasets changed between the runs"],
        })
    }

    #[test]
    fn a_change_is_shown_by_its_test_with_five_names_at_most() {
        insta::assert_snapshot!(lines(&summary(&previous(true))).join("\n"), @r"
        Since the previous run, 20261007T182504Z-a3f9c1 of 2026-10-03 18:02 UTC:
          default: unclear, -10.0 points (-32.0 to +12.0) over 10 cases
            Regressed (7): a, b, c, d, e and 2 more
            Improved (1): \u{1b}[31m x
          other: no headline case is complete in both
          the datasets changed between the runs
        ");
    }

    #[test]
    fn another_config_shows_no_change_and_says_why() {
        insta::assert_snapshot!(lines(&summary(&previous(false))).join("\n"), @r"
        Since the previous run, 20261007T182504Z-a3f9c1 of 2026-10-03 18:02 UTC:
          no change is shown: the eval config is another one, and a difference may come from it
          the datasets changed between the runs
        ");
        assert!(lines(&summary(&serde_json::Value::Null)).is_empty());
    }
}
