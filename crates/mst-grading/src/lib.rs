//! Assertions and graders over recorded trials.
