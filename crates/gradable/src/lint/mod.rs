//! Rules over a declared surface that need no judge. What they find does not count in a score.
//!
//! `docs/lint.md` says for each rule what it finds, why it matters and what to do. One pass over the tools, each text and
//! each schema looked at once: the work grows with the size of the surface and with nothing else.

mod annotations;
mod findings;
mod hidden;
mod names;
mod parameters;
mod references;
mod rule;
mod schemas;
mod texts;
mod walk;
mod wording;

use mst_model::LintFinding;

pub(crate) use rule::Rule;

use self::findings::Findings;
use crate::surface::Surface;

/// Returns what the rules find: about the listing first, then tool by tool in the server's order.
pub(crate) fn lint(surface: &Surface) -> Vec<LintFinding> {
    let mut found = Findings::default();
    names::listing(surface, &mut found);
    texts::instructions(surface, &mut found);
    for tool in &surface.tools {
        found.about(tool.name());
        names::tool(tool, &mut found);
        texts::tool(tool, &mut found);
        schemas::tool(tool, &mut found);
        parameters::tool(tool, &mut found);
        annotations::tool(tool, &mut found);
    }
    found.list
}
