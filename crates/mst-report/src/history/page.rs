//! `history/index.html`.

use askama::Template;
use mst_model::{History, HistoryRow, HistoryVariant, RunId, VariantName};

use super::chart::{Scale, line};
use super::series::{Point, on_the_line, points, variants};
use crate::page::{Chart, Style, nice_above};
use crate::text::measured::{cost, duration, p_value, points_changed, share_range, short_cost};
use crate::text::number::{counted, percent};
use crate::text::{Line, Shown};

/// How many cases a cell names.
const CASES: usize = 5;

#[derive(Template)]
#[template(path = "history.html")]
struct HistoryPage {
    style: Style,
    name: Shown,
    summary: String,
    variants: Vec<VariantView>,
    eras: Vec<EraView>,
    ends: Option<[String; 2]>,
    names: Vec<Shown>,
    rows: Vec<RowView>,
    skipped: Vec<Line>,
}

/// A variant's charts.
struct VariantView {
    name: Shown,
    offline: bool,
    latest: Option<Line>,
    rate: Chart,
    small: Vec<SmallChart>,
}

/// A small chart with what its newest value is.
struct SmallChart {
    title: Line,
    latest: String,
    drawing: Chart,
}

/// What began an era.
struct EraView {
    title: String,
    changes: Vec<Line>,
}

/// A run in the table.
struct RowView {
    id: String,
    href: Option<String>,
    when: String,
    status: &'static str,
    /// What else is to be known of it, in words.
    marks: Vec<Line>,
    changes: Vec<Line>,
    cells: Vec<Option<CellView>>,
}

/// A variant of a run.
struct CellView {
    rate: String,
    range: Option<String>,
    change: Option<(&'static str, &'static str, String)>,
    regressed: Line,
    facts: String,
}

/// Returns an eval's history as a page: one file without scripts and without requests. `has_report` says whether a run's
/// report is there to be linked to, as `../runs/<id>/report/index.html`.
pub fn history_html(history: &History, eval_name: &str, has_report: &dyn Fn(&RunId) -> bool) -> String {
    let line = on_the_line(history);
    let names = variants(&line);
    let mut all = names.clone();
    for name in history.rows.iter().flat_map(|row| row.variants.keys()) {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    let day = |row: &&HistoryRow| row.collected_at.to_string().chars().take(10).collect::<String>();
    let page = HistoryPage {
        style: Style::Run,
        name: Shown::line(eval_name),
        summary: format!(
            "{}, {} on the line.",
            counted(history.rows.len(), "run"),
            if line.len() == history.rows.len() { "all".to_owned() } else { line.len().to_string() }
        ),
        variants: names.iter().map(|name| variant(&line, name)).collect(),
        eras: eras(&line),
        ends: line.first().zip(line.last()).map(|(first, last)| [day(first), day(last)]),
        names: all.iter().map(|name| Shown::line(name.as_str())).collect(),
        rows: history.rows.iter().map(|row| row_view(row, &all, has_report)).collect(),
        skipped: history.skipped.iter().map(|one| Line::of_code(&one.path).words(": ").quote(&one.why)).collect(),
    };
    page.render().expect("a template over strings cannot fail to write to a string")
}

fn variant(rows: &[&HistoryRow], name: &VariantName) -> VariantView {
    let newest = rows.iter().rev().find_map(|row| row.variants.get(name));
    let mut starts: Vec<(usize, u32)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if let Some(era) = row.variants.get(name).and_then(|one| one.era)
            && starts.last().is_none_or(|(_, last)| *last != era)
        {
            starts.push((at, era));
        }
    }
    // The first era starts where the line does.
    let eras = if starts.len() > 1 { &starts[1..] } else { &[] };
    let headline =
        |one: &HistoryVariant| one.measures.headline.as_ref().map(|headline| (headline.rate, headline.range));
    let mut small = Vec::new();
    let mut add = |title: Line, points: Vec<Point>, top: Option<f64>, words: &dyn Fn(f64) -> String| {
        let Some(last) = points.last() else { return };
        let most = points.iter().map(|point| point.value).fold(0.0, f64::max);
        let top = top.unwrap_or_else(|| if most > 0.0 { nice_above(most * 1.05) } else { 1.0 });
        small.push(SmallChart {
            title,
            latest: words(last.value),
            drawing: line(&points, &Scale { top, runs: rows.len(), words, eras, class: "small", marks_worse: false }),
        });
    };
    add(Line::new("Cost a trial"), points(rows, name, |one| Some((one.measures.cost_usd?, None))), None, &short_cost);
    let seconds = |value: f64| duration(value * 1000.0);
    add(Line::new("Median time"), points(rows, name, |one| Some((one.measures.duration_s?, None))), None, &seconds);
    let judges: Vec<&String> = newest.iter().flat_map(|one| one.measures.judges.keys()).collect();
    for judge in judges {
        let rate = |one: &HistoryVariant| Some((one.measures.judges.get(judge)?.pass_rate, None));
        add(Line::of_code(judge), points(rows, name, rate), Some(1.0), &percent);
    }
    VariantView {
        name: Shown::line(name.as_str()),
        offline: newest.is_some_and(|one| one.offline),
        latest: newest.and_then(latest),
        rate: line(
            &points(rows, name, headline),
            &Scale { top: 1.0, runs: rows.len(), words: &percent, eras, class: "large", marks_worse: true },
        ),
        small,
    }
}

