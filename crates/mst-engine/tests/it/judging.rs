//! Judges in a run: checked before anything is spent, asked behind the assertions, and asked again where a verdict lacks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use mst_config::Plan;
use mst_engine::{NullObserver, RunDeps, RunError, RunOptions, RunOutcome, Shortfall, Stop};
use mst_ext::{Judge, JudgeContext, JudgeDefinition, JudgeFault, Registry};
use mst_model::{EvalCase, GraderName, GraderScore, JudgeEntry, JudgeInput, JudgeScore, Phase};
use mst_store::{RunLayout, RunReader, TrialKey};
use serde_json::{Map, Value, json};

use crate::scripted::{self, Scripted, StopAfter, Turn, options, plan};

/// What a judge says of a case, by its id.
pub(crate) type Opinion = Arc<dyn Fn(&str) -> Result<JudgeScore, JudgeFault> + Send + Sync>;

/// A judge that says what a test wants.
pub(crate) struct ScriptedJudge {
    opinion: Opinion,
    version: &'static str,
    takes: Duration,
    preflight: Result<(), JudgeFault>,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
    /// How many are asked now, and the most that ever were.
    now: Arc<(AtomicUsize, AtomicUsize)>,
}

impl ScriptedJudge {
    pub(crate) fn new(opinion: impl Fn(&str) -> Result<JudgeScore, JudgeFault> + Send + Sync + 'static) -> Self {
        Self {
            opinion: Arc::new(opinion),
            version: "1",
            takes: Duration::ZERO,
            preflight: Ok(()),
            asked: Arc::default(),
            now: Arc::default(),
        }
    }
}

pub(crate) fn score(score: f64) -> JudgeScore {
    JudgeScore { score: Some(score), reasoning: Some("so it is".to_owned()), ..JudgeScore::default() }
}

#[async_trait]
impl Judge for ScriptedJudge {
    fn definition(&self) -> JudgeDefinition {
        JudgeDefinition {
            name: "strict".to_owned(),
            description: "Says what a test wants.".to_owned(),
            requires: Vec::new(),
            options: json!({ "type": "object" }),
            version: Some(self.version.to_owned()),
        }
    }

    fn parse(&self, options: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        if options.contains_key("nonsense") { Err("\"nonsense\" cannot be".to_owned()) } else { Ok(options.clone()) }
    }

    async fn preflight(&self, _: &Map<String, Value>) -> Result<(), JudgeFault> {
        self.preflight.clone()
    }

    async fn evaluate(
        &self,
        input: &JudgeInput,
        _: &Map<String, Value>,
        _: &JudgeContext,
    ) -> Result<JudgeScore, JudgeFault> {
        self.asked.lock().expect("no test panics while it holds the list").push(input.case.id.clone());
        let (now, most) = &*self.now;
        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        tokio::time::sleep(self.takes).await;
        now.fetch_sub(1, Ordering::SeqCst);
        (self.opinion)(&input.case.id)
    }
}

/// A plan whose cases all have the judge.
pub(crate) fn judged_plan(ids: &[&str], concurrency: u32) -> Plan {
    let mut plan = plan(ids, concurrency);
    plan.has_judges = true;
    plan.variants[0].judges = vec![JudgeEntry::read(&json!("strict")).expect("an entry")];
    plan
}

pub(crate) fn deps(client: Scripted, judge: ScriptedJudge) -> RunDeps {
    let mut registry = Registry::new();
    registry.add_client(Arc::new(client));
    registry.add_judge(Arc::new(judge));
    RunDeps { registry: Arc::new(registry), ..scripted::deps(Scripted::new(Turn::says)) }
}

async fn run(plan: Plan, judge: ScriptedJudge, options: RunOptions, stop: Stop) -> Result<RunOutcome, RunError> {
    mst_engine::run(plan, deps(Scripted::new(Turn::says), judge), options, stop, Box::new(NullObserver)).await
}

