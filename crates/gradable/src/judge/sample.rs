//! The tools that requests are made for.

use mst_mcp::ListedTool;

use crate::surface::Surface;

/// The most tools that requests are made for. Each request shows the judge the whole surface, so that a request for each of
/// a thousand tools would cost thousands of times what the surface does.
pub(crate) const MOST_TOOLS: usize = 60;

/// Returns the tools that requests are made for: all of them, or on a big surface every n-th in the server's order, which
/// puts every group of neighbouring tools in. The same surface gives the same ones.
pub(crate) fn sampled(surface: &Surface) -> Vec<&ListedTool> {
    let count = surface.tools.len();
    if count <= MOST_TOOLS {
        return surface.tools.iter().collect();
    }
    (0..MOST_TOOLS).map(|at| &surface.tools[at * count / MOST_TOOLS]).collect()
}
