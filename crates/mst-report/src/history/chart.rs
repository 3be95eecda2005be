//! Lines from run to run. Places are in percent, so that a chart takes the width it is given.

use std::fmt::Write as _;

use super::series::Point;
use crate::page::Chart;
use crate::text::line::Escaped;

/// How a chart is scaled and what it says.
pub(super) struct Scale<'a> {
    /// The value at the top; 0 is at the bottom.
    pub(super) top: f64,
    /// How many runs stand beside each other.
    pub(super) runs: usize,
    /// A value in words.
    pub(super) words: &'a dyn Fn(f64) -> String,
    /// The places where an era starts, with its number.
    pub(super) eras: &'a [(usize, u32)],
    pub(super) class: &'static str,
    /// Whether runs that were worse are marked: what is drawn is what got worse.
    pub(super) marks_worse: bool,
}

impl Scale<'_> {
    fn x(&self, at: usize) -> f64 {
        if self.runs < 2 { 50.0 } else { 2.0 + 96.0 * at as f64 / (self.runs - 1) as f64 }
    }

    fn y(&self, value: f64) -> f64 {
        100.0 - (value / self.top).clamp(0.0, 1.0) * 100.0
    }
}

/// Draws a line with its ranges, the starts of eras and the runs that were worse.
pub(super) fn line(points: &[Point], scale: &Scale<'_>) -> Chart {
    let mut svg = format!("<svg class=\"history {}\" aria-hidden=\"true\">", scale.class);
    let write = |svg: &mut String, text: std::fmt::Arguments<'_>| svg.write_fmt(text).expect("a string takes any text");
    for step in [0.0, 0.5, 1.0] {
        let y = 100.0 - step * 100.0;
        let words = (scale.words)(scale.top * step);
        write(
            &mut svg,
            format_args!(
                "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{y}%\" y2=\"{y}%\"/>\
             <text x=\"-8\" y=\"{y}%\" dy=\"4\" text-anchor=\"end\">{}</text>",
                Escaped(&words)
            ),
        );
    }
    for (at, era) in scale.eras {
        // Between the run before and the first of the era.
        let x = if *at == 0 { 0.0 } else { f64::midpoint(scale.x(at - 1), scale.x(*at)) };
        write(
            &mut svg,
            format_args!(
                "<line class=\"era\" x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"-6\" y2=\"100%\"/>\
             <text class=\"era\" x=\"{x:.2}%\" dx=\"4\" y=\"2\">era {era}</text>"
            ),
        );
    }
    for pair in points.windows(2) {
        let [one, next] = pair else { continue };
        if one.era == next.era {
            let (x1, x2) = (scale.x(one.at), scale.x(next.at));
            let (y1, y2) = (scale.y(one.value), scale.y(next.value));
            write(
                &mut svg,
                format_args!("<line class=\"way\" x1=\"{x1:.2}%\" x2=\"{x2:.2}%\" y1=\"{y1:.2}%\" y2=\"{y2:.2}%\"/>"),
            );
        }
    }
    // So many points would be one band.
    let radius = if points.len() > 120 { 2 } else { 4 };
    for point in points {
        let (x, y) = (scale.x(point.at), scale.y(point.value));
        if let Some(range) = point.range {
            let (low, high) = (scale.y(range.lower), scale.y(range.upper));
            write(
                &mut svg,
                format_args!(
                    "<line class=\"spread\" x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"{low:.2}%\" y2=\"{high:.2}%\"/>"
                ),
            );
        }
        let title = format!("{}: {}", point.run, (scale.words)(point.value));
        let title = Escaped(&title);
        if point.is_worse && scale.marks_worse {
            write(
                &mut svg,
                format_args!(
                    "<text class=\"worse\" x=\"{x:.2}%\" y=\"{y:.2}%\" dy=\"6\" text-anchor=\"middle\">▼<title>{title}, worse than the run before</title></text>"
                ),
            );
        } else {
            write(
                &mut svg,
                format_args!(
                    "<circle class=\"point\" cx=\"{x:.2}%\" cy=\"{y:.2}%\" r=\"{radius}\"><title>{title}</title></circle>"
                ),
            );
        }
    }
    Chart::drawn(svg + "</svg>")
}
