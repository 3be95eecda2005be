//! Charts as SVG, drawn with attributes alone: a page's policy allows no style but its own.
//!
//! Places are in percent, so that a chart takes the width it is given and its letters keep their size.

use std::fmt::{self, Write as _};

use askama::filters::HtmlSafe;

use crate::text::number::points;

/// The limits of the grades, and the ends of the scale.
const LIMITS: [u32; 6] = [0, 60, 70, 80, 90, 100];

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
            "<svg class=\"bar\" aria-hidden=\"true\"><rect class=\"track\" width=\"100%\" height=\"100%\"/>\
             <rect class=\"fill\" width=\"{width:.2}%\" height=\"100%\"/></svg>"
        ))
    }

    /// Takes what was drawn elsewhere: an `svg` element of attributes alone, everything from outside escaped.
    pub(crate) fn drawn(svg: String) -> Self {
        Self(svg)
    }

    /// Draws a rate and its likely range (0 to 100 each) on a scale with a tick each quarter. The words stand beside it.
    pub(crate) fn rate(rate: f64, ends: Option<[f64; 2]>) -> Self {
        let mut svg = String::from("<svg class=\"range rate\" aria-hidden=\"true\">");
        svg.push_str("<rect class=\"track\" y=\"11\" width=\"100%\" height=\"6\" rx=\"3\"/>");
        for x in [0, 25, 50, 75, 100] {
            write!(svg, "<line class=\"tick\" x1=\"{x}%\" x2=\"{x}%\" y1=\"5\" y2=\"23\"/>")
                .expect("a string takes any text");
        }
        svg.push_str(&marks(rate, ends.unwrap_or([rate, rate]), [8, 12, 7]));
        Self(svg + "</svg>")
    }

    /// Draws a total and its likely range on a scale of 0 to 100 with the limits of the grades.
    pub(crate) fn range(total: f64, shown: &str, ends: [f64; 2]) -> Self {
        let [lower, upper] = ends.map(points);
        let label = format!("{shown} of 100, likely between {lower} and {upper}");
        let mut svg = format!("<svg class=\"range\" role=\"img\" aria-label=\"{label}\">");
        svg.push_str("<rect class=\"track\" y=\"10\" width=\"100%\" height=\"8\" rx=\"4\"/>");
        for x in LIMITS {
            write!(svg, "<line class=\"tick\" x1=\"{x}%\" x2=\"{x}%\" y1=\"6\" y2=\"22\"/>")
                .expect("a string takes any text");
            write!(svg, "<text x=\"{x}%\" y=\"37\" text-anchor=\"middle\">{x}</text>")
                .expect("a string takes any text");
        }
        svg.push_str(&marks(total, ends, [8, 12, 6]));
        Self(svg + "</svg>")
    }

    /// Draws the same without words, for a table that has the numbers beside it.
    pub(crate) fn small_range(total: f64, ends: [f64; 2]) -> Self {
        let track = "<rect class=\"track\" y=\"6\" width=\"100%\" height=\"4\" rx=\"2\"/>";
        let marks = marks(total, ends, [3, 10, 4]);
        Self(format!("<svg class=\"range small\" aria-hidden=\"true\">{track}{marks}</svg>"))
    }
}

/// Draws a band and a dot on it: `[y, height]` of the band, and the dot's radius.
fn marks(total: f64, ends: [f64; 2], [y, height, radius]: [u32; 3]) -> String {
    let [total, lower, upper] = [total, ends[0], ends[1]].map(|value| value.clamp(0.0, 100.0));
    format!(
        "<rect class=\"band\" x=\"{lower:.2}%\" y=\"{y}\" width=\"{:.2}%\" height=\"{height}\" rx=\"3\"/>\
         <circle class=\"dot\" cx=\"{total:.2}%\" cy=\"{}\" r=\"{radius}\"/>",
        (upper - lower).max(0.0),
        y + height / 2
    )
}

/// Returns the least of 1, 2, 2.5, 4, 5 or 8 times a power of ten that is not below a value.
pub(crate) fn nice_above(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 2.5, 4.0, 5.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * power).find(|step| *step >= value).unwrap_or(10.0 * power)
}
