//! What a finished run tells the machines around it: test reports, step summaries, annotations, findings, a badge.
//!
//! Each form is a function of [`RunEnds`], which holds a run's cases without their transcripts.

mod annotations;
mod badge;
mod case_end;
mod findings;
mod gate;
mod junit;
mod run_ends;
mod step_summary;
mod stored_case;
mod xml;

pub use annotations::annotations;
pub use badge::badge_svg;
pub use case_end::{CaseEnd, CasePlace, CaseVerdict, Lack};
pub use findings::cases_sarif;
pub use gate::{Gate, GateEnd};
pub use junit::junit;
pub use run_ends::RunEnds;
pub use step_summary::step_summary;
pub use stored_case::StoredCase;
