//! The eval's history, rule by rule.

mod eras;
mod regrades;
mod rows;
mod since;
mod support;
