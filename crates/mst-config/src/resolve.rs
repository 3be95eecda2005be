//! From a checked config, its datasets and the catalog to the plan: every name bound, every inherited value filled in.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr};

use indexmap::IndexMap;
use mst_model::{Catalog, DatasetRecord, EvalCase, ServerConfig, VariantName, canonical_json, content_hash_of_list};
use serde_json::Value;
use url::{Host, Url};

use crate::binder::Binder;
use crate::cases::Cases;
use crate::client::{Choice, Level};
use crate::dataset::{LoadedCase, LoadedDataset, check_ids};
use crate::diagnostic::{Code, Severity};
use crate::draft::EvalDraft;
use crate::issue::{Issue, Place, join};
use crate::judges;
use crate::limits;
use crate::pairwise_judges;
use crate::plan::{PLACEHOLDER, Plan, PlannedBatch, PlannedCase, PlannedClient, PlannedDataset, PlannedVariant};
use crate::request::SelectionFlags;
use crate::select;
use crate::suggest;
use crate::ungraded_case;
use crate::unknown_server;
use crate::variant::{ResolvedVariant, config_choice, config_judges, resolve_variants};
use crate::write_mode;

/// What a plan is made of.
pub(crate) struct Parts<'a> {
    pub(crate) draft: &'a EvalDraft,
    /// The config's content hash.
    pub(crate) content_hash: String,
    pub(crate) datasets: Vec<LoadedDataset>,
    pub(crate) catalog: &'a Catalog,
    pub(crate) flags: &'a SelectionFlags,
    /// Whether writes may reach a service.
    pub(crate) allow_live_writes: bool,
}

/// Makes the plan, with warnings; every error at once when there is one.
pub(crate) fn resolve(parts: Parts<'_>) -> Result<(Plan, Vec<Issue>), Vec<Issue>> {
    let Parts { draft, content_hash, mut datasets, catalog, flags, allow_live_writes } = parts;
    let controls = draft.controls();
    let mut issues = check_ids(&datasets);
    issues.extend(check_flags(flags));
    issues.extend(plain_http(draft));
    let variants = resolve_variants(draft, catalog, &mut issues);
    issues.extend(check_variant_flags(&variants, flags));
    issues.extend(write_mode::check(draft, &variants, flags, allow_live_writes));
    let limits = limits::resolve(draft, &mut issues);
    issues.extend(check_templates(draft, &variants));
    issues.extend(select::select_cases(&mut datasets, flags, &controls));
    issues.extend(unknown_server::warnings(&datasets, &variants));
    issues.extend(judges::check(&config_judges(draft), &variants, &datasets, catalog));
    let pairwise = draft.pairwise_judges.as_deref().unwrap_or_default();
    let pairwise = pairwise_judges::resolve(pairwise, catalog, &mut issues);
    issues.extend(pairwise_judges::warnings(&pairwise, &variants, flags));
    issues.extend(ungraded_case::warnings(&datasets, &variants));

    let mut binder = Binder::new(catalog, draft.client_defaults());
    let bound: Vec<Option<BoundVariant>> =
        variants.iter().map(|variant| bind_variant(&mut binder, variant, &datasets, draft)).collect();
    binder.check_defaults(draft.model.is_some());
    if draft.client.is_some() {
        // Told also where every variant has a client of its own.
        binder.bind(&config_choice(draft));
    }
    issues.append(&mut binder.issues);

    let (errors, warnings): (Vec<Issue>, Vec<Issue>) =
        issues.into_iter().partition(|issue| issue.severity == Severity::Error);
    if !errors.is_empty() {
        return Err(errors.into_iter().chain(warnings).collect());
    }
    let trials = Trials { flag: flags.trials, config: controls.trials, threshold: controls.pass_threshold };
    let wanted = |name: &str| flags.variants.is_empty() || flags.variants.iter().any(|wanted| wanted == name);
    let baseline = variants.first().map_or_else(|| VariantName::new("default"), |first| first.name.as_str().into());
    let planned: Vec<PlannedVariant> = variants
        .into_iter()
        .zip(bound)
        .filter(|(variant, _)| wanted(&variant.name))
        .filter_map(|(variant, bound)| Some(plan_variant(variant, bound?, &datasets, &trials)))
        .collect();
    let selection = select::record(flags);
    let mut cases = datasets.iter().flat_map(|dataset| &dataset.cases);
    let has_judges =
        planned.iter().any(|variant| !variant.judges.is_empty()) || cases.any(|loaded| loaded.head.has_judges);
    let plan = Plan {
        name: draft.name.clone(),
        content_hash,
        variants: planned,
        baseline,
        datasets: datasets.into_iter().map(plan_dataset).collect(),
        concurrency: controls.concurrency.unwrap_or(1),
        partial: selection.is_some(),
        selection,
        redact_stored_responses: draft.redact_stored_responses.unwrap_or(true),
        has_judges,
        pairwise_judges: pairwise,
        pricing: draft.pricing.clone().unwrap_or_default(),
        writes: write_mode::of_config(draft),
        limits,
        warnings: Vec::new(),
    };
    Ok((plan, warnings))
}

