//! The page of an eval's history: how its variants did from run to run.

mod chart;
mod page;
mod series;

pub use page::history_html;