/// Reads the judge's stored score of a case.
fn stored(outcome: &RunOutcome, case: &str) -> GraderScore {
    let reader = RunReader::open(RunLayout::new(&outcome.directory)).expect("a run");
    let scores = reader.scores(&TrialKey::new("default", case, 0)).expect("scores");
    let score = scores.get(&GraderName::new("judge.strict")).expect("the judge's score");
    score.view().score.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_trial_is_judged_and_the_judge_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let judge = ScriptedJudge::new(|case| Ok(score(if case == "a" { 0.9 } else { 0.5 })));
    let outcome =
        run(judged_plan(&["a", "b"], 2), judge, options(folder.path()), Stop::default()).await.expect("a run");
    assert_eq!((outcome.failed_cases, outcome.record.phases.grade), (1, Phase::Complete));
    assert_eq!(outcome.failures[0].why, "judge.strict: the score 0.5 is below the threshold 0.7: so it is");
    let (good, bad) = (stored(&outcome, "a"), stored(&outcome, "b"));
    assert_eq!((good.pass, good.score, bad.pass, bad.score), (true, Some(0.9), false, Some(0.5)));
    let [recorded] = outcome.record.judges.as_slice() else { panic!("{:?}", outcome.record.judges) };
    assert_eq!((recorded.level.as_str(), recorded.judge.as_str()), ("config", "strict"));
    assert_eq!(Some(&recorded.identity), good.judge_identity.as_ref());
    assert_eq!(outcome.record.variants[0].judges.as_deref(), Some(&["strict".to_owned()][..]));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_key_a_judge_stops_the_run_before_a_client_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = || Err(JudgeFault::Credentials("STRICT_KEY is not set".to_owned()));
    for grade in [true, false] {
        let judge = ScriptedJudge { preflight: missing(), ..ScriptedJudge::new(|_| Ok(score(1.0))) };
        let asked = Arc::clone(&judge.asked);
        let client = Scripted::new(Turn::says);
        let log = Arc::clone(&client.log);
        let options = RunOptions { grade, ..options(folder.path()) };
        let plan = judged_plan(&["a"], 1);
        let ended = mst_engine::run(plan, deps(client, judge), options, Stop::default(), Box::new(NullObserver)).await;
        assert!(asked.lock().expect("not poisoned").is_empty());
        if grade {
            let error = ended.expect_err("a refusal");
            assert!(matches!(error, RunError::JudgeNotReady { is_credential: true, .. }));
            assert_eq!(error.to_string(), "judge strict: STRICT_KEY is not set");
            assert!(log.lock().expect("not poisoned").is_empty());
            assert_eq!(fs_err::read_dir(folder.path().join("runs")).map_or(0, Iterator::count), 0);
        } else {
            assert_eq!(ended.expect("a run").record.phases.grade, Phase::Skipped);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn options_that_a_judge_does_not_take_stop_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut plan = judged_plan(&["a"], 1);
    plan.variants[0].judges = vec![JudgeEntry::read(&json!({ "type": "strict", "nonsense": 1 })).expect("an entry")];
    let ended = run(plan, ScriptedJudge::new(|_| Ok(score(1.0))), options(folder.path()), Stop::default()).await;
    assert_eq!(ended.expect_err("a refusal").to_string(), "judge \"strict\": \"nonsense\" cannot be");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_without_a_verdict_is_neither_a_pass_nor_a_fail_and_a_resume_asks_it_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = || Err(JudgeFault::Failed("no answer".to_owned()));
    let judge = ScriptedJudge::new(move |case| if case == "b" { broken() } else { Ok(score(1.0)) });
    let asked = Arc::clone(&judge.asked);
    let plan = || judged_plan(&["a", "b", "c"], 1);
    let outcome = run(plan(), judge, options(folder.path()), Stop::default()).await.expect("a run");
    assert_eq!((outcome.failed_cases, outcome.incomplete.len()), (0, 1));
    assert_eq!((outcome.record.phases.collect, outcome.record.phases.grade), (Phase::Complete, Phase::Partial));
    assert_eq!(outcome.shortfalls.iter().collect::<Vec<_>>(), [&Shortfall::Judge]);
    assert_eq!(outcome.incomplete.reasons()[0].reason, "not graded: judge.strict: no answer");
    assert!(!outcome.is_latest);
    assert_eq!(asked.lock().expect("not poisoned").len(), 3);
    let trial = RunReader::open(RunLayout::new(&outcome.directory)).expect("a run");
    let trial = trial.trial(&TrialKey::new("default", "b", 0)).expect("a trial").into_view();
    assert_eq!(trial.error.as_deref(), Some("Not graded: judge.strict: no answer"));

    let judge = ScriptedJudge::new(|_| Ok(score(1.0)));
    let asked = Arc::clone(&judge.asked);
    let resume = |version| {
        let judge = ScriptedJudge { version, ..ScriptedJudge::new(|_| Ok(score(1.0))) };
        let resume = Some(outcome.record.run_id.to_string());
        (judge, RunOptions { resume, ..options(folder.path()) })
    };
    let (changed, again) = resume("2");
    let refused = run(plan(), changed, again.clone(), Stop::default()).await.expect_err("a refusal");
    assert!(refused.to_string().contains("it was graded by other judges"), "{refused}");
    let resumed = run(plan(), judge, again, Stop::default()).await.expect("a run");
    assert_eq!(*asked.lock().expect("not poisoned"), ["b"]);
    assert_eq!((resumed.failed_cases, resumed.record.phases.grade, resumed.is_latest), (0, Phase::Complete, true));
    assert_eq!(stored(&resumed, "b").score, Some(1.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_graders_fail_stands_beside_a_judge_without_a_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut plan = judged_plan(&["a"], 1);
    let case = json!({ "id": "a", "input": "a", "assertions": { "containsText": "never said" } });
    let case: EvalCase = serde_json::from_value(case).expect("a case");
    plan.datasets[0].cases = [case].into_iter().collect();
    let judge = ScriptedJudge::new(|_| Err(JudgeFault::Failed("no answer".to_owned())));
    let outcome = run(plan, judge, options(folder.path()), Stop::default()).await.expect("a run");
    assert_eq!((outcome.failed_cases, outcome.incomplete.len()), (1, 0));
    assert_eq!((outcome.record.phases.grade, outcome.is_latest), (Phase::Partial, false));
    assert!(outcome.failures[0].why.starts_with("textContains"), "{}", outcome.failures[0].why);
}

#[tokio::test(flavor = "multi_thread")]
async fn as_many_trials_are_judged_at_once_as_are_collected_at_once() {
    const TRIALS: u32 = 320;
    const AT_ONCE: u32 = 32;
    let folder = tempfile::tempdir().expect("a folder");
    let mut plan = judged_plan(&["a"], AT_ONCE);
    plan.variants[0].batches[0].cases[0].trials = TRIALS;
    let takes = Duration::from_millis(50);
    let judge = ScriptedJudge { takes, ..ScriptedJudge::new(|_| Ok(score(1.0))) };
    let now = Arc::clone(&judge.now);
    let began = Instant::now();
    run(plan, judge, options(folder.path()), Stop::default()).await.expect("a run");
    let took = began.elapsed();
    let most = now.1.load(Ordering::SeqCst);
    assert!(most <= AT_ONCE as usize, "{most} at once");
    assert!(most > AT_ONCE as usize * 3 / 4, "{most} at once");
    // The whole run, collecting and writing too, on a machine that others use: a half of what one at a time would take.
    let alone = takes * TRIALS;
    assert!(took < alone / 2, "{took:?}; one at a time {alone:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_cuts_judges_off_and_a_resume_asks_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let ids: Vec<String> = (0..12).map(|n| format!("c{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let stop = Stop::default();
    let judge = ScriptedJudge { takes: Duration::from_mins(10), ..ScriptedJudge::new(|_| Ok(score(1.0))) };
    let plan = judged_plan(&ids, 4);
    let stopping = stop.clone();
    let now = Arc::clone(&judge.now);
    let mut watching = tokio::task::JoinSet::new();
    watching.spawn(async move {
        while now.1.load(Ordering::SeqCst) < 4 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stopping.starting.cancel();
        stopping.running.cancel();
    });
    let outcome = run(plan.clone(), judge, options(folder.path()), stop).await.expect("a run");
    assert!(outcome.interrupted);
    assert_eq!(outcome.record.phases.grade, Phase::Partial);
    assert_eq!(outcome.failed_cases, 0);
    assert_eq!(stored(&outcome, "c0").error.as_deref(), Some("the run was stopped before it was asked"));

    let judge = ScriptedJudge::new(|_| Ok(score(1.0)));
    let asked = Arc::clone(&judge.asked);
    let again = RunOptions { resume: Some(outcome.record.run_id.to_string()), ..options(folder.path()) };
    let resumed = run(plan, judge, again, Stop::default()).await.expect("a run");
    assert_eq!((resumed.failed_cases, resumed.record.phases.grade), (0, Phase::Complete));
    let mut asked = asked.lock().expect("not poisoned").clone();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 12);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_polite_stop_asks_no_further_judge() {
    let folder = tempfile::tempdir().expect("a folder");
    let ids: Vec<String> = (0..20).map(|n| format!("c{n:02}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let stop = Stop::default();
    let judge = ScriptedJudge { takes: Duration::from_millis(20), ..ScriptedJudge::new(|_| Ok(score(1.0))) };
    let asked = Arc::clone(&judge.asked);
    let observer = Box::new(StopAfter { left: 2, stop: stop.clone() });
    let deps = deps(Scripted::new(Turn::says), judge);
    let outcome =
        mst_engine::run(judged_plan(&ids, 1), deps, options(folder.path()), stop, observer).await.expect("a run");
    assert_eq!((outcome.failed_cases, outcome.record.phases.grade), (0, Phase::Partial));
    let asked = asked.lock().expect("not poisoned").len();
    assert!((2..=4).contains(&asked), "{asked} were asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redacted_run_judges_the_answer_that_it_does_not_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut plan = judged_plan(&["a"], 1);
    plan.redact_stored_responses = true;
    let judge = ScriptedJudge::new(|_| Ok(JudgeScore { metadata: Some(json!({ "quoted": "a" })), ..score(1.0) }));
    let outcome = run(plan, judge, options(folder.path()), Stop::default()).await.expect("a run");
    let score = stored(&outcome, "a");
    assert_eq!((score.pass, score.reasoning.as_deref(), score.metadata), (true, Some("so it is"), None));
}
