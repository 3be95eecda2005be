//! A scan: from a surface to a report, through the judge's stages.

use std::collections::{BTreeMap, HashMap, HashSet};

use mst_mcp::ListedTool;
use mst_measure::rubric::{
    DefinitionCount, ResponseSizes, ScoreInput, economics, harness as with_metrics, rubric_score, score_interval,
};
use mst_model::{
    ConfusablePair, Harness, HarnessRuns, JudgeBlock, SCAN_REPORT_FORMAT, ScanReport, ScanStage, ScanTarget, ScanTask,
    Scanner, StageJudge, StageJudges, Timestamp, TokenSource, ToolFinding, Unscored,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::capabilities::capabilities;
use crate::definition::estimated_tokens;
use crate::destructive::is_destructive;
use crate::harness;
use crate::judge::{Answered, Choice, Judge, Pass, StageFault, ToolDefects};
use crate::lint::lint;
use crate::surface::Surface;

/// What a scan needs.
pub(crate) struct ScanRequest<'a> {
    /// The surface.
    pub(crate) surface: &'a Surface,
    /// Who judges.
    pub(crate) judge: &'a dyn Judge,
    /// The sizes of the server's answers in a run, where one is given.
    pub(crate) responses: Option<ResponseSizes>,
    /// When the scan began.
    pub(crate) scanned_at: Timestamp,
    /// What goes on, told stage by stage.
    pub(crate) tell: &'a (dyn Fn(&str) + Sync),
}

/// Judges a surface and grades it.
///
/// # Errors
/// A stage gave no usable answer; nothing is then graded.
pub(crate) async fn scan(request: &ScanRequest<'_>, cancel: &CancellationToken) -> Result<ScanReport, Failed> {
    let ScanRequest { surface, judge, tell, .. } = request;
    let destructive: HashMap<&str, bool> =
        surface.tools.iter().map(|tool| (tool.name(), is_destructive(tool))).collect();
    let mut stages = StageJudges { tasks: None, defects: None, confusability: None, selection: None };

    tell("making tasks");
    let asked = judge.tasks(surface, cancel).await.and_then(|tasks| checked_tasks(tasks, &destructive));
    let tasks = kept(asked, &mut stages, |stages| &mut stages.tasks)?;
    tell("looking for defects of descriptions");
    let asked = judge.defects(surface, cancel).await.and_then(|found| checked_defects(found, &destructive));
    let defects = kept(asked, &mut stages, |stages| &mut stages.defects)?;
    tell("looking for tools that are easily mistaken");
    let asked = judge.confusable(surface, cancel).await.and_then(|pairs| checked_pairs(pairs, &destructive));
    let pairs = kept(asked, &mut stages, |stages| &mut stages.confusability)?;

    let select = async |name: &str, tools: &[ListedTool]| {
        let pass = Pass { name, instructions: surface.instructions.as_deref(), tools, tasks: &tasks };
        judge.select(&pass, cancel).await.and_then(|choices| checked_choices(choices, &tasks))
    };
    tell(&format!("choosing a tool for each of {} tasks", tasks.len()));
    let choices = kept(select("baseline", &surface.tools).await, &mut stages, |stages| &mut stages.selection)?;
    let baseline = pass(harness::results(&surface.tools, &destructive, &tasks, choices), &stages)?;
    let after_rewrite = if defects.is_empty() {
        None
    } else {
        tell("choosing again, with the suggested descriptions");
        let tools = rewritten(&surface.tools, &defects);
        let answered = select("after_rewrite", &tools).await;
        let answered = answered.and_then(|answered| same_judge(answered, stages.selection.as_ref()));
        let choices = kept(answered, &mut stages, |stages| &mut stages.selection)?;
        Some(pass(harness::results(&tools, &destructive, &tasks, choices), &stages)?)
    };

    let counted = judge.definition_tokens(surface, cancel).await.map_err(|fault| Failed::new(fault, &stages))?;
    let mut each: Vec<f64> = match &counted {
        Some(counted) => counted.tools.iter().map(|tokens| *tokens as f64).collect(),
        None => surface.tools.iter().map(estimated_tokens).collect(),
    };
    each.resize(surface.tools.len(), 0.0);
    let definition = match &counted {
        Some(counted) => DefinitionCount { tokens: counted.whole as f64, source: TokenSource::Exact },
        None => DefinitionCount { tokens: each.iter().sum(), source: TokenSource::Estimated },
    };
    let findings = findings(surface, &destructive, defects, &each);
    report(request, Parts { stages, findings, pairs, tasks, baseline, after_rewrite, definition })
}

