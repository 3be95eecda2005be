//! A site's `index.html`.

use askama::Template;
use mst_measure::rubric::shown_total;
use mst_model::TokenSource;

use super::layout::{Board, Placed, Table};
use super::ranking::Rank;
use super::row::{FailedRow, LeftOut};
use crate::page::{Chart, Style};
use crate::scan::words;
use crate::text::number::{counted, points, tokens};
use crate::text::{Line, Shown};

/// How much of a failure's reason a table shows at once, in characters.
const REASON: usize = 200;

#[derive(Template)]
#[template(path = "board.html")]
struct BoardPage {
    style: Style,
    summary: String,
    mixed: bool,
    comparability: Line,
    tables: Vec<TableView>,
    earlier: Vec<RowView>,
    failed: Vec<FailedView>,
    left_out: Vec<Line>,
    not_measured_means: &'static str,
    a_measurement: &'static str,
}

struct TableView {
    id: String,
    title: Line,
    details: Line,
    note: Line,
    caption: String,
    is_offline: bool,
    rows: Vec<RowView>,
}

struct RowView {
    rank: usize,
    range: Option<String>,
    name: Shown,
    version: Option<Shown>,
    reached_by: Option<Line>,
    page: String,
    fix: String,
    total: String,
    grade: &'static str,
    chart: Option<Chart>,
    interval: String,
    overlaps_next: bool,
    tools: usize,
    tokens: String,
    scanned: String,
}

struct FailedView {
    name: Shown,
    stage: Shown,
    reason: Shown,
    all: Option<Shown>,
    when: String,
}

/// Returns a board as a page: one file without scripts or requests. Its links are relative, to the folders that
/// [`Board::folders`] names.
pub fn board_html(board: &Board) -> String {
    let page = BoardPage {
        style: Style::Plain,
        summary: summary(board),
        mixed: board.configurations() > 1,
        comparability: comparability(board),
        tables: tables(board),
        earlier: board.earlier.iter().map(|placed| row(None, placed, false)).collect(),
        failed: board.failed.iter().map(failed).collect(),
        left_out: board.left_out.iter().map(left_out).collect(),
        not_measured_means: words::NOT_MEASURED_MEANS,
        a_measurement: words::A_MEASUREMENT,
    };
    page.render().expect("a template over strings cannot fail to write to a string")
}

fn summary(board: &Board) -> String {
    let mut parts = vec![
        format!("{} ranked", counted(board.ranked(), "report")),
        counted(board.configurations(), "judge configuration"),
        format!("{} that failed", counted(board.failed(), "scan")),
    ];
    if !board.left_out.is_empty() {
        parts.push(format!("{} left out", counted(board.left_out.len(), "file")));
    }
    parts.join(", ") + "."
}

/// Says what may be compared with what.
fn comparability(board: &Board) -> Line {
    let offline = "Offline baselines are no language models: their scores say how far words match and are never compared with \
                   a language model's.";
    match board.tables.as_slice() {
        [] => Line::new("There is no scored report."),
        [only] if only.is_offline => Line::new("All of them come from one judge configuration. ").words(offline),
        [_] => Line::new(
            "All of them come from one judge configuration, so their scores can be compared with one another.",
        ),
        tables => {
            let line = Line::default().strong("Scores in different tables are not comparable.").words(format!(
                " The reports come from {} judge configurations, {} of {} from the largest. Each has a table of its own, and \
                 a rank holds within its table alone.",
                board.configurations(),
                tables.iter().map(|table| table.rows.len()).max().unwrap_or(0),
                board.ranked()
            ));
            if tables.iter().any(|table| table.is_offline) { line.words(" ").words(offline) } else { line }
        }
    }
}

