//! Pairwise judges in a run: the same judge or none on a resume, a stop that cuts them off, as many at once as trials.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use mst_config::Plan;
use mst_engine::{NullObserver, RunDeps, RunError, RunOptions, RunOutcome, Shortfall, Stop};
use mst_ext::{JudgeContext, JudgeDefinition, JudgeFault, PairwiseJudge, Registry};
use mst_model::{Pairwise, PairwiseAnswer, PairwiseInput, PairwiseSetting, Phase, Preference, Preferred};
use mst_store::{RunLayout, RunReader};
use serde_json::{Map, Value, json};

use crate::scripted::{self, Scripted, Turn, options, plan};

/// What a judge says of a case, by its id.
type Opinion = Arc<dyn Fn(&PairwiseInput) -> Result<PairwiseAnswer, JudgeFault> + Send + Sync>;

/// A pairwise judge that says what a test wants.
struct ScriptedPairwise {
    opinion: Opinion,
    version: &'static str,
    takes: Duration,
    swaps: bool,
    asked: Arc<Mutex<BTreeMap<String, usize>>>,
    /// How many are asked now, and the most that ever were.
    now: Arc<(AtomicUsize, AtomicUsize)>,
}

impl ScriptedPairwise {
    fn new(opinion: impl Fn(&PairwiseInput) -> Result<PairwiseAnswer, JudgeFault> + Send + Sync + 'static) -> Self {
        Self {
            opinion: Arc::new(opinion),
            version: "1",
            takes: Duration::ZERO,
            swaps: true,
            asked: Arc::default(),
            now: Arc::default(),
        }
    }
}

fn tie() -> PairwiseAnswer {
    PairwiseAnswer { preference: Some(Preferred::Tie), ..PairwiseAnswer::default() }
}

#[async_trait]
impl PairwiseJudge for ScriptedPairwise {
    fn definition(&self) -> JudgeDefinition {
        JudgeDefinition {
            name: "better".to_owned(),
            description: "Says what a test wants.".to_owned(),
            requires: Vec::new(),
            options: json!({ "type": "object" }),
            version: Some(self.version.to_owned()),
        }
    }

    fn parse(&self, options: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        if options.contains_key("nonsense") { Err("\"nonsense\" cannot be".to_owned()) } else { Ok(options.clone()) }
    }

    fn swaps_positions(&self) -> bool {
        self.swaps
    }

    async fn compare(
        &self,
        input: &PairwiseInput,
        _: &Map<String, Value>,
        _: &JudgeContext,
    ) -> Result<PairwiseAnswer, JudgeFault> {
        *self.asked.lock().expect("no test panics while it holds it").entry(input.case.id.clone()).or_default() += 1;
        let (now, most) = &*self.now;
        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        tokio::time::sleep(self.takes).await;
        now.fetch_sub(1, Ordering::SeqCst);
        (self.opinion)(input)
    }
}

/// A plan of two variants, `default` and `other`, that are compared.
fn compared_plan(ids: &[&str], concurrency: u32) -> Plan {
    let mut plan = plan(ids, concurrency);
    let mut other = plan.variants[0].clone();
    other.name = "other".into();
    plan.variants.push(other);
    plan.pairwise_judges = vec![PairwiseSetting::read(&json!("better")).expect("an entry")];
    plan
}

fn deps(judge: ScriptedPairwise) -> RunDeps {
    let mut registry = Registry::new();
    registry.add_client(Arc::new(Scripted::new(Turn::says)));
    registry.add_pairwise_judge(Arc::new(judge));
    RunDeps { registry: Arc::new(registry), ..scripted::deps(Scripted::new(Turn::says)) }
}

async fn run(plan: Plan, judge: ScriptedPairwise, options: RunOptions, stop: Stop) -> Result<RunOutcome, RunError> {
    mst_engine::run(plan, deps(judge), options, stop, Box::new(NullObserver)).await
}

fn again(outcome: &RunOutcome, folder: &tempfile::TempDir) -> RunOptions {
    RunOptions { resume: Some(outcome.record.run_id.to_string()), ..options(folder.path()) }
}

/// Reads the stored preference of a case.
fn stored(outcome: &RunOutcome, case: &str) -> Preference {
    let reader = RunReader::open(RunLayout::new(&outcome.directory)).expect("a run");
    let found = reader.find_preference(&"better".into(), &"other".into(), &case.into()).expect("a preference");
    found.expect("it is there").preference
}