/// What the stages gave.
struct Parts {
    stages: StageJudges,
    findings: Vec<ToolFinding>,
    pairs: Vec<ConfusablePair>,
    tasks: Vec<ScanTask>,
    baseline: Harness,
    after_rewrite: Option<Harness>,
    definition: DefinitionCount,
}

fn report(request: &ScanRequest<'_>, parts: Parts) -> Result<ScanReport, Failed> {
    let Parts { stages, findings, pairs, tasks, baseline, after_rewrite, definition } = parts;
    let surface = request.surface;
    let fault = |error: mst_measure::rubric::RubricFault| {
        Failed::new(StageFault { stage: ScanStage::Selection, is_auth: false, reason: error.to_string() }, &stages)
    };
    let economics = economics(definition, &baseline.metrics, request.responses.clone()).map_err(fault)?;
    let input = ScoreInput {
        baseline: &baseline.results,
        tools: &findings,
        confusable_pairs: &pairs,
        definition_tokens: economics.definition_tokens,
        avg_response_tokens: economics.avg_response_tokens,
    };
    let score = rubric_score(&input).map_err(fault)?;
    let interval = score_interval(&input, &surface.hash).map_err(fault)?;
    let judge = judge_block(&stages).expect("every stage has answered");
    Ok(ScanReport {
        format: SCAN_REPORT_FORMAT.to_owned(),
        target: target(surface),
        scanned_at: request.scanned_at,
        scanner: Scanner { version: env!("CARGO_PKG_VERSION").to_owned() },
        judge,
        tools: findings,
        confusable_pairs: pairs,
        tasks,
        harness: HarnessRuns { baseline, after_rewrite },
        economics,
        score,
        unscored: Unscored { interval, capabilities: Some(capabilities(surface)), lint: Some(lint(surface)) },
    })
}

/// Returns what was scanned, as a report says it.
pub(crate) fn target(surface: &Surface) -> ScanTarget {
    ScanTarget {
        name: surface.name.clone(),
        version: surface.version.clone(),
        transport: surface.transport,
        command: surface.command.clone(),
        url: surface.url.clone(),
        protocol_version: surface.protocol_version.clone(),
        surface_hash: surface.hash.clone(),
        tool_count: surface.tools.len() as u64,
    }
}

/// A scan that ended in a stage, and who had judged until then.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) fault: StageFault,
    /// Who judged, once the selection stage had answered.
    pub(crate) judge: Option<Box<JudgeBlock>>,
}

impl Failed {
    fn new(fault: StageFault, stages: &StageJudges) -> Self {
        Self { fault, judge: judge_block(stages).map(Box::new) }
    }
}

/// Returns the judge block: its identity is the selection stage's.
fn judge_block(stages: &StageJudges) -> Option<JudgeBlock> {
    let (tasks, selection) = (stages.tasks.as_ref()?, stages.selection.as_ref()?);
    Some(JudgeBlock {
        cli: selection.cli.clone(),
        cli_version: selection.cli_version.clone(),
        model: selection.model.clone(),
        task_generator_version: tasks.prompt_version.clone(),
        prompt_template_version: selection.prompt_version.clone(),
        stages: Some(stages.clone()),
    })
}

/// Keeps who answered a stage, and returns the answer.
fn kept<T>(
    answered: Result<Answered<T>, StageFault>,
    stages: &mut StageJudges,
    place: impl FnOnce(&mut StageJudges) -> &mut Option<StageJudge>,
) -> Result<T, Failed> {
    match answered {
        Ok(Answered { value, judge }) => {
            *place(stages) = Some(judge);
            Ok(value)
        }
        Err(fault) => Err(Failed::new(fault, stages)),
    }
}

fn pass(results: Vec<mst_model::TaskResult>, stages: &StageJudges) -> Result<Harness, Failed> {
    with_metrics(results).map_err(|error| {
        Failed::new(StageFault { stage: ScanStage::Selection, is_auth: false, reason: error.to_string() }, stages)
    })
}

fn wrong(stage: ScanStage, reason: impl Into<String>) -> StageFault {
    StageFault { stage, is_auth: false, reason: reason.into() }
}

/// Checks tasks: ids unique, expected tools listed; `destructive` follows the expected tool.
fn checked_tasks(
    mut answered: Answered<Vec<ScanTask>>,
    destructive: &HashMap<&str, bool>,
) -> Result<Answered<Vec<ScanTask>>, StageFault> {
    if answered.value.is_empty() {
        return Err(wrong(ScanStage::Tasks, "the judge made no task"));
    }
    let mut ids = HashSet::new();
    for task in &mut answered.value {
        if !ids.insert(task.id.clone()) {
            return Err(wrong(ScanStage::Tasks, format!("the judge made two tasks with the id {:?}", task.id)));
        }
        task.destructive = match &task.expected_tool {
            None => false,
            Some(tool) => *destructive.get(tool.as_str()).ok_or_else(|| {
                wrong(ScanStage::Tasks, format!("the judge made a task for {tool:?}, which the server does not list"))
            })?,
        };
    }
    Ok(answered)
}

