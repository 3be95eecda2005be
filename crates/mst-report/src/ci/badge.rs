//! A badge in SVG: an eval's name and what its newest run came to.

use super::gate::{Gate, GateEnd};
use super::run_ends::{Counts, RunEnds};
use super::xml::attribute;

/// The most characters of an eval's name.
const LONGEST: usize = 40;
/// A letter's mean width and a side's padding, in pixels at a size of 11.
const LETTER: f64 = 6.6;
const PADDING: f64 = 12.0;

/// Colours on which white text has a contrast of at least 4.5 to 1.
const GREEN: &str = "#2a7d2e";
const RED: &str = "#c0322b";
const GREY: &str = "#6a6a6a";
const LABEL: &str = "#444";

/// Returns a run's badge: how many cases passed, in red when it failed and in grey when it cannot be told.
///
/// It has a title for those who do not see it, and asks for no font and no other file. `gates` are what the run was held
/// against: one that failed makes the badge red, and failed cases do so only when a gate says so.
pub fn badge_svg(run: &RunEnds, gates: &[Gate]) -> String {
    let counts = Counts::of(&run.cases);
    let has = |end: GateEnd| gates.iter().any(|gate| gate.end == end);
    let colour = if has(GateEnd::Failed) {
        RED
    } else if counts.no_verdict > 0 || counts.total() == 0 || has(GateEnd::CannotTell) {
        GREY
    } else {
        GREEN
    };
    let mut says = format!("{}/{} passed", counts.passed, counts.total());
    if counts.no_verdict > 0 {
        says = format!("{says}, {} incomplete", counts.no_verdict);
    }
    if run.has_offline() {
        says = format!("{says}, offline baseline");
    }
    let name = &run.record.eval_name;
    let cut: String = name.chars().take(LONGEST).collect();
    let label = attribute(&if cut.len() < name.len() { format!("{cut}…") } else { cut });
    drawn(&label, &says, colour)
}

/// Draws two words side by side; both are XML already.
fn drawn(label: &str, says: &str, colour: &str) -> String {
    let width = |text: &str| (text.chars().count() as f64).mul_add(LETTER, PADDING).ceil();
    let (left, right) = (width(label), width(says));
    let whole = left + right;
    // What a font draws wider or narrower is fitted to its half.
    let text = |from: f64, width: f64, text: &str| {
        format!(
            "<text x=\"{}\" y=\"14\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\">{text}</text>",
            from + PADDING / 2.0,
            width - PADDING
        )
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"20\" role=\"img\" aria-label=\"{label}: {says}\">\n\
         <title>{label}: {says}</title>\n\
         <clipPath id=\"edge\"><rect width=\"{whole}\" height=\"20\" rx=\"3\"/></clipPath>\n\
         <g clip-path=\"url(#edge)\"><rect width=\"{left}\" height=\"20\" fill=\"{LABEL}\"/>\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"{colour}\"/></g>\n\
         <g fill=\"#fff\" font-family=\"Verdana,Geneva,'DejaVu Sans',sans-serif\" font-size=\"11\">{}{}</g>\n\
         </svg>\n",
        text(0.0, left, label),
        text(left, right, says),
    )
}
