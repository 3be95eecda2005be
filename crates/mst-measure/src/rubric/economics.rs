//! What a surface costs, in tokens.

use mst_model::{Economics, HarnessMetrics, ResponseSource, TokenSource};

use super::exact::{fraction, nearest};
use super::fault::RubricFault;

/// The tokens of the whole tool surface, and how they were counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DefinitionCount {
    /// The tokens.
    pub tokens: f64,
    /// How they were counted.
    pub source: TokenSource,
}

/// The sizes of a server's answers in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseSizes {
    /// UTF-8 bytes of all tool results together.
    pub bytes: u64,
    /// The run, and how many trials and results were counted.
    pub source: ResponseSource,
}

/// Returns the economics block of a report. A response's tokens are its UTF-8 bytes / 4.
///
/// # Errors
/// Response sizes are given of no result.
pub fn economics(
    definition: DefinitionCount,
    baseline: &HarnessMetrics,
    responses: Option<ResponseSizes>,
) -> Result<Economics, RubricFault> {
    let mean = match &responses {
        None => None,
        Some(sizes) if sizes.source.results == 0 => return Err(RubricFault::NoResponses),
        Some(sizes) => Some(nearest(&(fraction(sizes.bytes, 4) / fraction(sizes.source.results, 1)))),
    };
    Ok(Economics {
        definition_tokens: definition.tokens,
        definition_tokens_source: definition.source,
        avg_tokens_per_task: baseline.avg_token_cost_per_task,
        avg_response_tokens: mean,
        response_source: responses.map(|sizes| sizes.source),
    })
}
