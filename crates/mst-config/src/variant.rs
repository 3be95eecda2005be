//! A variant with what it inherits, before its client is bound.

use indexmap::IndexMap;
use mst_model::{Catalog, ExtensionKind, ServerConfig, ServerLabel, ToolMetadata};

use crate::client::{Choice, Level};
use crate::dataset::folded;
use crate::diagnostic::Code;
use crate::draft::{EvalDraft, VariantDraft};
use crate::issue::{Issue, Place};
use crate::judges::{PlacedEntry, read_list};
use crate::metric_entry::MetricEntry;
use crate::plan::PlannedMetric;
use crate::reference;
use crate::suggest;

/// A variant, patched over the eval config.
pub(crate) struct ResolvedVariant {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// Its JSON Pointer; empty for the implicit one.
    pub(crate) pointer: String,
    pub(crate) servers: IndexMap<ServerLabel, ServerConfig>,
    pub(crate) choice: Choice,
    pub(crate) tool_map: IndexMap<String, Vec<String>>,
    pub(crate) tools: ToolMetadata,
    /// Where the tool metadata stands.
    pub(crate) tools_place: Place,
    pub(crate) input_template: Option<String>,
    pub(crate) metrics: Vec<PlannedMetric>,
    /// The judges that every case has in it.
    pub(crate) judges: Vec<PlacedEntry>,
    /// Whether they are listed by the variant itself.
    pub(crate) own_judges: bool,
}

/// Returns the eval config's own client settings.
pub(crate) fn config_choice(draft: &EvalDraft) -> Choice {
    Choice::of_config(&Level {
        client: draft.client.as_deref(),
        model: draft.model.as_deref(),
        options: draft.client_options.as_ref(),
        document: 0,
        pointer: String::new(),
    })
}

/// Returns the eval config's own judges.
pub(crate) fn config_judges(draft: &EvalDraft) -> Vec<PlacedEntry> {
    read_list(draft.judges.as_deref().unwrap_or_default(), 0, "/judges")
}

/// Patches every variant over the config; the baseline comes first. Reports names that name nothing.
pub(crate) fn resolve_variants(draft: &EvalDraft, catalog: &Catalog, issues: &mut Vec<Issue>) -> Vec<ResolvedVariant> {
    let base = config_choice(draft);
    let implicit = [VariantDraft { name: "default".to_owned(), ..VariantDraft::default() }];
    let drafts = draft.variants.as_deref().unwrap_or(&implicit);
    check_names(draft, drafts, issues);
    // The config's own list is checked also where every variant has one of its own.
    resolve_metrics(draft.metrics.as_deref().unwrap_or_default(), "/metrics", catalog, issues);
    let mut variants: Vec<ResolvedVariant> = drafts
        .iter()
        .enumerate()
        .map(|(at, variant)| {
            let pointer = if draft.variants.is_some() { format!("/variants/{at}") } else { String::new() };
            resolve_variant(draft, variant, pointer, &base, catalog, issues)
        })
        .collect();
    let baseline = draft.baseline.as_ref().and_then(|name| variants.iter().position(|variant| *name == *variant.name));
    variants[..=baseline.unwrap_or(0)].rotate_right(1);
    variants
}

fn check_names(draft: &EvalDraft, drafts: &[VariantDraft], issues: &mut Vec<Issue>) {
    for (at, variant) in drafts.iter().enumerate() {
        let earlier = drafts[..at].iter().find(|earlier| folded(&earlier.name) == folded(&variant.name));
        if let Some(earlier) = earlier {
            let place = Place::value(0, format!("/variants/{at}/name"));
            let message = if earlier.name == variant.name {
                format!("two variants are named {:?}", variant.name)
            } else {
                format!(
                    "the variants {:?} and {:?} differ only by letter case or normalization",
                    earlier.name, variant.name
                )
            };
            issues.push(
                Issue::error(place, Code::DuplicateName, message)
                    .with_help("some file systems would keep their files in one folder"),
            );
        }
    }
    if let Some(baseline) = &draft.baseline
        && !drafts.iter().any(|variant| *baseline == *variant.name)
    {
        let known: Vec<&str> = drafts.iter().map(|variant| variant.name.as_str()).collect();
        issues.push(
            Issue::error(
                Place::value(0, "/baseline"),
                Code::UnknownName,
                format!("no variant is named {:?}", baseline.as_str()),
            )
            .with_help_if(suggest::help(baseline.as_str(), known)),
        );
    }
}

