//! Pages: templates in `templates/`, their style in `assets/`.

mod chart;
mod links;
mod scan;
mod style;

pub use links::PageLinks;
pub use scan::scan_html;
