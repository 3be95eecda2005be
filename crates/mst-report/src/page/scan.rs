//! `report.html`.

use askama::Template;
use mst_measure::rubric::shown_total;
use mst_model::ScanReport;

use super::chart::Chart;
use super::links::PageLinks;
use super::split::Split;
use super::style::Style;
use crate::scan::arithmetic::{self, Category};
use crate::scan::beyond::{Beyond, likely_range};
use crate::scan::findings::{self, DefectiveTool, DestructiveCall, Metric, Pair, TaskRow, ToolRow, WrongTask};
use crate::scan::{contest, facts, headline, words};
use crate::text::number::counted;
use crate::text::{Line, Shown};

/// How many findings of a kind a page shows before the rest has to be opened.
const SHOWN: usize = 12;

#[derive(Template)]
#[template(path = "scan.html")]
struct ScanPage<'a> {
    style: Style,
    links: PageLinks<'a>,
    name: Shown,
    total: String,
    grade: &'static str,
    offline: bool,
    headline: Line,
    interval_chart: Option<Chart>,
    likely_range: Option<Line>,
    categories: Vec<Category>,
    figures: Vec<Figure>,
    sum: String,
    counts_twice: &'static str,
    rounding: &'static str,
    wrong_count: String,
    wrong: Split<WrongTask>,
    rewritten: bool,
    metrics: Vec<Metric>,
    confirmed_of: Line,
    unconfirmed: Split<DestructiveCall>,
    hypotheses: &'static str,
    defective: Split<DefectiveTool>,
    pairs: Split<Pair>,
    tool_count: String,
    tools: Vec<ToolRow>,
    task_count: String,
    tasks: Vec<TaskRow>,
    facts: Vec<(&'static str, Line)>,
    stages: Vec<[Line; 5]>,
    beyond: Beyond,
    not_measured: [&'static str; 9],
    not_measured_means: &'static str,
    a_measurement: &'static str,
    contest: Vec<Line>,
    scanner: Shown,
    scanned_at: String,
}

/// A count at the top of a page, with where its reasons stand.
struct Figure {
    value: usize,
    what: &'static str,
    href: &'static str,
}

impl Category {
    /// Draws how much of the most it has.
    fn bar(&self) -> Chart {
        Chart::bar(self.share)
    }
}

/// Returns a report as a page: one file without scripts, without requests, and with a policy that allows neither.
pub fn scan_html(report: &ScanReport, links: PageLinks<'_>) -> String {
    let page = page(report, links);
    page.render().expect("a template over strings cannot fail to write to a string")
}

fn page<'a>(report: &ScanReport, links: PageLinks<'a>) -> ScanPage<'a> {
    let total = shown_total(report.score.total, report.score.grade);
    let interval = report.unscored.interval.as_ref();
    let wrong = findings::wrong_tasks(report);
    let unconfirmed = findings::unconfirmed(report);
    let defective = findings::defective_tools(report);
    let pairs = findings::pairs(report);
    ScanPage {
        style: Style::Plain,
        links,
        name: Shown::line(&report.target.name),
        grade: report.score.grade.as_str(),
        offline: headline::is_offline(&report.judge),
        headline: headline::headline(report),
        likely_range: interval.map(likely_range),
        interval_chart: interval.map(|one| Chart::range(report.score.total, &total, [one.lower, one.upper])),
        categories: arithmetic::categories(report),
        figures: figures([wrong.len(), unconfirmed.len(), defective.len(), pairs.len()]),
        sum: arithmetic::sum(report),
        counts_twice: words::COUNTS_TWICE,
        rounding: words::ROUNDING,
        wrong_count: findings::wrong_count(report),
        rewritten: report.harness.after_rewrite.is_some(),
        metrics: findings::metrics(report),
        confirmed_of: findings::confirmed_of(report),
        hypotheses: words::SUGGESTIONS_ARE_HYPOTHESES,
        tool_count: counted(report.tools.len(), "tool"),
        tools: findings::tool_rows(report),
        task_count: counted(report.tasks.len(), "task"),
        tasks: findings::task_rows(report),
        facts: facts(report),
        stages: headline::stage_rows(report),
        beyond: Beyond::of(report),
        not_measured: words::NOT_MEASURED,
        not_measured_means: words::NOT_MEASURED_MEANS,
        a_measurement: words::A_MEASUREMENT,
        contest: contest::steps(report),
        scanner: Shown::line(&report.scanner.version),
        scanned_at: report.scanned_at.to_string(),
        total,
        wrong: Split::after(SHOWN, wrong),
        unconfirmed: Split::after(SHOWN, unconfirmed),
        defective: Split::after(SHOWN, defective),
        pairs: Split::after(SHOWN, pairs),
    }
}

fn figures([wrong, unconfirmed, defective, pairs]: [usize; 4]) -> Vec<Figure> {
    let figure = |value, one, many, href| Figure { value, what: if value == 1 { one } else { many }, href };
    vec![
        figure(wrong, "task wrong", "tasks wrong", "#wrong"),
        figure(unconfirmed, "destructive call unconfirmed", "destructive calls unconfirmed", "#destructive"),
        figure(defective, "tool with description defects", "tools with description defects", "#defects"),
        figure(pairs, "confusable pair", "confusable pairs", "#pairs"),
    ]
}