/// A variant's clients: its own, and for each dataset the groups of cases that share one.
struct BoundVariant {
    client: PlannedClient,
    batches: Vec<(usize, PlannedClient, Vec<usize>)>,
}

fn bind_variant(
    binder: &mut Binder<'_>,
    variant: &ResolvedVariant,
    datasets: &[LoadedDataset],
    draft: &EvalDraft,
) -> Option<BoundVariant> {
    check_client_support(binder, variant, &variant.choice, draft);
    let own = binder.bind(&variant.choice);
    let mut batches = Vec::new();
    for (at, dataset) in datasets.iter().enumerate() {
        let mut groups: IndexMap<String, (PlannedClient, Vec<usize>)> = IndexMap::new();
        let mut plain: Vec<usize> = Vec::new();
        for (index, loaded) in dataset.cases.iter().enumerate() {
            if loaded.head.own.is_none() {
                plain.push(index);
                continue;
            }
            let level = case_level(loaded);
            let choice = variant.choice.patched(&level);
            check_client_support(binder, variant, &choice, draft);
            if let Some(client) = binder.bind(&choice) {
                groups.entry(canonical_json(&client)).or_insert_with(|| (client, Vec::new())).1.push(index);
            }
        }
        if let (Some(own), false) = (&own, plain.is_empty()) {
            let same = groups.entry(canonical_json(own)).or_insert_with(|| (own.clone(), Vec::new()));
            same.1.append(&mut plain);
            same.1.sort_unstable();
        }
        let mut of_dataset: Vec<_> = groups.into_values().map(|(client, cases)| (at, client, cases)).collect();
        of_dataset.sort_by_key(|(_, _, cases)| cases.first().copied());
        batches.extend(of_dataset);
    }
    Some(BoundVariant { client: own?, batches })
}

fn case_level(loaded: &LoadedCase) -> Level<'_> {
    let own = loaded.head.own.as_deref();
    Level {
        client: own.and_then(|own| own.client.as_deref()),
        model: own.and_then(|own| own.model.as_deref()),
        options: own.and_then(|own| own.options.as_ref()),
        document: loaded.document,
        pointer: loaded.pointer(),
    }
}

/// Reports settings that the client cannot honour.
fn check_client_support(binder: &mut Binder<'_>, variant: &ResolvedVariant, choice: &Choice, draft: &EvalDraft) {
    let Some(entry) = binder.entry(choice) else { return };
    if !variant.tools.is_empty() && !entry.tool_metadata {
        let message = format!("the client {:?} does not present tool metadata", choice.client);
        binder.report(Issue::error(variant.tools_place.clone(), Code::Conflict, message));
    }
    let concurrency = draft.controls().concurrency.unwrap_or(1);
    if let Some(limit) = entry.max_concurrency.filter(|limit| concurrency > *limit) {
        let pointer = if draft.concurrency.is_some() { "/concurrency" } else { "/run/concurrency" };
        let message = format!(
            "\"concurrency\" is {concurrency}, and the client {:?} runs at most {limit} at once",
            choice.client
        );
        binder.report(Issue::error(Place::value(0, pointer), Code::InvalidValue, message));
    }
}

/// How many trials a case runs, and what share must pass.
struct Trials {
    flag: Option<u32>,
    config: Option<u32>,
    threshold: Option<f64>,
}