fn resolve_variant(
    draft: &EvalDraft,
    variant: &VariantDraft,
    pointer: String,
    base: &Choice,
    catalog: &Catalog,
    issues: &mut Vec<Issue>,
) -> ResolvedVariant {
    let level = Level {
        client: variant.client.as_deref(),
        model: variant.model.as_deref(),
        options: variant.client_options.as_ref(),
        document: 0,
        pointer: pointer.clone(),
    };
    let own_tools = variant.tools.is_some();
    let (metrics, metrics_pointer) = match &variant.metrics {
        Some(metrics) => (metrics.as_slice(), format!("{pointer}/metrics")),
        None => (draft.metrics.as_deref().unwrap_or_default(), "/metrics".to_owned()),
    };
    let judges = match &variant.judges {
        Some(judges) => read_list(judges, 0, &format!("{pointer}/judges")),
        None => config_judges(draft),
    };
    ResolvedVariant {
        name: variant.name.clone(),
        description: variant.description.clone(),
        servers: pick_servers(draft, variant, &pointer, issues),
        choice: base.patched(&level),
        tool_map: variant.tool_map.clone().or_else(|| draft.tool_map.clone()).unwrap_or_default(),
        tools: variant.tools.clone().or_else(|| draft.tools.clone()).unwrap_or_default(),
        tools_place: Place::key(0, if own_tools { format!("{pointer}/tools") } else { "/tools".to_owned() }),
        input_template: variant.input_template.clone().or_else(|| draft.input_template.clone()),
        metrics: resolve_metrics(metrics, &metrics_pointer, catalog, issues),
        judges,
        own_judges: variant.judges.is_some(),
        pointer,
    }
}

fn pick_servers(
    draft: &EvalDraft,
    variant: &VariantDraft,
    pointer: &str,
    issues: &mut Vec<Issue>,
) -> IndexMap<ServerLabel, ServerConfig> {
    let Some(labels) = &variant.servers else { return draft.servers.clone() };
    for (at, label) in labels.iter().enumerate() {
        if !draft.servers.contains_key(label.as_str()) {
            let known: Vec<&str> = draft.servers.keys().map(ServerLabel::as_str).collect();
            let place = Place::value(0, format!("{pointer}/servers/{at}"));
            issues.push(
                Issue::error(place, Code::UnknownName, format!("there is no server {label:?}"))
                    .with_help_if(suggest::help(label, known)),
            );
        }
    }
    let picked = |label: &ServerLabel| labels.iter().any(|wanted| *label == *wanted.as_str());
    draft
        .servers
        .iter()
        .filter(|(label, _)| picked(label))
        .map(|(label, server)| (label.clone(), server.clone()))
        .collect()
}

fn resolve_metrics(
    entries: &[MetricEntry],
    pointer: &str,
    catalog: &Catalog,
    issues: &mut Vec<Issue>,
) -> Vec<PlannedMetric> {
    let mut planned: Vec<PlannedMetric> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let place = Place::value(0, format!("{pointer}/{at}"));
        match reference::lookup(catalog, ExtensionKind::Metric, &entry.metric) {
            Err(refusal) => {
                let issue = Issue::error(place, refusal.code, refusal.message).with_help_if(refusal.help);
                if !issues.contains(&issue) {
                    issues.push(issue);
                }
            }
            Ok(found) => {
                let takes_judge = found.options.pointer("/properties/judge").is_some();
                let judge = entry.judge.as_deref().map(|judge| judge.strip_prefix("mst/judge/").unwrap_or(judge));
                if takes_judge != judge.is_some() {
                    let what =
                        if takes_judge { "needs a \"judge\": its name in results" } else { "takes no \"judge\"" };
                    let text = format!("metric {:?} {what}", found.name);
                    let issue = Issue::error(place, Code::InvalidValue, text);
                    if !issues.contains(&issue) {
                        issues.push(issue);
                    }
                    continue;
                }
                let name = entry.name.clone().unwrap_or_else(|| reported_name(&found.name, judge));
                if planned.iter().any(|earlier| earlier.name == name) {
                    let issue =
                        Issue::error(place, Code::DuplicateName, format!("two metrics are reported as {name:?}"));
                    if !issues.contains(&issue) {
                        issues.push(issue);
                    }
                } else {
                    let judge = judge.map(str::to_owned);
                    planned.push(PlannedMetric { metric: found.name.clone(), name, judge });
                }
            }
        }
    }
    planned
}

/// Returns the name that a metric is reported under when the config gives none: that of one judge has the judge's in it.
fn reported_name(metric: &str, judge: Option<&str>) -> String {
    match (judge, metric.strip_prefix("judge_").and_then(|rest| rest.strip_suffix("_for"))) {
        (Some(judge), Some(what)) => format!("judge_{}_{what}", judge.replace('-', "_")),
        _ => metric.to_owned(),
    }
}
