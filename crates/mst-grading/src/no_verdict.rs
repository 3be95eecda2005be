//! Why a grader gave no verdict.

use std::time::Duration;

/// A grader that could not come to a verdict. The trial is then neither passed nor failed by it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoVerdict {
    /// The pattern is not an ECMAScript regular expression.
    #[error("/{pattern}/ is not a valid pattern: {reason}")]
    InvalidPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The text is longer than patterns are run on.
    #[error("the text has {bytes} bytes, and patterns are run on at most {limit}")]
    TextTooLong {
        /// Its length in bytes.
        bytes: usize,
        /// The most that is searched.
        limit: usize,
    },
    /// The patterns did not come to an end in time.
    #[error("patterns were not done after {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// Earlier patterns that do not come to an end hold every thread.
    #[error("all {0} threads for patterns are held by earlier ones that do not come to an end")]
    Busy(usize),
    /// The thread for patterns did not start or died.
    #[error("the thread for patterns failed: {0}")]
    Thread(String),
}