fn plan_variant(
    variant: ResolvedVariant,
    bound: BoundVariant,
    datasets: &[LoadedDataset],
    trials: &Trials,
) -> PlannedVariant {
    let plan_case = |dataset: usize, index: usize| {
        let case = &datasets[dataset].cases[index].head;
        PlannedCase {
            case: index,
            id: case.id.clone(),
            trials: trials.flag.or(case.trials).or(trials.config).unwrap_or(1),
            pass_threshold: case.pass_threshold.or(trials.threshold).unwrap_or(1.0),
        }
    };
    let batches = bound
        .batches
        .into_iter()
        .map(|(dataset, client, cases)| PlannedBatch {
            dataset,
            client,
            cases: cases.into_iter().map(|index| plan_case(dataset, index)).collect(),
        })
        .collect();
    PlannedVariant {
        name: variant.name.into(),
        description: variant.description,
        servers: variant.servers,
        client: bound.client,
        tool_map: variant.tool_map,
        tools: variant.tools,
        input_template: variant.input_template,
        metrics: variant.metrics,
        judges: variant.judges.into_iter().map(|placed| placed.entry).collect(),
        own_judges: variant.own_judges,
        batches,
    }
}

fn plan_dataset(dataset: LoadedDataset) -> PlannedDataset {
    let source_type = dataset.source.type_name().to_owned();
    let all = dataset.cases.len() == dataset.stored.len();
    let cases =
        if all { dataset.stored } else { dataset.stored.select(dataset.cases.iter().map(|loaded| loaded.stored)) };
    PlannedDataset {
        record: DatasetRecord {
            name: dataset.name,
            case_count: cases.len(),
            content_hash: content_hash_of_list(cases.iter()),
            cases_hash: cases_hash(&cases),
            source: None,
            snapshot: None,
            source_type: Some(source_type),
        },
        cases,
    }
}

/// Returns the hash of cases without their own judges; `None` where none has any.
///
/// Their references stay: what a judge is given is no part of its identity, so that another one would go unseen.
fn cases_hash(cases: &Cases) -> Option<String> {
    let reference = |judge: &Value| judge.get("reference").cloned();
    let without =
        cases.iter().map(|case| EvalCase { judges: case.judges.iter().filter_map(reference).collect(), ..case });
    cases.iter().any(|case| !case.judges.is_empty()).then(|| content_hash_of_list(without))
}

fn check_flags(flags: &SelectionFlags) -> Vec<Issue> {
    [("--max-cases", flags.max_cases), ("--trials", flags.trials)]
        .into_iter()
        .filter(|(_, value)| *value == Some(0))
        .map(|(flag, _)| Issue::error(Place::flag(), Code::InvalidValue, format!("{flag} must be at least 1")))
        .collect()
}

fn check_variant_flags(variants: &[ResolvedVariant], flags: &SelectionFlags) -> Vec<Issue> {
    let known: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
    let missing = flags.variants.iter().filter(|name| !known.contains(&name.as_str()));
    missing
        .map(|name| {
            Issue::error(Place::flag(), Code::UnknownName, format!("--variant: there is no variant {name:?}"))
                .with_help_if(suggest::help(name, known.clone()))
        })
        .collect()
}

/// Warns of templates that leave the input out, so that every case would send the same prompt.
fn check_templates(draft: &EvalDraft, variants: &[ResolvedVariant]) -> Vec<Issue> {
    let mut seen = BTreeSet::new();
    let without = variants
        .iter()
        .filter(|variant| variant.input_template.as_deref().is_some_and(|template| !template.contains(PLACEHOLDER)));
    without
        .filter_map(|variant| {
            let own =
                draft.variants.iter().flatten().any(|own| own.name == variant.name && own.input_template.is_some());
            let pointer = if own { format!("{}/inputTemplate", variant.pointer) } else { "/inputTemplate".to_owned() };
            seen.insert(pointer.clone()).then(|| {
                let message = "\"inputTemplate\" has no \"{{input}}\", so every case sends the same prompt";
                Issue::warning(Place::value(0, pointer), Code::InvalidValue, message)
            })
        })
        .collect()
}

/// Warns of servers that are spoken to without TLS over a network.
fn plain_http(draft: &EvalDraft) -> Vec<Issue> {
    let entries = draft.servers.iter().filter_map(|(label, server)| match server {
        ServerConfig::Http(server) => Some((label, server)),
        ServerConfig::Stdio(_) => None,
    });
    entries
        .filter_map(|(label, server)| {
            let url = Url::parse(&server.server_url).ok()?;
            (url.scheme() == "http" && !is_loopback(&url)).then(|| {
                let place = Place::value(0, format!("{}/serverUrl", join("/servers", label.as_str())));
                let message =
                    format!("the server {:?} is reached over plain http, not on this machine", label.as_str());
                Issue::warning(place, Code::Unsafe, message).with_help("use https")
            })
        })
        .collect()
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => Ipv4Addr::is_loopback(&address),
        Some(Host::Ipv6(address)) => Ipv6Addr::is_loopback(&address),
        None => false,
    }
}
