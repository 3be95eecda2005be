//! `report/index.html`.

use std::fmt;

use askama::Template;
use askama::filters::HtmlSafe;

use super::banner::{Banner, banners};
use super::chart::{ChartRow, Costs, Times, costs, rates, times};
use super::comparison::{Guards, Standing, is_graded, standings};
use super::differences::{Difference, differences};
use super::failures::Failures;
use super::grid::{ROWS, Row, first_rows};
use super::info::{DatasetView, SetupView, datasets, facts, setups};
use super::judges::{JudgeView, PairwiseView, judges, pairwise};
use super::report::RunReport;
use super::verdict::{Verdict, answer, verdicts};
use super::writes::{WritesView, writes};
use crate::page::Style;
use crate::text::measured::{average, cost, duration, p_value, points_changed, share_range};
use crate::text::number::{counted, grouped, percent};
use crate::text::{Line, Shown};

/// How many tools or servers a cell names.
const TOOLS: usize = 3;

/// The page's own script.
#[derive(Clone, Copy, Debug)]
struct Code;

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"use strict\";\n(() => {\n")?;
        for part in [
            include_str!("../../assets/run/make.js"),
            include_str!("../../assets/run/data.js"),
            include_str!("../../assets/run/filter.js"),
            include_str!("../../assets/run/list.js"),
            include_str!("../../assets/run/conversation.js"),
            include_str!("../../assets/run/scores.js"),
            include_str!("../../assets/run/case.js"),
            include_str!("../../assets/run/keys.js"),
        ] {
            f.write_str(part)?;
        }
        f.write_str("})();\n")
    }
}

impl HtmlSafe for Code {}

