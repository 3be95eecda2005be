//! Budgets where clients report their costs, in several variants, and beside trials that only lack verdicts.

use std::sync::Arc;
use std::time::Duration;

use mst_config::Plan;
use mst_engine::{Budget, NullObserver, RunOptions, RunOutcome, Stop};
use mst_ext::JudgeFault;
use mst_model::{JudgeScore, Phase, Usage};

use crate::judging::{ScriptedJudge, deps, judged_plan, score};
use crate::scripted::{self, Scripted, StopAfter, Turn, options, plan};

const CASES: [&str; 20] =
    ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"];

fn tokens(count: u64) -> Usage {
    Usage { input_tokens: Some(count), output_tokens: Some(0), ..Usage::default() }
}

/// A plan with a second variant, whose prompts begin with `dear `.
fn two_variants(mut plan: Plan) -> Plan {
    let mut other = plan.variants[0].clone();
    other.name = "other".into();
    other.input_template = Some("dear {{input}}".to_owned());
    plan.variants.push(other);
    plan
}

fn limited(options: RunOptions, budget: Budget) -> RunOptions {
    RunOptions { budget, ..options }
}

fn runs(log: &scripted::Log) -> usize {
    log.lock().expect("not poisoned").iter().filter(|line| line.starts_with("run ")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reports_its_costs_needs_no_prices_and_each_variant_has_its_own_mean() {
    for concurrency in [1, 8] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut client = Scripted::new(|prompt| {
            let cost = if prompt.starts_with("dear") { 0.5 } else { 0.1 };
            let mut turn = Turn::says(prompt).taking(5);
            turn.run.usage = Some(Usage { total_cost_usd: Some(cost), ..Usage::default() });
            turn
        });
        client.reports_cost = true;
        let log = Arc::clone(&client.log);
        let budget = Budget { cost_usd: Some(5.0), ..Budget::default() };
        let options = limited(options(folder.path()), budget);
        let plan = two_variants(plan(&CASES, concurrency));
        let outcome = scripted::run_with(plan, client, options, Stop::default(), Box::new(NullObserver)).await;
        let outcome = outcome.expect("a run");
        // 20 at 0.1, and then 6 at 0.5.
        assert_eq!(runs(&log), 26, "{concurrency} at once");
        let reached = outcome.budget.expect("it stopped the run");
        assert_eq!((reached.next, reached.unmeasured), (Some(0.5), None));
        assert_eq!(outcome.record.phases.collect, Phase::Partial);
        assert_eq!(outcome.record.variants.len(), 1, "the second variant is not over");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trials_that_wait_for_the_budget_hold_up_none_that_it_waits_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut plan = two_variants(judged_plan(&CASES, 4));
    plan.variants[0].batches[0].cases.iter_mut().for_each(|case| case.trials = 5);
    let client = |dear_takes: u64| {
        Scripted::new(move |prompt| {
            let mut turn = Turn::says(prompt).taking(if prompt.starts_with("dear") { dear_takes } else { 1 });
            turn.run.usage = Some(tokens(10));
            turn
        })
    };
    let stop = Stop::default();
    let observer = Box::new(StopAfter { left: 100, stop: stop.clone() });
    let silent = ScriptedJudge::new(|_| Err(JudgeFault::Failed("no answer".to_owned())));
    let first = mst_engine::run(plan.clone(), deps(client(800), silent), options(folder.path()), stop, observer).await;
    let first = first.expect("a run");
    assert_eq!((first.trials.1, first.record.phases.collect), (120, Phase::Partial));
    let resume = |budget: Budget, judge: ScriptedJudge, client: Scripted| {
        let resume = Some(first.record.run_id.to_string());
        let options = limited(RunOptions { resume, ..options(folder.path()) }, budget);
        mst_engine::run(plan.clone(), deps(client, judge), options, Stop::default(), Box::new(NullObserver))
    };
    let judge = || ScriptedJudge::new(|_| Ok(JudgeScore { usage: Some(tokens(3)), ..score(1.0) }));
    // As much as all of it needs: what lacks verdicts waits beside what is collected, and nothing waits for ever.
    let all = Budget { tokens: Some(120 * 13), ..Budget::default() };
    let done = tokio::time::timeout(Duration::from_mins(2), resume(all, judge(), client(1))).await;
    let done: RunOutcome = done.expect("it ends").expect("a run");
    assert_eq!((done.budget, done.record.phases.grade), (None, Phase::Complete));
    assert_eq!(done.trials, (120, 120));
}
