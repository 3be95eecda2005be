//! Charts as SVG, drawn with attributes alone: a page's policy allows no style but its own.

use std::fmt::{self, Write as _};

use askama::filters::HtmlSafe;

use crate::text::number::points;

/// An SVG element, ready for a page.
#[derive(Clone, Debug)]
pub(crate) struct Chart(String);

impl fmt::Display for Chart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Chart {}

impl Chart {
    /// Draws a share, 0 to 1, as a bar. The number stands beside it in words, so it is hidden from those who do not see it.
    pub(crate) fn bar(share: f64) -> Self {
        let width = share.clamp(0.0, 1.0) * 100.0;
        Self(format!(
            "<svg class=\"bar\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
             <rect class=\"track\" width=\"100\" height=\"4\"/><rect class=\"fill\" width=\"{width:.2}\" height=\"4\"/></svg>"
        ))
    }

    /// Draws a total and its likely range on a scale of 0 to 100 with the limits of the grades.
    pub(crate) fn range(total: f64, shown: &str, [lower, upper]: [f64; 2]) -> Self {
        let scale = |value: f64| value.clamp(0.0, 100.0) * 6.0;
        let label =
            format!("{shown} of 100, likely between {} and {}; not part of the method", points(lower), points(upper));
        let mut svg = format!("<svg class=\"range\" viewBox=\"-10 0 620 40\" role=\"img\" aria-label=\"{label}\">");
        svg.push_str("<rect class=\"track\" y=\"10\" width=\"600\" height=\"8\" rx=\"4\"/>");
        for limit in [0.0, 60.0, 70.0, 80.0, 90.0, 100.0] {
            let x = scale(limit);
            write!(svg, "<line class=\"tick\" x1=\"{x}\" x2=\"{x}\" y1=\"6\" y2=\"22\"/><text x=\"{x}\" y=\"36\" text-anchor=\"middle\">{limit}</text>")
                .expect("a string takes any text");
        }
        let (from, to) = (scale(lower), scale(upper));
        write!(
            svg,
            "<rect class=\"band\" x=\"{from:.1}\" y=\"8\" width=\"{:.1}\" height=\"12\" rx=\"3\"/><circle class=\"dot\" cx=\"{:.1}\" cy=\"14\" r=\"6\"/></svg>",
            (to - from).max(0.0),
            scale(total)
        )
        .expect("a string takes any text");
        Self(svg)
    }
    /// Draws the same without words, for a table that has the numbers beside it.
    pub(crate) fn small_range(total: f64, [lower, upper]: [f64; 2]) -> Self {
        let [total, lower, upper] = [total, lower, upper].map(|value| value.clamp(0.0, 100.0));
        Self(format!(
            "<svg class=\"range small\" viewBox=\"-3 0 106 8\" aria-hidden=\"true\"><rect class=\"track\" y=\"3\" width=\"100\" \
             height=\"2\"/><rect class=\"band\" x=\"{lower:.1}\" y=\"1.5\" width=\"{:.1}\" height=\"5\" rx=\"1\"/><circle class=\"dot\" \
             cx=\"{total:.1}\" cy=\"4\" r=\"2.5\"/></svg>",
            (upper - lower).max(0.0)
        ))
    }
}
