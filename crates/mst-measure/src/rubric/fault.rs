//! What cannot be scored.

/// Why there is nothing to score.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RubricFault {
    /// No rate has a denominator.
    #[error("there is no task, so no rate has a denominator")]
    NoTasks,
    /// A count that is not a finite number of 0 or more.
    #[error("{what} is {value}, not a number of 0 or more")]
    NotACount {
        /// What was counted.
        what: String,
        /// What it said.
        value: f64,
    },
    /// The mean of no responses.
    #[error("there is no tool result, so there is no mean response")]
    NoResponses,
}
