//! Pages and texts from stored results.
//!
//! Everything here is a pure function from what a file holds to a text. What came from a server or a model is data: it is
//! escaped, never markup, a link or a path.

mod board;
mod ci;
mod declared;
mod fix_brief;
mod history;
mod page;
mod run;
mod sarif;
mod scan;
mod text;

pub use board::{BOARD_FORMAT, Board, BoardRow, Configuration, FailedRow, LeftOut, NoPlace, board_html, board_json};
pub use ci::{
    CaseEnd, CasePlace, CaseVerdict, Gate, GateEnd, Lack, RunEnds, StoredCase, annotations, badge_svg, cases_sarif,
    junit, step_summary,
};
pub use declared::{Declared, DeclaredTool};
pub use fix_brief::fix_brief;
pub use history::history_html;
pub use page::{PageLinks, scan_html};
pub use run::{Finished, REPORT_BUILDER, ReportKey, RunReport, Script};
pub use sarif::scan_sarif;
pub use scan::markdown::scan_markdown;
