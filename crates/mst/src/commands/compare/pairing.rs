//! Which variant of one run is compared with which of the other.

use mst_cli::{CliError, usage};
use mst_model::VariantName;
use mst_store::RunReader;

use super::stored::Named;

/// Two variants.
pub(super) struct Pair {
    pub(super) baseline: VariantName,
    pub(super) candidate: VariantName,
}

/// Returns the pairs that names and flags mean: those named, else each variant that both runs have.
pub(super) fn pairs(
    old: &Named,
    new: &Named,
    baseline_variant: Option<&str>,
    variants: &[String],
) -> Result<Vec<Pair>, CliError> {
    if old.variant.is_some() && baseline_variant.is_some() {
        return Err(usage("--baseline-variant: A names a variant already"));
    }
    if new.variant.is_some() && !variants.is_empty() {
        return Err(usage("--variant: B names a variant already"));
    }
    let fixed = old.variant.clone().or_else(|| baseline_variant.map(VariantName::from));
    let mut named: Vec<VariantName> =
        new.variant.iter().cloned().chain(variants.iter().map(|name| VariantName::from(name.as_str()))).collect();
    let mut seen = std::collections::HashSet::new();
    named.retain(|name| seen.insert(name.clone()));
    let same_run = old.reader.layout().root() == new.reader.layout().root();
    if let Some(fixed) = &fixed {
        check(&old.reader, fixed)?;
    }
    for name in &named {
        check(&new.reader, name)?;
    }
    let candidates = if named.is_empty() { names(&new.reader) } else { named.clone() };
    let known = names(&old.reader);
    let pairs: Vec<Pair> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let baseline = fixed.clone().unwrap_or_else(|| candidate.clone());
            let is_itself = same_run && baseline == candidate;
            (known.contains(&baseline) && !is_itself).then_some(Pair { baseline, candidate })
        })
        .collect();
    let missing = named.iter().find(|name| fixed.is_none() && !known.contains(name));
    if let Some(missing) = missing.filter(|_| !same_run) {
        let error = usage(format!("run {} has no variant {:?} to compare with", old.reader.id(), missing.as_str()));
        return Err(error.with_hint(format!("choose one with --baseline-variant: {}", list(&known))));
    }
    if !pairs.is_empty() {
        return Ok(pairs);
    }
    Err(if same_run {
        usage(format!("a variant of run {} would be compared with itself", old.reader.id()))
            .with_hint(format!("name two of its variants, A as RUN:NAME and B as RUN:NAME: {}", list(&known)))
    } else {
        usage(format!("runs {} and {} have no variant in common", old.reader.id(), new.reader.id())).with_hint(format!(
            "name one of each, A as RUN:NAME ({}) and B as RUN:NAME ({})",
            list(&known),
            list(&names(&new.reader))
        ))
    })
}

fn names(run: &RunReader) -> Vec<VariantName> {
    run.record().view().variants.iter().map(|variant| variant.name.clone()).collect()
}

fn list(names: &[VariantName]) -> String {
    names.iter().map(VariantName::as_str).collect::<Vec<_>>().join(", ")
}

fn check(run: &RunReader, name: &VariantName) -> Result<(), CliError> {
    let known = names(run);
    if known.contains(name) {
        return Ok(());
    }
    let error = usage(format!("run {} has no variant {:?}", run.id(), name.as_str()));
    Err(match mst_cli::nearest(name.as_str(), known.iter().map(VariantName::as_str)) {
        Some(near) => error.with_hint(format!("did you mean {near:?}?")),
        None => error.with_hint(format!("its variants: {}", list(&known))),
    })
}
