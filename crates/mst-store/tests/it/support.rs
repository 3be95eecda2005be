//! Records for tests.

use indexmap::IndexMap;
use mst_model::{
    CaseRequest, CaseResult, DatasetRecord, Ending, Event, EventKind, EventSource, GraderName, GraderScore, ModelCall,
    MstVersion, Phase, Phases, RUN_FORMAT, RunId, RunRecord, RunnerRecord, ScoreRecord, Scrubbed, Scrubber, Timestamp,
    Transcript, TrialRecord, VariantRecord,
};
use mst_store::EvalLayout;
use serde_json::json;

/// A folder of a test, gone when dropped.
pub(crate) struct Place {
    _dir: tempfile::TempDir,
    pub(crate) eval: EvalLayout,
}

pub(crate) fn place() -> Place {
    let dir = tempfile::tempdir().expect("a folder");
    let eval = EvalLayout::new(dir.path().join("out"));
    Place { _dir: dir, eval }
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_791_397_504_000 + seconds * 1000).expect("in range")
}

pub(crate) fn run_id(seconds: i64) -> RunId {
    RunId::new(at(seconds), [0x7f, 0x3c, seconds as u8])
}

pub(crate) fn run_record(seconds: i64, redact: bool) -> RunRecord {
    RunRecord {
        format: RUN_FORMAT.to_owned(),
        kind: "run".to_owned(),
        run_id: run_id(seconds),
        eval_name: "parts-eval".to_owned(),
        config_id: "parts-eval".to_owned(),
        content_hash: "0".repeat(64),
        created_at: at(seconds),
        finished_at: None,
        mst: MstVersion { version: "0.1.0".to_owned() },
        baseline: Some("default".into()),
        variants: Vec::new(),
        datasets: vec![DatasetRecord {
            name: "parts".to_owned(),
            case_count: 2,
            content_hash: "1".repeat(64),
            source_type: None,
        }],
        partial: false,
        selection: None,
        redact_stored_responses: redact,
        option_key: None,
        runner: RunnerRecord { name: "local".to_owned(), shards: 1 },
        phases: Phases { collect: Phase::Partial, grade: Phase::Partial },
        notes: Vec::new(),
    }
}

pub(crate) fn variant(name: &str) -> VariantRecord {
    VariantRecord {
        name: name.into(),
        description: None,
        servers: None,
        client: Some("api".to_owned()),
        model: Some("lexical-1".to_owned()),
        client_options: None,
        tools: None,
        input_template: None,
        write_modes: None,
        offline: false,
    }
}

pub(crate) fn trial(run: &RunRecord, case: &str, trial: u32, ending: Ending) -> TrialRecord {
    TrialRecord {
        format: RUN_FORMAT.to_owned(),
        kind: "trial".to_owned(),
        run_id: run.run_id.clone(),
        variant: "default".into(),
        case_id: case.into(),
        dataset_name: "parts".to_owned(),
        trial,
        duration_ms: 12.5,
        infrastructure_error: ending.is_infrastructure(),
        ending,
        error: None,
        grading_error: None,
        transcript: Some(transcript()),
        artifacts: None,
        write_record: None,
        client_usage: None,
        client_telemetry: Some(json!({ "requests": 2, "content": "secret-answer" })),
        client_metadata: None,
        client_diagnostics: None,
    }
}

pub(crate) fn transcript() -> Transcript {
    Transcript {
        events: vec![Event {
            kind: EventKind::ToolCall,
            source: EventSource::Mcp,
            name: "lookup".to_owned(),
            server: Some("parts".into()),
            raw_name: None,
            arguments: json!({ "id": "p-1" }).as_object().cloned(),
            raw_arguments: None,
            output: Some("secret-answer \u{1b}[31m\u{0}".to_owned()),
            is_error: Some(false),
            id: Some("call-1".to_owned()),
            started_at: None,
            completed_at: None,
            duration_ms: None,
            results: None,
        }],
        final_text: Some("secret-answer".to_owned()),
        messages: Some(vec![json!({ "role": "user", "text": "secret-answer" })]),
        model_calls: Some(vec![ModelCall {
            id: "m-1".to_owned(),
            model: "m".to_owned(),
            text: Some("secret-answer".to_owned()),
            ..ModelCall::default()
        }]),
        ..Transcript::default()
    }
}

pub(crate) fn scrubbed(trial: TrialRecord) -> Scrubbed<TrialRecord> {
    Scrubber::default().scrub(trial)
}

pub(crate) fn score(run: &RunRecord, grader: &str, case: &str, trial: u32) -> ScoreRecord {
    ScoreRecord {
        format: RUN_FORMAT.to_owned(),
        kind: "score".to_owned(),
        run_id: run.run_id.clone(),
        grader: grader.into(),
        variant: "default".into(),
        case_id: case.into(),
        trial,
        score: GraderScore {
            metadata: Some(json!("secret-answer")),
            jury: Some(vec![json!({ "pass": true, "metadata": "secret-answer" })]),
            ..GraderScore::passed()
        },
    }
}

pub(crate) fn case_result(run: &RunRecord, case: &str) -> CaseResult {
    let score = score(run, "regex", case, 0);
    CaseResult {
        id: case.into(),
        dataset_name: "parts".to_owned(),
        variant: "default".into(),
        source: "client".to_owned(),
        pass: Some(true),
        request: CaseRequest::default(),
        response: Some("secret-answer".to_owned()),
        error: None,
        grading_error: None,
        scores: IndexMap::from([(GraderName::from("regex"), score.score)]),
        duration_ms: 12.5,
        pass_rate: Some(1.0),
        pass_rate_ci: None,
        infrastructure_error_rate: None,
        infrastructure_error_count: None,
        trial_results: None,
        tags: None,
        tool_precision: None,
        tool_recall: None,
        tool_call_trace: None,
        client_diagnostics: None,
        transcript: Some(transcript()),
        evidence: None,
        client_usage: None,
        ending: Some(Ending::Trial),
        incomplete: None,
    }
}

/// Every file under a folder with its bytes, by path relative to it.
pub(crate) fn files(root: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
                found.push((name, fs_err::read(&path).expect("a file")));
            }
        }
    }
    found.sort();
    found
}

pub(crate) fn names(root: &std::path::Path) -> Vec<String> {
    files(root).into_iter().map(|(name, _)| name).collect()
}
