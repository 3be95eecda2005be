//! What changed between two rows, in words, and whether what follows measured in another way.

use std::collections::{BTreeMap, BTreeSet};

use mst_model::{
    DatasetRecord, HistoryChange, HistoryRow, HistoryVariant, Phase, RecordedJudge, RecordedPlugin, RecordedServer,
    VariantName,
};

use super::options;

/// Returns what all variants share that changed.
pub(super) fn shared(before: &HistoryRow, now: &HistoryRow) -> Vec<HistoryChange> {
    let mut found = Changes { variant: None, changes: Vec::new() };
    datasets(before, now, &mut found);
    judges(before, now, "config", true, &mut found);
    judges(before, now, "pairwise", false, &mut found);
    plugins(before.plugins.as_deref(), now.plugins.as_deref(), &mut found);
    if before.simulate_writes.unwrap_or(false) != now.simulate_writes.unwrap_or(false) {
        found.ends(words("simulateWrites", before.simulate_writes == Some(true), now.simulate_writes == Some(true)));
    }
    if before.replayed.unwrap_or(false) != now.replayed.unwrap_or(false) {
        let answers = |row: &HistoryRow| if row.replayed == Some(true) { "a tape" } else { "models and servers" };
        found.ends(words("answers from", answers(before), answers(now)));
    }
    if before.content_hash != now.content_hash {
        found.noted("eval config".to_owned());
    }
    if before.mst != now.mst {
        found.noted(words("mst", &before.mst.version, &now.mst.version));
    }
    let (old, new) = (before.variants.keys(), now.variants.keys());
    for name in new.filter(|name| !before.variants.contains_key(*name)) {
        found.noted(format!("variant {name} added"));
    }
    // One that was stopped lacks the variants that it did not come to.
    for name in old.filter(|name| now.phases.collect == Phase::Complete && !now.variants.contains_key(*name)) {
        found.noted(format!("variant {name} removed"));
    }
    found.changes
}

/// Returns what changed of a variant's own setup. Where the config's judges changed, so did the variant's list of them.
pub(super) fn own(
    name: &VariantName,
    (before, now): (&HistoryVariant, &HistoryVariant),
    judges_changed: bool,
) -> Vec<HistoryChange> {
    let mut found = Changes { variant: Some(name), changes: Vec::new() };
    for (what, before, now) in [("client", &before.client, &now.client), ("model", &before.model, &now.model)] {
        if before != now {
            found.ends(words(what, or_none(before.as_deref()), or_none(now.as_deref())));
        }
    }
    if before.offline != now.offline {
        let kind = |variant: &HistoryVariant| if variant.offline { "the offline baseline" } else { "a language model" };
        found.ends(words("answered by", kind(before), kind(now)));
    }
    let (old, new) = (&before.setup, &now.setup);
    found.changes.extend(options::changed(old, new).map(|what| ending(what.to_owned(), Some(name))));
    servers(&before.servers, &now.servers, &mut found);
    for (what, old, new) in
        [("tool metadata", &old.tools, &new.tools), ("input template", &old.input_template, &new.input_template)]
    {
        if old != new {
            found.ends(what.to_owned());
        }
    }
    let set = |names: &Option<Vec<String>>| names.iter().flatten().cloned().collect::<BTreeSet<String>>();
    if !judges_changed && (set(&old.judges) != set(&new.judges) || old.own_judges != new.own_judges) {
        found.ends("judges".to_owned());
    }
    for (label, mode) in old.write_modes.iter().flatten() {
        let later = new.write_modes.as_ref().and_then(|modes| modes.get(label));
        if let Some(later) = later.filter(|later| *later != mode) {
            found.ends(words(&format!("write mode of {label}"), mode.as_str(), later.as_str()));
        }
    }
    if !before.apps.is_empty() && !now.apps.is_empty() && before.apps != now.apps {
        found.noted(words("client app", before.apps.join(", "), now.apps.join(", ")));
    }
    if !old.trials.is_empty() && !new.trials.is_empty() && old.trials != new.trials {
        let list = |trials: &[u32]| trials.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        found.noted(words("trials per case", list(&old.trials), list(&new.trials)));
    }
    found.changes
}

/// Makes a change that ends an era.
pub(super) fn ending(what: String, variant: Option<&VariantName>) -> HistoryChange {
    HistoryChange { what, variant: variant.cloned(), ends_era: true }
}

/// What was found so far.
struct Changes<'a> {
    variant: Option<&'a VariantName>,
    changes: Vec<HistoryChange>,
}

impl Changes<'_> {
    fn ends(&mut self, what: String) {
        self.changes.push(ending(what, self.variant));
    }

    fn noted(&mut self, what: String) {
        self.changes.push(HistoryChange { what, variant: self.variant.cloned(), ends_era: false });
    }
}

fn words(what: &str, before: impl std::fmt::Display, now: impl std::fmt::Display) -> String {
    format!("{what}: {before} → {now}")
}