#[derive(Template)]
#[template(path = "run.html")]
struct RunPage {
    style: Style,
    policy: String,
    nonce: String,
    stamp: String,
    code: Code,
    eval: Shown,
    run: String,
    when: String,
    verdicts: Vec<Verdict>,
    banners: Vec<Banner>,
    graded: bool,
    guards_only: bool,
    rows: Vec<ComparedRow>,
    has_judges: bool,
    has_pairwise: bool,
    has_cost: bool,
    has_previous: bool,
    estimated: bool,
    rates: Vec<ChartRow>,
    times: Option<Times>,
    costs: Option<Costs>,
    names: Vec<Shown>,
    differences: Vec<Difference>,
    judges: Vec<JudgeView>,
    pairwise: Vec<PairwiseView>,
    writes: Vec<WritesView>,
    failures: Failures,
    cases: usize,
    case_count: String,
    cases_per_page: usize,
    first: Vec<Row>,
    datasets: Vec<DatasetView>,
    facts: Vec<(&'static str, Line)>,
    setups: Vec<SetupView>,
    redacted: bool,
}

/// A variant in the table.
struct ComparedRow {
    variant: Shown,
    is_baseline: bool,
    /// Tone, mark and word of the answer.
    answer: Option<(&'static str, &'static str, &'static str)>,
    cases: String,
    case_rate: Option<String>,
    trial_rate: Option<String>,
    headline: Option<String>,
    headline_range: Option<String>,
    change: Option<String>,
    change_range: Option<String>,
    judges: Vec<(Shown, String)>,
    pairwise: Vec<Line>,
    cost: Option<String>,
    median: Option<String>,
    p95: Option<String>,
    calls: Option<String>,
    tools: Vec<(Shown, String)>,
    more_tools: usize,
    previous: Option<(&'static str, String, String)>,
}

impl<'a> ComparedRow {
    fn of(report: &RunReport<'_>, standing: &Standing<'a>) -> Self {
        let shares = standing.tally.tools_used();
        let range = standing.headline.as_ref().and_then(|headline| headline.range);
        let change = standing.against.as_ref().and_then(super::comparison::Against::change);
        let changed = change.and_then(|change| Some((change, change.mean?)));
        let previous = report.summary.and_then(|summary| summary.previous_run.as_ref());
        let since = previous
            .filter(|previous| previous.same_config)
            .and_then(|previous| previous.variants.get(&standing.tally.name)?.change.as_ref());
        let judged = standing.tally.judges.rows().into_iter();
        Self {
            variant: Shown::line(standing.tally.name.as_str()),
            is_baseline: standing.is_baseline,
            answer: standing.against.as_ref().map(|against| answer(against.assessment())),
            cases: format!(
                "{}/{}",
                grouped(&standing.passed.to_string()),
                grouped(&(standing.passed + standing.failed).to_string())
            ),
            case_rate: standing.case_rate().map(percent),
            trial_rate: standing.metric("trial_pass_rate").map(percent),
            headline: standing.headline.as_ref().map(|headline| percent(headline.rate)),
            headline_range: range.map(|(range, _)| share_range(range.lower, range.upper)),
            change: changed.map(|(_, mean)| points_changed(mean)),
            change_range: changed.map(|(change, mean)| {
                let p = if mean < 0.0 { change.p_worse } else { change.p_better };
                let (lower, upper) = (points_changed(change.interval.lower), points_changed(change.interval.upper));
                format!("{lower} to {upper}, {}", p_value(p))
            }),
            judges: judged.filter_map(|row| Some((Shown::line(&row.name), percent(row.counts.pass_rate()?)))).collect(),
            pairwise: standing
                .pairwise()
                .iter()
                .map(|one| {
                    Line::of_code(&one.judge)
                        .words(format!(" {} won, {} tied, {} lost", one.candidate_wins, one.ties, one.baseline_wins))
                })
                .collect(),
            cost: standing.metric("cost_usd_mean").map(cost),
            median: standing.median_ms.map(duration),
            p95: standing.p95_ms.map(duration),
            calls: standing.metric("tool_count_mean").map(average),
            more_tools: shares.len().saturating_sub(TOOLS),
            tools: shares.into_iter().take(TOOLS).map(|(name, share)| (Shown::line(&name), percent(share))).collect(),
            previous: since.map(|change| {
                let p = if change.mean < 0.0 { change.p_worse } else { change.p_better };
                let (lower, upper) = (points_changed(change.lower), points_changed(change.upper));
                (change.assessment.as_str(), points_changed(change.mean), format!("{lower} to {upper}, {}", p_value(p)))
            }),
        }
    }
}

/// Returns a run's report as a page.
pub(super) fn page(report: &RunReport<'_>) -> String {
    let standings = standings(report);
    let graded = is_graded(report);
    let rows: Vec<ComparedRow> = standings.iter().map(|standing| ComparedRow::of(report, standing)).collect();
    let record = report.record;
    let page = RunPage {
        style: Style::Run,
        policy: Style::Run.policy_with_scripts(&report.key.nonce),
        nonce: report.key.nonce.clone(),
        stamp: report.key.stamp.clone(),
        code: Code,
        eval: Shown::line(&record.eval_name),
        run: record.run_id.to_string(),
        when: record.created_at.to_string(),
        verdicts: verdicts(report, &standings, graded),
        banners: banners(report, &standings),
        graded,
        guards_only: Guards::of(report).only,
        has_judges: rows.iter().any(|row| !row.judges.is_empty()),
        has_pairwise: rows.iter().any(|row| !row.pairwise.is_empty()),
        has_cost: rows.iter().any(|row| row.cost.is_some()),
        has_previous: rows.iter().any(|row| row.previous.is_some()),
        estimated: standings.iter().any(|standing| {
            let source = standing.summary.and_then(|summary| summary.cost_source.as_deref());
            matches!(source, Some("pricing" | "mixed"))
        }),
        rows,
        rates: if graded { rates(&standings) } else { Vec::new() },
        times: times(&standings),
        costs: costs(&standings).filter(|_| graded),
        names: standings.iter().map(|standing| Shown::line(standing.tally.name.as_str())).collect(),
        differences: differences(&standings),
        judges: judges(report, &standings),
        pairwise: pairwise(&standings),
        writes: writes(&standings),
        failures: Failures::of(&standings),
        cases: report.cases.len(),
        case_count: counted(report.cases.len(), "case"),
        cases_per_page: ROWS,
        first: first_rows(report, &standings),
        datasets: datasets(report),
        facts: facts(report, &standings),
        setups: setups(&standings),
        redacted: record.redact_stored_responses,
    };
    page.render().expect("a template over strings cannot fail to write to a string")
}
