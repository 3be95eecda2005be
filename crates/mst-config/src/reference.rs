//! From a reference in a config to what is registered under it.

use mst_model::{Catalog, CatalogEntry, ExtensionKind, Reference};

use crate::diagnostic::Code;
use crate::key::{Refusal, not_available};
use crate::suggest;

/// Returns what a reference names.
pub(crate) fn lookup<'c>(catalog: &'c Catalog, kind: ExtensionKind, text: &str) -> Result<&'c CatalogEntry, Refusal> {
    if let Some(entry) = catalog.get(kind, text) {
        return match &entry.unavailable {
            None => Ok(entry),
            Some(why) => Err(Refusal { code: Code::NotAvailable, message: why.clone(), help: None }),
        };
    }
    let invalid = |message: String| Refusal { code: Code::InvalidValue, message, help: None };
    match text.parse::<Reference>() {
        Ok(Reference::Plugin { kind: other, .. } | Reference::BuiltIn { kind: Some(other), .. }) if other != kind => {
            Err(invalid(format!("{text:?} names a {other}; a {kind} is needed here")))
        }
        Ok(Reference::Plugin { .. }) => Err(not_available(&format!("the plugin {kind} {text:?}"))),
        Err(error) if text.contains('/') => Err(invalid(error.to_string())),
        _ => {
            // A misspelt name of a later version is told apart by its own refusal; the list names what works here.
            let every: Vec<&str> = catalog.names(kind).collect();
            let here = catalog.entries.iter().filter(|entry| entry.kind == kind && entry.unavailable.is_none());
            let near = suggest::nearest(text, every).map(|near| format!("did you mean {near:?}?"));
            let known = || format!("known: {}", here.map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", "));
            Err(Refusal {
                code: Code::UnknownName,
                message: format!("there is no {kind} {text:?}"),
                help: Some(near.unwrap_or_else(known)),
            })
        }
    }
}