/// Says how a variant stands in its newest run.
fn latest(one: &HistoryVariant) -> Option<Line> {
    let headline = one.measures.headline.as_ref()?;
    let mut line = Line::default().strong(percent(headline.rate));
    if let Some(range) = headline.range {
        line = line.words(format!(", likely {}", share_range(range.lower, range.upper)));
    }
    let Some(change) = &one.change else { return Some(line.words(".")) };
    Some(line.words(format!(
        "; {} since the run before: {} points (95% {} to {}).",
        change.assessment.as_str(),
        points_changed(change.mean),
        points_changed(change.lower),
        points_changed(change.upper)
    )))
}

fn eras(rows: &[&HistoryRow]) -> Vec<EraView> {
    let starts = rows.iter().filter(|row| row.changes.iter().any(|change| change.ends_era));
    let view = |row: &&HistoryRow| EraView {
        title: format!(
            "{}, run {}",
            row.collected_at.to_string().chars().take(10).collect::<String>(),
            row.run_id.short()
        ),
        changes: row.changes.iter().filter(|change| change.ends_era).map(change_line).collect(),
    };
    let mut eras: Vec<EraView> = starts.map(view).collect();
    eras.reverse();
    eras
}

fn change_line(change: &mst_model::HistoryChange) -> Line {
    let line = Line::default();
    let line = match &change.variant {
        Some(variant) => line.code(variant.as_str()).words(": "),
        None => line,
    };
    line.quote(&change.what)
}

fn row_view(row: &HistoryRow, names: &[VariantName], has_report: &dyn Fn(&RunId) -> bool) -> RowView {
    let mut marks = Vec::new();
    let mut mark = |holds: bool, line: Line| {
        if holds {
            marks.push(line);
        }
    };
    mark(row.partial, Line::new("partial"));
    mark(row.replayed == Some(true), Line::new("replayed"));
    if let Some(by) = &row.superseded_by {
        mark(true, Line::new("graded again as ").code(by.as_str()));
    }
    RowView {
        id: row.run_id.to_string(),
        href: has_report(&row.run_id).then(|| format!("../runs/{}/report/index.html", row.run_id)),
        when: row.collected_at.to_string(),
        status: row.status.as_str(),
        marks,
        changes: row.changes.iter().map(change_line).collect(),
        cells: names.iter().map(|name| row.variants.get(name).map(cell)).collect(),
    }
}

fn cell(one: &HistoryVariant) -> CellView {
    let measures = &one.measures;
    let headline = measures.headline.as_ref();
    let facts = [measures.cost_usd.map(cost), measures.duration_s.map(|seconds| duration(seconds * 1000.0))];
    let mut facts: Vec<String> = facts.into_iter().flatten().collect();
    if one.incomplete > 0 {
        facts.push(format!("{} incomplete", counted(one.incomplete, "case")));
    }
    let shown = one.regressed.iter().take(CASES).map(mst_model::CaseId::as_str);
    let mut regressed = Line::default();
    if !one.regressed.is_empty() {
        regressed = regressed.words("regressed: ").codes(shown);
        if one.regressed.len() > CASES {
            regressed = regressed.words(format!(" and {} more", one.regressed.len() - CASES));
        }
    }
    CellView {
        rate: headline.map_or_else(|| "–".to_owned(), |headline| percent(headline.rate)),
        range: headline.and_then(|headline| headline.range).map(|range| share_range(range.lower, range.upper)),
        change: one.change.as_ref().map(|change| {
            let (tone, mark) = match change.assessment.as_str() {
                "better" => ("better", "▲"),
                "worse" => ("worse", "▼"),
                _ => ("unclear", "◆"),
            };
            let p = if change.mean < 0.0 { change.p_worse } else { change.p_better };
            (tone, mark, format!("{} points, {}", points_changed(change.mean), p_value(p)))
        }),
        regressed,
        facts: facts.join(" · "),
    }
}