fn pairwise(outcome: &RunOutcome) -> &Pairwise {
    outcome.summary.variants[1].pairwise.as_ref().expect("a comparison")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resume_is_refused_when_the_pairwise_judge_changed_and_asks_it_alone_otherwise() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = || compared_plan(&["a", "b"], 1);
    let judge = ScriptedPairwise::new(|input| {
        if input.case.id == "b" { Err(JudgeFault::Failed("no answer".to_owned())) } else { Ok(tie()) }
    });
    let outcome = run(plan(), judge, options(folder.path()), Stop::default()).await.expect("a run");
    assert_eq!((outcome.record.phases.collect, outcome.record.phases.grade), (Phase::Complete, Phase::Partial));
    assert_eq!(outcome.shortfalls.iter().collect::<Vec<_>>(), [&Shortfall::Judge]);
    assert!(!outcome.is_latest);
    assert_eq!(outcome.record.judges[0].level, "pairwise");

    let changed = ScriptedPairwise { version: "2", ..ScriptedPairwise::new(|_| Ok(tie())) };
    let refused = run(plan(), changed, again(&outcome, &folder), Stop::default()).await.expect_err("a refusal");
    assert!(refused.to_string().contains("it was graded by other judges"), "{refused}");

    let judge = ScriptedPairwise::new(|_| Ok(tie()));
    let asked = Arc::clone(&judge.asked);
    let resumed = run(plan(), judge, again(&outcome, &folder), Stop::default()).await.expect("a run");
    assert_eq!(*asked.lock().expect("not poisoned"), BTreeMap::from([("b".to_owned(), 2)]));
    assert_eq!((resumed.record.phases.grade, resumed.is_latest), (Phase::Complete, true));
    assert_eq!(pairwise(&resumed).summary[0].ties, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn options_that_a_pairwise_judge_does_not_take_stop_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut plan = compared_plan(&["a"], 1);
    let setting = PairwiseSetting::read(&json!({ "type": "better", "nonsense": 1 }));
    plan.pairwise_judges = vec![setting.expect("an entry")];
    let judge = ScriptedPairwise::new(|_| Ok(tie()));
    let ended = run(plan, judge, options(folder.path()), Stop::default()).await;
    assert_eq!(ended.expect_err("a refusal").to_string(), "pairwise judge \"better\": \"nonsense\" cannot be");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_cuts_the_comparing_off_and_a_resume_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let ids: Vec<String> = (0..12).map(|n| format!("c{n:02}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let plan = compared_plan(&ids, 2);
    let stop = Stop::default();
    let judge = ScriptedPairwise { takes: Duration::from_mins(10), ..ScriptedPairwise::new(|_| Ok(tie())) };
    let (now, stopping) = (Arc::clone(&judge.now), stop.clone());
    let mut watching = tokio::task::JoinSet::new();
    watching.spawn(async move {
        while now.1.load(Ordering::SeqCst) < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stopping.starting.cancel();
        stopping.running.cancel();
    });
    let began = Instant::now();
    let outcome = run(plan.clone(), judge, options(folder.path()), stop).await.expect("a run");
    assert!(began.elapsed() < Duration::from_secs(20));
    assert!(outcome.interrupted);
    assert_eq!((outcome.record.phases.collect, outcome.record.phases.grade), (Phase::Complete, Phase::Partial));
    assert_eq!(stored(&outcome, "c00").error.as_deref(), Some("the run was stopped before it was asked"));
    assert_eq!(pairwise(&outcome).summary[0].errors, 12);

    let judge = ScriptedPairwise::new(|_| Ok(tie()));
    let asked = Arc::clone(&judge.asked);
    let resumed = run(plan, judge, again(&outcome, &folder), Stop::default()).await.expect("a run");
    assert_eq!(asked.lock().expect("not poisoned").len(), 12);
    assert_eq!((resumed.record.phases.grade, pairwise(&resumed).summary[0].ties), (Phase::Complete, 12));
}

#[tokio::test(flavor = "multi_thread")]
async fn as_many_cases_are_compared_at_once_as_trials_are_collected_at_once() {
    const CASES: usize = 160;
    const AT_ONCE: u32 = 16;
    let folder = tempfile::tempdir().expect("a folder");
    let ids: Vec<String> = (0..CASES).map(|n| format!("c{n:03}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let judge =
        ScriptedPairwise { takes: Duration::from_millis(50), swaps: false, ..ScriptedPairwise::new(|_| Ok(tie())) };
    let now = Arc::clone(&judge.now);
    let outcome =
        run(compared_plan(&ids, AT_ONCE), judge, options(folder.path()), Stop::default()).await.expect("a run");
    let most = now.1.load(Ordering::SeqCst);
    assert!(most <= AT_ONCE as usize && most > AT_ONCE as usize * 3 / 4, "{most} at once");
    let compared: Vec<&str> = pairwise(&outcome).cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(compared, ids, "in the dataset's order, whichever came first");
    assert_eq!(pairwise(&outcome).summary[0].consistency, None, "it was asked in one order");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redacted_run_compares_the_answers_and_keeps_no_other_output_of_the_judge() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut plan = compared_plan(&["a"], 1);
    plan.redact_stored_responses = true;
    let judge = ScriptedPairwise::new(|input| {
        let answers = json!([input.baseline.text, input.candidate.text]);
        let reasoning = Some(answers.to_string());
        Ok(PairwiseAnswer { metadata: Some(json!({ "quoted": "a" })), reasoning, ..tie() })
    });
    let outcome = run(plan, judge, options(folder.path()), Stop::default()).await.expect("a run");
    let preference = stored(&outcome, "a");
    assert_eq!((preference.preference, preference.metadata), (Some(Preferred::Tie), None));
    assert!(!preference.reasoning.expect("a reasoning").contains("\"\""), "the judge saw both answers");
    let summary = fs_err::read_to_string(outcome.directory.join("summary.json")).expect("a summary");
    assert!(!summary.contains("quoted"), "{summary}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comparison_that_a_judge_skips_lacks_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let skipped = || PairwiseAnswer { skipped: true, ..PairwiseAnswer::default() };
    let judge = ScriptedPairwise::new(move |_| Ok(skipped()));
    let outcome = run(compared_plan(&["a"], 1), judge, options(folder.path()), Stop::default()).await.expect("a run");
    assert_eq!((stored(&outcome, "a").skipped, outcome.record.phases.grade), (Some(true), Phase::Complete));
    assert_eq!((pairwise(&outcome).summary[0].skipped, pairwise(&outcome).summary[0].compared), (1, 0));
    assert!(outcome.is_latest);
}