fn or_none(text: Option<&str>) -> &str {
    text.unwrap_or("none")
}

fn datasets(before: &HistoryRow, now: &HistoryRow, found: &mut Changes<'_>) {
    fn by_name(row: &HistoryRow) -> BTreeMap<&str, &DatasetRecord> {
        row.datasets.iter().map(|dataset| (dataset.name.as_str(), dataset)).collect()
    }
    let (old, new) = (by_name(before), by_name(now));
    for (name, dataset) in &new {
        match old.get(name) {
            None => found.ends(format!("dataset {name} added")),
            Some(earlier) if earlier.snapshot != dataset.snapshot => found.ends(words(
                &format!("snapshot of dataset {name}"),
                or_none(earlier.snapshot.as_deref()),
                or_none(dataset.snapshot.as_deref()),
            )),
            Some(earlier) if earlier.content_hash != dataset.content_hash => {
                found.ends(format!("dataset {name}: {}", cases(before, now, earlier.case_count != dataset.case_count)));
            }
            Some(_) => {}
        }
    }
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        found.ends(format!("dataset {name} removed"));
    }
}

/// Says what became of a dataset's cases, as far as both runs' cases are known.
fn cases(before: &HistoryRow, now: &HistoryRow, is_resized: bool) -> String {
    let whole = |row: &HistoryRow| row.phases.collect == Phase::Complete;
    let (old, new): (BTreeSet<_>, BTreeSet<_>) = (before.case_ids.iter().collect(), now.case_ids.iter().collect());
    let (added, removed) = (new.difference(&old).count(), old.difference(&new).count());
    match (whole(before) && whole(now), added, removed) {
        (true, 0, 0) => "cases edited".to_owned(),
        (true, added, 0) => format!("{added} added"),
        (true, 0, removed) => format!("{removed} removed"),
        (true, added, removed) => format!("{added} added, {removed} removed"),
        (false, ..) if is_resized => "cases added or removed".to_owned(),
        (false, ..) => "cases changed".to_owned(),
    }
}

fn judges(before: &HistoryRow, now: &HistoryRow, level: &str, ends: bool, found: &mut Changes<'_>) {
    fn name(judge: &RecordedJudge) -> &str {
        judge.name.as_deref().unwrap_or(&judge.judge)
    }
    let at_level = |row: &HistoryRow| -> BTreeMap<String, String> {
        let judges = row.judges.iter().filter(|judge| judge.level == level);
        judges.map(|judge| (name(judge).to_owned(), judge.identity.clone())).collect()
    };
    let kind = if level == "config" { "judge" } else { "pairwise judge" };
    let (old, new) = (at_level(before), at_level(now));
    let mut tell = |what: String| if ends { found.ends(what) } else { found.noted(what) };
    for (name, identity) in &new {
        match old.get(name) {
            None => tell(format!("{kind} {name} added")),
            // One whose identity was not recorded may be the same.
            Some(earlier) if earlier != identity && !earlier.is_empty() && !identity.is_empty() => {
                tell(format!("{kind} {name}"));
            }
            Some(_) => {}
        }
    }
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        tell(format!("{kind} {name} removed"));
    }
}

fn plugins(before: Option<&[RecordedPlugin]>, now: Option<&[RecordedPlugin]>, found: &mut Changes<'_>) {
    let (Some(before), Some(now)) = (before, now) else { return };
    let find = |plugins: &'_ [RecordedPlugin], wanted: &RecordedPlugin| -> Option<usize> {
        plugins.iter().position(|plugin| plugin.name == wanted.name && plugin.namespace == wanted.namespace)
    };
    for plugin in now {
        let name = &plugin.name;
        let Some(earlier) = find(before, plugin).map(|at| &before[at]) else {
            found.noted(format!("plugin {name} added"));
            continue;
        };
        if earlier.version != plugin.version {
            let (old, new) = (or_none(earlier.version.as_deref()), or_none(plugin.version.as_deref()));
            found.ends(words(&format!("plugin {name}"), old, new));
        } else if earlier.settings_hash != plugin.settings_hash {
            found.ends(format!("settings of plugin {name}"));
        }
    }
    for plugin in before.iter().filter(|plugin| find(now, plugin).is_none()) {
        found.noted(format!("plugin {} removed", plugin.name));
    }
}

fn servers(before: &[RecordedServer], now: &[RecordedServer], found: &mut Changes<'_>) {
    for server in now {
        match before.iter().find(|earlier| earlier.label == server.label) {
            None => found.ends(format!("server {} added", server.label)),
            Some(earlier) if earlier != server => found.ends(format!("server {}", server.label)),
            Some(_) => {}
        }
    }
    for server in before.iter().filter(|earlier| !now.iter().any(|server| server.label == earlier.label)) {
        found.ends(format!("server {} removed", server.label));
    }
}