/// Returns the tables, with a mark in titles that would be the same: their prompts differ.
fn tables(board: &Board) -> Vec<TableView> {
    let mut views: Vec<TableView> = board.tables.iter().map(table).collect();
    let titles: Vec<Line> = views.iter().map(|view| view.title.clone()).collect();
    for (view, table) in views.iter_mut().zip(&board.tables) {
        if titles.iter().filter(|title| **title == view.title).count() > 1 {
            view.title = view.title.clone().words(", configuration ").code(&table.configuration.id());
        }
    }
    views
}

fn table(table: &Table) -> TableView {
    let names = names_used_twice(table);
    TableView {
        id: format!("judge-{}", table.configuration.id()),
        title: table.configuration.title(),
        details: table.configuration.details(),
        note: versions(table),
        caption: format!(
            "{}. Below a rank stand those that its likely range allows.",
            counted(table.rows.len(), "report")
        ),
        is_offline: table.is_offline,
        rows: table
            .rows
            .iter()
            .map(|(rank, placed)| row(Some(*rank), placed, names.contains(&placed.row.server.name.as_str())))
            .collect(),
    }
}

fn names_used_twice(table: &Table) -> Vec<&str> {
    let mut names: Vec<&str> = table.rows.iter().map(|(_, placed)| placed.row.server.name.as_str()).collect();
    names.sort_unstable();
    names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}

fn versions(table: &Table) -> Line {
    let what = if table.is_offline { "Versions of the scanner: " } else { "Versions of the judge’s program: " };
    let mut line = Line::new(what);
    for (index, version) in table.cli_versions.iter().enumerate() {
        line = if index == 0 { line } else { line.words(", ") };
        line = line.quote(version);
    }
    let with_responses = table.rows.iter().filter(|(_, placed)| placed.row.has_responses).count();
    let line = line.words(".");
    if with_responses == 0 {
        return line;
    }
    line.words(format!(
        " {with_responses} of these reports count response sizes as well, by the method’s other formula for economics."
    ))
}

fn row(rank: Option<Rank>, placed: &Placed, tells_how: bool) -> RowView {
    let row = &placed.row;
    let folder = format!("reports/{}", placed.folder);
    let about = if row.token_source == TokenSource::Estimated { "about " } else { "" };
    RowView {
        rank: rank.map_or(0, |rank| rank.rank),
        range: rank.filter(|rank| rank.best != rank.worst).map(|rank| format!("{}–{}", rank.best, rank.worst)),
        name: Shown::line(&row.server.name),
        version: row.version.as_deref().map(Shown::line),
        reached_by: row.server.reached_by.as_deref().filter(|_| tells_how).map(Line::of_code),
        page: format!("{folder}/report.html"),
        fix: format!("{folder}/fix.md"),
        total: shown_total(row.total, row.grade),
        grade: row.grade.as_str(),
        chart: row.interval.map(|(lower, upper)| Chart::small_range(row.total, [lower, upper])),
        interval: row.interval.map(|(lower, upper)| format!("{}–{}", points(lower), points(upper))).unwrap_or_default(),
        overlaps_next: rank.and_then(|rank| rank.overlaps_next) == Some(true),
        tools: row.tools,
        tokens: format!("{about}{}", tokens(row.definition_tokens)),
        scanned: day(&row.scanned_at.to_string()),
    }
}

/// Returns the day of a time.
fn day(time: &str) -> String {
    time.split('T').next().unwrap_or(time).to_owned()
}

fn failed(one: &FailedRow) -> FailedView {
    let first = one.reason.lines().next().unwrap_or_default();
    let short: String = first.chars().take(REASON).collect();
    let is_cut = short.len() < one.reason.trim_end().len();
    FailedView {
        name: Shown::line(&one.server.name),
        stage: Shown::line(&one.stage),
        reason: Shown::line(&if short.len() < first.len() { format!("{short}…") } else { short }),
        all: is_cut.then(|| Shown::block(&one.reason)),
        when: one.failed_at.to_string(),
    }
}

fn left_out(one: &LeftOut) -> Line {
    Line::of_code(&one.file).words(": ").quote(&one.reason)
}
