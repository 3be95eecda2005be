//! Pages: templates in `templates/`, their style in `assets/`.

mod chart;
mod links;
mod scan;
mod split;
mod style;

pub(crate) use chart::{Chart, nice_above};
pub use links::PageLinks;
pub use scan::scan_html;
pub(crate) use style::Style;
