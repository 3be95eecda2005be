//! A report's charts. Places are in percent and letters keep their size, as in [`crate::page::Chart`].

use std::fmt::Write as _;

use mst_measure::stats::quantile;

use super::comparison::Standing;
use crate::page::{Chart, nice_above};
use crate::text::Shown;
use crate::text::measured::{cost, duration, short_cost};
use crate::text::number::percent;

/// How many bars a distribution has.
const BARS: usize = 32;

/// A row of a chart: a variant, its drawing, and the same in words.
pub(super) struct ChartRow {
    pub(super) variant: Shown,
    pub(super) drawing: Chart,
    pub(super) says: String,
}

/// Returns each variant's headline rate with its likely range, on a scale of 0 to 100%.
pub(super) fn rates(standings: &[Standing<'_>]) -> Vec<ChartRow> {
    let rows = standings.iter().filter_map(|standing| {
        let headline = standing.headline.as_ref()?;
        let range = headline.range.as_ref().map(|(range, _)| *range);
        let ends = range.map(|range| [range.lower * 100.0, range.upper * 100.0]);
        Some(ChartRow {
            variant: Shown::line(standing.tally.name.as_str()),
            drawing: Chart::rate(headline.rate * 100.0, ends),
            says: match range {
                Some(range) => {
                    format!("{} ({} to {})", percent(headline.rate), percent(range.lower), percent(range.upper))
                }
                None => percent(headline.rate),
            },
        })
    });
    rows.collect()
}

/// Times of trials on one scale.
pub(super) struct Times {
    pub(super) rows: Vec<ChartRow>,
    /// The ends of the scale.
    pub(super) ends: [String; 2],
}

/// Returns how each variant's trial times are spread, on one scale in which equal steps are equal ratios.
pub(super) fn times(standings: &[Standing<'_>]) -> Option<Times> {
    let all = || standings.iter().flat_map(|standing| &standing.tally.times).map(|ms| ms.max(1.0));
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    if !least.is_finite() {
        return None;
    }
    // Times that are all alike would have no scale.
    let (low, high) = ((least * 0.9).ln(), (most * 1.1).ln());
    let place = |ms: f64| (ms.max(1.0).ln() - low) / (high - low);
    let rows = standings.iter().filter(|standing| !standing.tally.times.is_empty()).map(|standing| {
        let times = &standing.tally.times;
        let mut bars = [0_u32; BARS];
        for ms in times {
            bars[((place(*ms) * BARS as f64) as usize).min(BARS - 1)] += 1;
        }
        let marks = [0.5, 0.95].map(|q| quantile(times, q).unwrap_or(0.0));
        ChartRow {
            variant: Shown::line(standing.tally.name.as_str()),
            drawing: distribution(&bars, marks.map(place)),
            says: format!("median {}, 95% within {}", duration(marks[0]), duration(marks[1])),
        }
    });
    Some(Times { rows: rows.collect(), ends: [duration(least), duration(most)] })
}

fn distribution(bars: &[u32], marks: [f64; 2]) -> Chart {
    let tallest = f64::from(bars.iter().copied().max().unwrap_or(1).max(1));
    let width = 100.0 / bars.len() as f64;
    let mut svg = String::from(
        "<svg class=\"times\" aria-hidden=\"true\"><line class=\"axis\" x1=\"0\" x2=\"100%\" y1=\"40\" y2=\"40\"/>",
    );
    for (at, count) in bars.iter().enumerate().filter(|(_, count)| **count > 0) {
        // What is there can be seen, however little it is.
        let height = (f64::from(*count) / tallest * 34.0).max(1.5);
        write!(
            svg,
            "<rect class=\"bin\" x=\"{:.2}%\" width=\"{:.2}%\" y=\"{:.1}\" height=\"{height:.1}\"/>",
            at as f64 * width,
            width * 0.86,
            40.0 - height
        )
        .expect("a string takes any text");
    }
    for (class, mark) in [("median", marks[0]), ("late", marks[1])] {
        let x = mark.clamp(0.0, 1.0) * 100.0;
        write!(svg, "<line class=\"{class}\" x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"2\" y2=\"44\"/>")
            .expect("a string takes any text");
    }
    Chart::drawn(svg + "</svg>")
}

/// Cost against pass rate.
pub(super) struct Costs {
    pub(super) drawing: Chart,
    /// The same in words: variant, cost, rate.
    pub(super) rows: Vec<(Shown, String, String)>,
}

/// Returns each variant's cost per trial against its headline rate; `None` where fewer than two have both.
pub(super) fn costs(standings: &[Standing<'_>]) -> Option<Costs> {
    let points: Vec<(Shown, f64, f64)> = standings
        .iter()
        .filter_map(|standing| {
            let cost = standing.metric("cost_usd_mean")?;
            Some((Shown::line(standing.tally.name.as_str()), cost, standing.headline.as_ref()?.rate))
        })
        .collect();
    let most = points.iter().map(|(_, cost, _)| *cost).fold(0.0, f64::max);
    if points.len() < 2 || most <= 0.0 {
        return None;
    }
    let top = nice_above(most * 1.05);
    let mut svg = String::from("<svg class=\"scatter\" aria-hidden=\"true\">");
    for step in 0..=4 {
        let share = f64::from(step) / 4.0;
        let (x, y) = (share * 100.0, 100.0 - share * 100.0);
        write!(
            svg,
            "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{y}%\" y2=\"{y}%\"/>\
             <text class=\"y\" x=\"-8\" y=\"{y}%\" dy=\"4\" text-anchor=\"end\">{}%</text>\
             <text class=\"x\" x=\"{x}%\" y=\"100%\" dy=\"20\" text-anchor=\"middle\">{}</text>",
            share * 100.0,
            short_cost(top * share)
        )
        .expect("a string takes any text");
    }
    for (at, (name, cost, rate)) in points.iter().enumerate() {
        let (x, y) = (cost / top * 100.0, 100.0 - rate * 100.0);
        // A name at the right end stands left of its point.
        let (anchor, dx) = if x > 60.0 { ("end", -11) } else { ("start", 11) };
        let name: String = name.as_str().chars().take(28).collect();
        write!(
            svg,
            "<circle class=\"point n{}\" cx=\"{x:.2}%\" cy=\"{y:.2}%\" r=\"6\"/>\
             <text class=\"name\" x=\"{x:.2}%\" y=\"{y:.2}%\" dx=\"{dx}\" dy=\"4\" text-anchor=\"{anchor}\">{}</text>",
            at % 6,
            crate::text::line::Escaped(&name)
        )
        .expect("a string takes any text");
    }
    let rows = points.into_iter().map(|(name, usd, rate)| (name, cost(usd), percent(rate)));
    Some(Costs { drawing: Chart::drawn(svg + "</svg>"), rows: rows.collect() })
}