/// Checks defects: each tool listed and told once, each type once; tools without one are left out.
fn checked_defects(
    answered: Answered<Vec<ToolDefects>>,
    known: &HashMap<&str, bool>,
) -> Result<Answered<BTreeMap<String, ToolDefects>>, StageFault> {
    let mut found = BTreeMap::new();
    for mut tool in answered.value {
        if !known.contains_key(tool.tool.as_str()) {
            let reason = format!("the judge found defects of {:?}, which the server does not list", tool.tool);
            return Err(wrong(ScanStage::Defects, reason));
        }
        let mut kinds = HashSet::new();
        tool.defects.retain(|defect| kinds.insert(defect.kind));
        if tool.defects.is_empty() {
            continue;
        }
        if let Some(twice) = found.insert(tool.tool.clone(), tool) {
            return Err(wrong(ScanStage::Defects, format!("the judge told of {:?} twice", twice.tool)));
        }
    }
    Ok(Answered { value: found, judge: answered.judge })
}

/// Checks pairs and brings them in order: two listed tools, the smaller name first, each pair once.
fn checked_pairs(
    mut answered: Answered<Vec<ConfusablePair>>,
    known: &HashMap<&str, bool>,
) -> Result<Answered<Vec<ConfusablePair>>, StageFault> {
    for pair in &mut answered.value {
        for name in [&pair.a, &pair.b] {
            if !known.contains_key(name.as_str()) {
                let reason = format!("the judge paired {name:?}, which the server does not list");
                return Err(wrong(ScanStage::Confusability, reason));
            }
        }
        if pair.a == pair.b {
            return Err(wrong(ScanStage::Confusability, format!("the judge paired {:?} with itself", pair.a)));
        }
        if pair.a > pair.b {
            std::mem::swap(&mut pair.a, &mut pair.b);
        }
    }
    // Of a pair told twice the worse counts.
    answered.value.sort_by(|x, y| (&x.a, &x.b).cmp(&(&y.a, &y.b)).then(y.severity.cmp(&x.severity)));
    answered.value.dedup_by(|later, first| later.a == first.a && later.b == first.b);
    Ok(answered)
}

/// Checks that there is one choice a task.
fn checked_choices(answered: Answered<Vec<Choice>>, tasks: &[ScanTask]) -> Result<Answered<Vec<Choice>>, StageFault> {
    if answered.value.len() == tasks.len() {
        return Ok(answered);
    }
    let reason = format!("the judge made {} choices for {} tasks", answered.value.len(), tasks.len());
    Err(wrong(ScanStage::Selection, reason))
}

/// Checks that both passes were answered by one judge: their difference would say nothing otherwise.
fn same_judge<T>(answered: Answered<T>, before: Option<&StageJudge>) -> Result<Answered<T>, StageFault> {
    match before {
        Some(before) if *before != answered.judge => Err(wrong(
            ScanStage::Selection,
            format!(
                "the second pass was answered by {} {}, the first by {} {}",
                answered.judge.cli, answered.judge.model, before.cli, before.model
            ),
        )),
        _ => Ok(answered),
    }
}

/// Returns the tools with the suggested descriptions in place of the defective ones.
fn rewritten(tools: &[ListedTool], defects: &BTreeMap<String, ToolDefects>) -> Vec<ListedTool> {
    tools
        .iter()
        .map(|tool| {
            let suggested = defects.get(tool.name()).and_then(|found| found.suggested_description.clone());
            let Some(suggested) = suggested else { return tool.clone() };
            let mut raw = tool.raw().clone();
            raw.insert("description".to_owned(), Value::String(suggested));
            ListedTool::new(raw).expect("its name is what it was")
        })
        .collect()
}

fn findings(
    surface: &Surface,
    destructive: &HashMap<&str, bool>,
    mut defects: BTreeMap<String, ToolDefects>,
    tokens: &[f64],
) -> Vec<ToolFinding> {
    let tools = surface.tools.iter().zip(tokens);
    tools
        .map(|(tool, tokens)| {
            let found = defects.remove(tool.name());
            let (defects, suggested_description) =
                found.map_or((Vec::new(), None), |found| (found.defects, found.suggested_description));
            ToolFinding {
                name: tool.name().to_owned(),
                destructive: destructive[tool.name()],
                definition_tokens: *tokens,
                defects,
                suggested_description,
            }
        })
        .collect()
}
